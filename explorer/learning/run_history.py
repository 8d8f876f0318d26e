"""The history of a run: its plan, the numbers of every step, and snapshots of some."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from torch import Tensor

from explorer import limits
from explorer.i18n import N_
from explorer.learning.engine import Progress
from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Snapshot, Timeline
from transformer_core import StepReport
from transformer_core.errors import WordedError
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.learned import Learned, Outcome
from transformer_core.training.learning import Course
from transformer_core.training.race import RaceRow


class Status(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"  # the target is reached, or the last step taken
    STOPPED = "stopped"  # by a person or the server, for good
    FAILED = "failed"


OVER = (Status.DONE, Status.STOPPED, Status.FAILED)
STATUS_WORDS = {  # shown as _(STATUS_WORDS[status])
    Status.RUNNING: N_("training"),
    Status.PAUSED: N_("paused"),
    Status.DONE: N_("finished"),
    Status.STOPPED: N_("stopped"),
    Status.FAILED: N_("failed"),
}
_LAST = 20  # the final loss is averaged over this many steps


@dataclass(frozen=True)
class RunHistory:
    """The course of a run so far, as it is shown, compared and played back. The arrays have one entry per step after
    `first_step`.

    Attributes:
        message: why it failed, or why the server stopped it; shown as i18n.error(message), like `note`.
        step_seconds: seconds of compute.
        evaluations: (evaluation, 2): the step, and the exact match.
        snapshots: in the order of their steps.
        note: what else a person should know, such as that its worker process ended.
        clock_seconds: seconds of the wall clock from the first step to the newest, without pauses.
        final: the evaluation at the end, on other rows than those that decided when to end.
        number: its number among the runs of its owner.
        weights: of a recording, its last ones, in the order of `Transformer.parameters`; None where they are not known.
        day: such as 2026-11-27, of a recording that comes with the app; "" for one that this server has trained.
    """

    plan: TrainingPlan
    status: Status
    message: WordedError | None
    first_step: int
    loss: np.ndarray
    learning_rate: np.ndarray
    gradient_norm: np.ndarray
    step_seconds: np.ndarray
    tokens_per_second: float
    evaluations: np.ndarray
    snapshots: tuple[Snapshot, ...]
    note: WordedError | None = None
    clock_seconds: float = 0.0
    final: FinalEvaluation | None = None
    number: int = 0
    weights: Tensor | None = None
    day: str = ""

    @property
    def step(self) -> int:
        return self.first_step + len(self.loss)

    @property
    def steps(self) -> np.ndarray:
        """The steps of the entries in the arrays."""
        return np.arange(self.first_step + 1, self.step + 1)

    @property
    def seconds(self) -> float:
        return float(self.step_seconds.sum())

    @property
    def exact_match(self) -> float | None:
        """The exact match of the newest evaluation."""
        return float(self.evaluations[-1, 1]) if len(self.evaluations) else None

    @property
    def evaluation(self) -> FinalEvaluation | None:
        """The final evaluation, or until there is one the newest."""
        if self.final is not None or self.exact_match is None:
            return self.final
        return FinalEvaluation(self.exact_match, self.plan.evaluated_on)

    @property
    def right(self) -> float:
        """The share of `rows` answered right in the end; other rows decided when the run ended."""
        return self.final.exact_match if self.final is not None else 0.0

    @property
    def rows(self) -> int:
        return self.final.rows if self.final is not None else 0

    @property
    def likely(self) -> float:
        """The probability of the right next token at the end of training (a geometric mean)."""
        return math.exp(-self.loss[-_LAST:].mean())

    @property
    def nbytes(self) -> int:
        return self.loss.nbytes + sum(snapshot.nbytes for snapshot in self.snapshots)


class RunRecord:
    """Records what a run has done. Not thread-safe: the run holds a lock around every use.

    Attributes:
        newest: the newest weights: the step, and all parameters, (parameters,) float16 in the order of
            `Transformer.parameters`.
        race: of a race, how its models have run so far.
    """

    def __init__(self, plan: TrainingPlan) -> None:
        self.newest: tuple[int, Tensor] | None = None
        self.race: tuple[RaceRow, ...] = ()
        self._plan, self._course = plan, Course(plan)
        self.snapshots: Timeline[Snapshot] = Timeline(plan.recipe.evaluate_every, limits.SNAPSHOTS, limits.SNAPSHOT_BYTES)
        self.pictures: Timeline[Snapshot] = Timeline(1, limits.PICTURES, limits.SNAPSHOT_BYTES)  # of steps not evaluated
        self._first_step = plan.first_step
        self._steps: list[tuple[float, float, float, float]] = []  # loss, learning rate, gradient norm, seconds
        self._evaluations: list[tuple[int, float]] = []
        self._final: FinalEvaluation | None = None
        self._tokens_per_second = 0.0

    @property
    def step(self) -> int:
        return self._first_step + len(self._steps)

    @property
    def seconds(self) -> float:
        """Seconds of compute."""
        return sum(seconds for *_, seconds in self._steps)

    def add_step(self, report: StepReport, exact_match: float | None, snapshot: Snapshot | None) -> None:
        """Records a step, its evaluation and its snapshot, if there are any."""
        speed = report.tokens_per_second
        self._tokens_per_second = 0.9 * self._tokens_per_second + 0.1 * speed if self._steps else speed
        self._steps.append((report.loss, report.learning_rate, report.gradient_norm, report.seconds))
        if snapshot is not None:
            (self.snapshots if exact_match is not None else self.pictures).add(report.step, snapshot)
        if exact_match is not None:
            self._evaluations.append((report.step, exact_match))

    def add_progress(self, progress: Progress) -> None:
        """Records what progress has besides its steps."""
        if progress.first is not None:
            self.snapshots.add(progress.first.step, progress.first)
        self._final = progress.final or self._final
        self.newest = progress.weights or self.newest
        self.race = progress.race or self.race
        self._course.states.update(progress.kept)
        self._course.rows.extend(progress.curve)
        self._course.outcome = progress.outcome

    @property
    def outcome(self) -> Outcome | None:
        """How the learning ended, if it ended by itself."""
        return self._course.outcome

    def learned(self, resting: bool) -> Learned | None:
        """Returns what has been learned; None before the first step that is kept. `resting`: the newest weights are kept as
        well."""
        course = self.course()
        states = dict(course.states)
        if resting and self.newest is not None:
            states[self.newest[0]] = self.newest[1]
        states.pop(0, None)  # drawn from the seed
        return replace(course, states=states) if len(course.curve) and states else None

    def course(self) -> Learned:
        """Returns the course so far, at the steps that are kept: there may be none."""
        return replace(self._course.learned(), seconds=self.seconds, final=self._final)

    def cut(self, step: int) -> None:
        """Forgets everything after `step`."""
        if step < self.step:
            self._final = None
        if self.newest is not None and self.newest[0] > step:
            self.newest = None
        self._course.cut(step)
        del self._steps[step - self._first_step :]
        self.snapshots.cut(step)
        self.pictures.cut(step)
        self._evaluations = [each for each in self._evaluations if each[0] <= step]

    def history(
        self, status: Status, message: WordedError | None, note: WordedError | None = None, clock_seconds: float = 0.0
    ) -> RunHistory:
        numbers = np.array(self._steps, dtype=np.float64).reshape(-1, 4)
        return RunHistory(
            plan=self._plan,
            status=status,
            message=message,
            first_step=self._first_step,
            loss=numbers[:, 0].astype(np.float32),
            learning_rate=numbers[:, 1],  # stays float64: a typed rate may be of any size
            gradient_norm=numbers[:, 2].astype(np.float32),
            step_seconds=numbers[:, 3],
            tokens_per_second=self._tokens_per_second,
            evaluations=np.array(self._evaluations, dtype=np.float64).reshape(-1, 2),
            snapshots=tuple(sorted([*self.snapshots, *self.pictures], key=lambda each: each.step)),
            note=note,
            clock_seconds=clock_seconds,
            final=self._final,
        )
