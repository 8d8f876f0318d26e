"""What recorded tensors show, and small experiments on the model and its parts: seeded, measured, numpy arrays as results."""
