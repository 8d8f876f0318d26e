"""The table of the sweep that comes with the app, and the model of each of its rows."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from explorer import resources
from explorer.model_on_screen.settings import SIZES, ModelSettings, of_task, size_of
from transformer_core import SHIPPED_MODELS
from transformer_core.training.sweep_rows import SweepRow, read_rows

_SHIPPED = SHIPPED_MODELS / "sweep-copy.jsonl"


@cache
def shipped_sweep() -> tuple[SweepRow, ...]:
    """The rows of the sweep in the app's box."""
    return read_rows(_SHIPPED.read_bytes())[0]


@dataclass(frozen=True)
class SweepModel:
    """The model of a sweep's row in the app.

    Attributes:
        is_there: whether a model of these settings has been learned here.
        by_its_plan: whether that one learned like the row's; otherwise it is another model.
    """

    settings: ModelSettings
    is_there: bool
    by_its_plan: bool


def sweep_model(row: SweepRow) -> SweepModel:
    """The model of a row of the shipped sweep."""
    sizes: dict[str, Any] = {name: size_of(row.cfg, name) for name in SIZES}
    settings = replace(of_task(row.task), **sizes, seed=row.seed)
    found = resources.model_store().learned_by(settings.plans())
    return SweepModel(settings, found is not None, found is not None and found.id == row.plan)
