"""Everything that knows Streamlit or Plotly."""
