"""Measurements: `python -m benchmarks.<name>` prints a table; the ratios within one run are comparable."""

from transformer_core.commands.streams import use_utf8

use_utf8()
