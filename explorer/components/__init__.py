"""Views of ours that run in the browser, as Streamlit components with inline code."""
