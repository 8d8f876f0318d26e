"""The parts of the page “Layers”."""
