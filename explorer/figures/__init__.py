"""Figures: numpy arrays and labels in, a Plotly figure out. Nothing here knows Streamlit or torch.

Every figure carries in `layout.meta` its text alternative ("alt") and what differs in the dark and on a narrow screen.
"""
