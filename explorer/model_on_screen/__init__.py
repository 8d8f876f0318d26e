"""The model that the settings describe, its forward pass, its attention and its answers. No Streamlit."""
