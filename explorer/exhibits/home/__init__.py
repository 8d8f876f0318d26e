"""The parts of Start."""
