"""Analyses of recorded tensors, and small seeded experiments on the model and its parts; the results are numpy arrays."""
