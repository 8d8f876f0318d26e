"""Where Home leads."""
