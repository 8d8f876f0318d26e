"""Measurements: `python -m benchmarks.<name>` prints a table; what counts are the ratios within one run."""

from transformer_core.commands.streams import every_sign

every_sign()
