"""Small experiments on the model and its parts: seeded, measured, each with numpy arrays as its result."""
