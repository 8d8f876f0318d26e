"""Training: the steps, the evaluation of the model, and checkpoint files."""
