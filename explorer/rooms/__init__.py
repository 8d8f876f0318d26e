"""A host leads a room: phones follow, vote before they are shown, and train together. Without Streamlit."""
