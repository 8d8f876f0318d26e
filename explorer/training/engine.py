"""The compute of a run: it takes steps when it is ordered to, and hands over what came of them.

The same engine trains in a thread of the server and in a worker process; it knows neither the one nor the other.
"""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from torch import Tensor

from explorer.i18n import N_
from explorer.training.pace import is_picture
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import Keyframe, Packed, Snapshot, snapshot
from transformer_core import StepReport, TrainingDiverged, Transformer
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.learned import Outcome
from transformer_core.training.learning import Learning

WEIGHTS_EVERY = 0.1  # seconds between two copies of the weights to look at
_SHARE = 40  # what is handed over unasked may take one part in so many of the time

Made = TypeVar("Made")


@dataclass(frozen=True)
class Order:
    """What to do next: steps for about so many seconds, but at least one.

    Attributes:
        most: steps at most; with 0 it takes none, and only hands over its state and its weights.
        until: the step to rest at.
        up_to: the last step that is due; no step is taken beyond it, unless it would be the only one. None: all are.
        pictures: whether there are snapshots to watch, besides those of evaluated steps.
        keep_every: of the evaluated steps, those that are a multiple of it come with the state after them.
    """

    seconds: float = 0.0
    most: int | None = None
    until: int | None = None
    up_to: int | None = None
    pictures: bool = False
    keep_every: int = 1


@dataclass(frozen=True)
class Step:
    """A step that was taken: its report, without tensors; what was found at an evaluation, and the state after it."""

    report: StepReport
    exact_match: float | None = None
    snapshot: Snapshot | None = None
    state: Packed | None = None


@dataclass(frozen=True)
class Failure:
    """Why no further step can be taken: a sentence's template and values. For the log, the traceback of an unexpected error."""

    template: str
    values: dict[str, Any]
    log: str | None = None


@dataclass
class Progress:
    """What came of an order.

    Attributes:
        first: before the first step of all.
        state: after the newest step, where it was due, or the engine rests now.
        weights: the step, and its parameters, (parameters,) float16 in the order of `Transformer.parameters`, likewise.
        kept: the weights of the steps that are kept, likewise; curve: what was added to it. See `Learned`.
        outcome: where it is over, unless by an error; final: what was found then, of a run that somebody looks at.
        seconds: of compute, evaluations included.
    """

    first: Snapshot | None = None
    steps: list[Step] = field(default_factory=list)
    failure: Failure | None = None
    state: Packed | None = None
    weights: tuple[int, Tensor] | None = None
    kept: dict[int, Tensor] = field(default_factory=dict)
    curve: list[tuple[float, float, float]] = field(default_factory=list)
    outcome: Outcome | None = None
    final: FinalEvaluation | None = None
    seconds: float = 0.0


class Engine:
    """Trains by a plan, from its beginning or from a state."""

    def __init__(self, plan: TrainingPlan, state: Packed | None = None, save_every: float = float("inf")) -> None:
        """`save_every`: seconds after which the state is handed over unasked."""
        self._plan, self._from = plan, state
        self._learning: Learning | None = None
        self._noted = 0  # rows of the curve that have been handed over
        self._state_pace, self._weights_pace = _Pace(save_every), _Pace(WEIGHTS_EVERY)

    def advance(self, order: Order) -> Progress:
        """Follows an order. An error is handed over with what was done before it."""
        progress, began = Progress(), time.perf_counter()
        try:
            self._follow(order, progress)
        except TrainingDiverged as error:
            progress.failure = Failure(error.template, error.values)
            assert self._learning is not None
            self._hand_over(self._learning, progress, resting=True)  # a step that diverged has not been taken
        except Exception as error:  # whatever it is, it concerns this run alone, and is told on its page
            words = N_("The run ended with an error: {error}")
            progress.failure = Failure(words, {"error": str(error)}, traceback.format_exc())
        progress.seconds = time.perf_counter() - began
        return progress

    def keyframe(self) -> Keyframe:
        """The state now."""
        return Keyframe.of(self._learning or self._build(Progress()))

    def _follow(self, order: Order, progress: Progress) -> None:
        end = time.perf_counter() + order.seconds
        learning = self._learning or self._build(progress)
        resting = order.most == 0
        while not resting:
            step = self._step(learning, order)
            progress.steps.append(step)
            over = learning.outcome is not None or step.report.step == self._plan.recipe.steps
            if over and not self._plan.learns_by_itself:
                progress.final = learning.trainer.evaluate_finally()
            resting = over or step.report.step == order.until or len(progress.steps) == order.most
            if time.perf_counter() >= end or step.report.step == order.up_to:
                break
        self._hand_over(learning, progress, resting)

    def _build(self, progress: Progress) -> Learning:
        plan, model = self._plan, None
        if plan.resume_from is not None:
            model = Transformer(plan.cfg, initialise=False)
            model.load_state_dict(plan.resume_from.model.state_dict())
        learning = Learning(plan, plan.keep, model, probes=not plan.learns_by_itself)
        if self._from is not None:
            self._from.opened().put_back(learning)
            self._noted = len(learning.curve)
        else:
            if plan.resume_from is not None and plan.resume_from.training is not None:
                learning.trainer.restore(plan.resume_from.training.state)
            progress.first = snapshot(learning.trainer, None)
        self._learning, self._from = learning, None
        return learning

    def _step(self, learning: Learning, order: Order) -> Step:
        report = learning.step()
        found = report.evaluation
        if found is None:
            picture = order.pictures and is_picture(report.step)
            return Step(report, snapshot=snapshot(learning.trainer, report) if picture else None)
        kept = Keyframe.of(learning).packed() if report.step % order.keep_every == 0 else None
        return Step(replace(report, evaluation=None), found.exact_match, snapshot(learning.trainer, report), kept)

    def _hand_over(self, learning: Learning, progress: Progress, resting: bool) -> None:
        """Adds what has been kept, and where they are due the state and the weights after the newest step."""
        progress.kept, learning.states = learning.states, {}  # whoever asks has them from now on
        progress.curve = [(step, right, loss) for step, right, loss in learning.curve[self._noted :].tolist()]
        self._noted += len(progress.curve)
        progress.outcome = learning.outcome
        if resting or self._state_pace.due():
            newest = progress.steps[-1].state if progress.steps else None
            progress.state = newest or self._state_pace.timed(lambda: Keyframe.of(learning).packed())
        if resting or self._weights_pace.due():
            progress.weights = self._weights_pace.timed(lambda: (learning.steps_taken, learning.parameters()))


class _Pace:
    """When something is due again: after so many seconds, and the later, the longer it takes."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = time.perf_counter() + seconds

    def due(self) -> bool:
        return time.perf_counter() >= self._next

    def timed(self, make: Callable[[], Made]) -> Made:
        start = time.perf_counter()
        made = make()
        end = time.perf_counter()
        self._next = end + max(self._seconds, _SHARE * (end - start))
        return made
