"""The parts of the page “Decoding”."""
