"""Figures: numpy arrays and labels in, a Plotly figure out, without Streamlit or torch.

Every figure has in `layout.meta` its text alternative ("alt") and what differs in the dark theme and on a narrow screen.
"""
