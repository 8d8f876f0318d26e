"""Training: the steps, what the model can do so far, and files to keep it in."""
