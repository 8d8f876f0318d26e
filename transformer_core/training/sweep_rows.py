"""The rows of a sweep: what came of each combination of settings and each seed, a line of JSON for each.

A file of them is written line by line, and may be read while it is being written, or after its writer was killed.
"""

import json
import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from transformer_core.data.tasks import TASKS
from transformer_core.errors import LONGEST, InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.training.checkpoint import CheckpointError, check_sizes
from transformer_core.training.cost import count_by_formula
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import LearningPlan, limit_steps, plan_for

MAX_BYTES = 4_000_000  # bytes of a file that is read
MAX_ROWS = 2000
LEVELS = (0.9, 0.99)  # shares right whose steps are told
_MOST = 10_000_000  # steps, held-out rows, and any size of a model
_SEEDS = 2**31
_PLAN = 16  # hexadecimal digits
_BEGINNING = b'{"task": '  # how every line begins

RowOutcome = Literal["learned", "cut-off", "cannot-learn", "diverged", "failed"]


@dataclass(frozen=True)
class SweepRow:
    """One model of a sweep.

    Attributes:
        most_steps: that it was allowed; None for what learning in the app takes.
        plan: the key of its learning plan.
        outcome: "learned", it reached the last of `LEVELS`; "cut-off", it took all its steps without reaching that;
            "cannot-learn", it stopped getting better far below; "diverged", its loss became infinite; "failed", it was not
            trained to its end, and `error` says why, or has not been trained yet.
        steps: that it took. to_90, to_99: at whose end so many of the held-out rows were first right; None: never.
        right: held-out rows that it answers right at its end, of so many `rows`.
        cpu_seconds: of the processor, for learning and for measuring the share right.
    """

    task: str
    cfg: TransformerConfig
    seed: int
    most_steps: int | None
    plan: str
    outcome: RowOutcome = "failed"
    steps: int = 0
    to_90: int | None = None
    to_99: int | None = None
    right: int = 0
    rows: int = 0
    cpu_seconds: float = 0.0
    error: str = ""

    @property
    def identity(self) -> tuple[str, TransformerConfig, int, str]:
        """The key of a row: a file that names it twice means the later one."""
        return self.task, self.cfg, self.seed, self.plan

    @property
    def parameters(self) -> int:
        return count_by_formula(self.cfg)


def planned(task: str, cfg: TransformerConfig, seed: int, most_steps: int | None = None) -> SweepRow:
    """The row of a model that is to be trained."""
    return SweepRow(task, cfg, seed, most_steps, _plan(task, cfg, seed, most_steps).key)


def plan_of(row: SweepRow) -> LearningPlan:
    """The plan by which the model of a row learns."""
    return _plan(row.task, row.cfg, row.seed, row.most_steps)


def _plan(task: str, cfg: TransformerConfig, seed: int, most_steps: int | None) -> LearningPlan:
    usual = plan_for(task, cfg, seed)
    return usual if most_steps is None else limit_steps(usual, most_steps)


def row_of(row: SweepRow, learned: Learned, cpu_seconds: float) -> SweepRow:
    """A row that was planned, with what came of its model."""
    to_90, to_99 = (_first(learned.curve, level) for level in LEVELS)
    outcome: RowOutcome = learned.outcome
    if outcome == "learned" and to_99 is None:
        outcome = "cut-off"
    return replace(
        row, outcome=outcome, steps=learned.last, to_90=to_90, to_99=to_99, right=round(learned.right * learned.rows),
        rows=learned.rows, cpu_seconds=round(cpu_seconds, 3), error="",
    )  # fmt: skip


def _first(curve: np.ndarray, level: float) -> int | None:
    """The step of the first evaluation that reaches a share right. Shape: curve (evaluations, 3)"""
    reached = curve[curve[:, 1] >= level, 0]
    return int(reached[0]) if len(reached) else None


# --- Lines. -----------------------------------------------------------------------------------------------------------------


def to_line(row: SweepRow) -> bytes:
    """A row as a line of a file."""
    facts = asdict(row)
    settings = facts.pop("cfg")
    head = {"task": facts.pop("task"), "seed": facts.pop("seed"), "parameters": row.parameters}
    return json.dumps({**head, **facts, "settings": settings}).encode() + b"\n"


def read_rows(data: bytes) -> tuple[tuple[SweepRow, ...], int]:
    """The rows of a file, each once, in the order of its lines; and of how many of its bytes they are: a last line that was cut
    off in the midst of writing is left out. Raises InputError, one sentence, for whatever is no such file."""
    if len(data) > MAX_BYTES:
        raise InputError("The file has more than {most:,} bytes, the limit of a sweep; choose another one.", most=MAX_BYTES)
    *lines, last = data.split(b"\n")
    rows = [_numbered(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    size = len(data) - len(last)
    try:
        rows += [_from_line(last)] if last.strip() else []
        size = len(data)
    except InputError:
        if not rows and not last.startswith(_BEGINNING):
            raise InputError("The file holds no rows of a sweep; choose one that `sweep --out` has written.") from None
    by_identity = {row.identity: row for row in rows}
    if len(by_identity) > MAX_ROWS:
        raise InputError("The file has {n:,} rows; the limit of a sweep is {most:,}. Choose another one.",
                         n=len(by_identity), most=MAX_ROWS)  # fmt: skip
    return tuple(by_identity.values()), size


def _numbered(number: int, line: bytes) -> SweepRow:
    try:
        return _from_line(line)
    except InputError as error:
        raise InputError("Line {n} of the file is no row of a sweep: {error}.", n=number, error=error) from error


def _from_line(line: bytes) -> SweepRow:
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("it is not JSON") from error
    names = {"settings", "parameters", *SweepRow.__dataclass_fields__} - {"cfg"}
    if not isinstance(facts, dict) or facts.keys() != names:
        raise InputError("it does not have the names that such a row has")
    cfg = _config(facts.pop("settings"))
    parameters = facts.pop("parameters")
    row = SweepRow(cfg=cfg, **facts)
    if not (isinstance(row.task, str) and row.task in TASKS):
        raise InputError("there is no task {task}", task=repr(row.task))
    _check_numbers(row)
    if type(parameters) is not int or parameters != row.parameters:
        raise InputError("a model of its settings has {n:,} parameters, and it says otherwise", n=row.parameters)
    if not _agrees(row):
        raise InputError("its numbers contradict each other")
    return row


def _config(settings: Any) -> TransformerConfig:
    if not isinstance(settings, dict):
        raise InputError("it has no settings")
    too_large = InputError("its model is larger than any that can be opened here")
    if any(isinstance(value, int) and value > _MOST for value in settings.values()):
        raise too_large  # before any sentence has so long a number in it
    cfg = TransformerConfig.from_dict(settings)
    try:
        check_sizes(cfg)
    except CheckpointError as error:
        raise too_large from error
    return cfg


def _check_numbers(row: SweepRow) -> None:
    """Raises InputError for a value that is not of its kind, or beyond all that can be."""
    whole = {name: getattr(row, name) for name in ("steps", "right", "rows")}
    whole |= {name: value for name in ("most_steps", "to_90", "to_99") if (value := getattr(row, name)) is not None}
    for name, value in whole.items():
        if type(value) is not int or not 0 <= value <= _MOST:
            raise InputError("{name} cannot be {value}", name=name, value=repr(value))
    if type(row.seed) is not int or not 0 <= row.seed < _SEEDS:
        raise InputError("{name} cannot be {value}", name="seed", value=repr(row.seed))
    seconds = row.cpu_seconds
    if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
        raise InputError("{name} cannot be {value}", name="cpu_seconds", value=repr(seconds))
    if not isinstance(row.plan, str) or len(row.plan) != _PLAN or not set(row.plan) <= set("0123456789abcdef"):
        raise InputError("{name} cannot be {value}", name="plan", value=repr(row.plan))
    if row.outcome not in get_args(RowOutcome):
        raise InputError("{name} cannot be {value}", name="outcome", value=repr(row.outcome))
    if not isinstance(row.error, str) or len(row.error) > LONGEST:
        raise InputError("{name} cannot be {value}", name="error", value=repr(row.error))


def _agrees(row: SweepRow) -> bool:
    """Whether the numbers of a row can be those of one training."""
    if row.outcome == "failed":
        return True
    steps = [step for step in (row.to_90, row.to_99, row.steps) if step is not None]
    in_order = steps == sorted(steps) and (row.to_99 is None or row.to_90 is not None)
    reached = row.to_99 is not None
    as_said = {"learned": reached, "cut-off": not reached, "cannot-learn": not reached}.get(row.outcome, True)
    return in_order and as_said and row.right <= row.rows and row.rows > 0


def failed(row: SweepRow, error: str) -> SweepRow:
    """The row of a model that was not trained to its end."""
    words = " ".join(error.split()) or "no reason was given"
    return replace(row, outcome="failed", error=words if len(words) <= LONGEST else words[: LONGEST - 1] + "…")
