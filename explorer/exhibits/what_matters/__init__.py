"""The parts of the page “What matters”."""
