"""Several copies of the app behind nginx: `python -m explorer.serve`. One process alone is `streamlit run app.py`."""
