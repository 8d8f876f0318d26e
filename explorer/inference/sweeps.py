"""The table of a sweep, read from a file, and the model of each of its rows in the app."""

from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from explorer import resources
from explorer.inference.settings import SIZES, ModelSettings, of_task, read, size_of
from explorer.training.task_titles import TASK_TITLES
from transformer_core import SHIPPED_MODELS, TASKS
from transformer_core.errors import InputError
from transformer_core.training.sweep_rows import SweepRow, read_rows

_SHIPPED = SHIPPED_MODELS / "sweep-copy.jsonl"


@dataclass(frozen=True)
class SweepFile:
    """A sweep's file that was read.

    Attributes:
        id: by which a link names it, see `model_store.tables`; "" for the one in the box, and for one with an error.
        cut_off: whether its last line was incomplete and is left out.
        error: what is wrong with the file, which then has no rows.
    """

    id: str
    name: str
    rows: tuple[SweepRow, ...] = ()
    cut_off: bool = False
    error: InputError | None = None


def open_sweep(name: str, data: bytes) -> SweepFile:
    """Reads a visitor's file, and keeps it if it has no error."""
    found = read_sweep("", name, data)
    return found if found.error is not None else replace(found, id=resources.model_store().tables.keep(name, data))


def kept_sweep(id: str) -> SweepFile | None:
    """Returns a file that somebody has opened; None if it is not kept any more, or never was."""
    kept = resources.model_store().tables.get(id)
    found = None if kept is None else read_sweep(id, *kept)
    return None if found is None or found.error is not None else found


def read_sweep(id: str, name: str, data: bytes) -> SweepFile:
    """Parses a file; its error says what is wrong with it."""
    try:
        rows, size = read_rows(data)
        if not rows:
            raise InputError("The file has no finished row yet; open it again when `sweep` has finished one.")
    except InputError as error:
        return SweepFile(id, name, error=error)
    return SweepFile(id, name, rows, size < len(data))


@cache
def shipped_sweep() -> SweepFile:
    """Returns the sweep in the app's box."""
    return read_sweep("", _SHIPPED.name, _SHIPPED.read_bytes())


@dataclass(frozen=True)
class SweepModel:
    """The model of a sweep's row in the app.

    Attributes:
        is_there: whether it has been learned here.
        by_its_plan: whether the model of these settings learns like the row's; otherwise it is another model.
    """

    settings: ModelSettings
    is_there: bool
    by_its_plan: bool


def settings_of(row: SweepRow) -> ModelSettings | None:
    """Returns the shared settings of a row; None if the sidebar cannot express them."""
    if row.task not in TASK_TITLES or not TASKS[row.task]().vocab == row.cfg.src_vocab == row.cfg.tgt_vocab:
        return None
    sizes: dict[str, Any] = {name: size_of(row.cfg, name) for name in SIZES}
    try:
        settings = read(asdict(replace(of_task(row.task), **sizes, seed=row.seed)))
        same = settings.plan().cfg == row.cfg
    except ValueError:
        return None
    return settings if same else None


def sweep_model(row: SweepRow) -> SweepModel | None:
    """Returns the model of a row; None if the app cannot show such a model."""
    settings = settings_of(row)
    if settings is None:
        return None
    plan = settings.plan()
    found = resources.model_store().learned_by(settings.plans())
    if found is None:
        return SweepModel(settings, False, plan.key == row.plan)
    return SweepModel(settings, True, found.id == plan.key == row.plan)
