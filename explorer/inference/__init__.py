"""What follows from the settings alone: the model, its forward pass, its attention, its answers. No Streamlit."""
