"""The rows of a sweep: what came of each combination of settings and each seed, a line of JSON for each.

A file of them is written line by line, and may be read while it is being written, or after its writer was killed.
"""

import json
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np

from transformer_core.errors import LONGEST, InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.training.cost import count_by_formula
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import LearningPlan, limit_steps, plan_for

LEVELS = (0.9, 0.99)  # shares right whose steps are told
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
        row,
        outcome=outcome,
        steps=learned.last,
        to_90=to_90,
        to_99=to_99,
        right=round(learned.right * learned.rows),
        rows=learned.rows,
        cpu_seconds=round(cpu_seconds, 3),
        error="",
    )


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
    off in the midst of writing is left out. Raises InputError, one sentence, for a file that `sweep` has not written."""
    *lines, last = data.split(b"\n")
    rows = [_numbered(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    size = len(data) - len(last)
    try:
        rows += [_from_line(last)] if last.strip() else []
        size = len(data)
    except InputError:
        if not rows and not last.startswith(_BEGINNING):
            raise InputError("The file holds no rows of a sweep; choose one that `sweep --out` has written.") from None
    return tuple({row.identity: row for row in rows}.values()), size


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
    if not isinstance(facts, dict) or facts.keys() != names or not isinstance(facts["settings"], dict):
        raise InputError("it does not have the names that such a row has")
    del facts["parameters"]
    return SweepRow(cfg=TransformerConfig.from_dict(facts.pop("settings")), **facts)


def failed(row: SweepRow, error: str) -> SweepRow:
    """The row of a model that was not trained to its end."""
    words = " ".join(error.split()) or "no reason was given"
    return replace(row, outcome="failed", error=words if len(words) <= LONGEST else words[: LONGEST - 1] + "…")
