"""Measurements: `python -m benchmarks.<name>` prints a table; what counts are the ratios within one run."""
