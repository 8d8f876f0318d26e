"""The parts of the page “Shapes and parameters”."""
