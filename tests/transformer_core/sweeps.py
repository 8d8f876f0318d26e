"""Rows of sweeps that no model was trained for."""

from dataclasses import replace

from transformer_core.training.learning_plan import default_config
from transformer_core.training.sweep_rows import SweepRow, planned

USUAL = default_config("copy")


def row_of(to_99: int | None, seed: int = 0, task: str = "copy", most_steps: int | None = None, **settings) -> SweepRow:
    """A row that got there at this step, after three quarters of its learning; None: it took all its steps without."""
    row = planned(task, replace(default_config(task), **settings), seed, most_steps)
    if to_99 is None:
        return replace(row, outcome="cut-off", steps=900, to_90=None, right=30, rows=200, cpu_seconds=2.5)
    return replace(
        row,
        outcome="learned",
        steps=round(1.5 * to_99),
        to_90=max(to_99 - 10, 1),
        to_99=to_99,
        right=199,
        rows=200,
        cpu_seconds=1.25,
    )
