"""The parts of the page on attention, step by step."""
