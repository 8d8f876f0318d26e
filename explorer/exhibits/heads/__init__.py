"""The parts of the page on heads."""
