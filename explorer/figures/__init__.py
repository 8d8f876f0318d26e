"""Figures: numpy arrays and labels in; out comes a Plotly figure, or what is drawn of matrices. Without Streamlit or torch.

Every figure has in `layout.meta` its text alternative ("alt") and what differs in the dark theme and on a narrow screen.
"""
