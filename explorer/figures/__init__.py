"""Turns numpy arrays and labels into Plotly figures and matrices. Without Streamlit or torch.

Every figure's `layout.meta` holds its text alternative ("alt") and what differs in the dark theme and on a narrow screen.
"""
