"""The parts of the page Be the head."""
