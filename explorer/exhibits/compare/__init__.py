"""The parts of one page."""
