"""Computes a run: takes steps when ordered to, and hands over the progress.

The same engine trains in a thread of the server, in a worker process and on another machine; it knows of none of them.
"""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from torch import Tensor

from explorer.i18n import N_
from explorer.learning.plan import TrainingPlan
from explorer.learning.slow_motion import is_picture
from explorer.learning.snapshots import Keyframe, Packed, Snapshot, snapshot
from transformer_core import StepReport, TrainingDiverged, Transformer
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.learned import Outcome
from transformer_core.training.learning import Learning
from transformer_core.training.race import RaceRow

WEIGHTS_EVERY = 0.1  # seconds between two copies of the weights to look at
_SHARE = 40  # copies that no order asks for take at most 1/_SHARE of the time

Made = TypeVar("Made")


@dataclass(frozen=True)
class Order:
    """An order to take steps for about `seconds`, but at least one step.

    Attributes:
        most: steps at most; with 0 the engine takes none, and only hands over its state and its weights.
        until: the step to pause at.
        up_to: the last step that is due in slow motion; the engine stops there. None: there is no such limit.
        pictures: whether to take snapshots for slow motion, besides those of evaluated steps.
        keep_every: evaluated steps at multiples of it come with the state after them, see `Timeline.every`.
    """

    seconds: float = 0.0
    most: int | None = None
    until: int | None = None
    up_to: int | None = None
    pictures: bool = False
    keep_every: int = 1


@dataclass(frozen=True)
class Step:
    """A step that was taken: its report, without tensors; if it was evaluated, the exact match, a snapshot and the state."""

    report: StepReport
    exact_match: float | None = None
    snapshot: Snapshot | None = None
    state: Packed | None = None


@dataclass(frozen=True)
class Failure:
    """The reason why no further step can be taken: a message's template and values. `log`: an unexpected error's traceback."""

    template: str
    values: dict[str, Any]
    log: str | None = None


@dataclass
class Progress:
    """The result of an order.

    Attributes:
        first: the snapshot before the first step, in the first progress of a run that starts anew.
        state: the state after the newest step, if a copy was due or the engine comes to rest.
        weights: on the same conditions the newest step and its parameters, (parameters,) float16 in the order of
            `Transformer.parameters`.
        kept, curve: new weights of steps that are kept, and new rows of the curve, see `Learned`.
        outcome: how the learning ended; None while it goes on, or when an error ended it.
        final: the final evaluation; only of a run that a person started.
        race: of a race, how all its models have run so far.
        seconds: seconds of compute, evaluations included; computed: those in which the engine had a core.
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
    race: tuple[RaceRow, ...] = ()
    seconds: float = 0.0
    computed: float = 0.0


class Engine:
    """Trains a model by a plan, from the plan's beginning or from a state."""

    def __init__(self, plan: TrainingPlan, state: Packed | None = None, save_every: float = float("inf")) -> None:
        """`save_every`: seconds after which progress includes the state, though the engine does not rest."""
        self._plan, self._from = plan, state
        self._learning: Learning | None = None
        self._handed_over = 0  # rows of the curve that earlier progress included
        self._state_due, self._weights_due = _Interval(save_every), _Interval(WEIGHTS_EVERY)

    def advance(self, order: Order) -> Progress:
        """Follows an order. Raises nothing: the progress has the error, and the steps taken before it."""
        progress, began, had = Progress(), time.perf_counter(), time.thread_time()
        try:
            self._follow(order, progress)
        except TrainingDiverged as error:
            progress.failure = Failure(error.template, error.values)
            assert self._learning is not None
            self._hand_over(self._learning, progress, resting=True)  # a step that diverges changes nothing
        except Exception as error:  # it concerns this run alone, and its page shows it
            words = N_("The run ended with an error: {error}")
            progress.failure = Failure(words, {"error": str(error)}, traceback.format_exc())
        progress.seconds, progress.computed = time.perf_counter() - began, time.thread_time() - had
        return progress

    def keyframe(self) -> Keyframe:
        """The state after the latest step, or at the beginning where no step was taken."""
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
            self._handed_over = len(learning.curve)
        else:
            if plan.resume_from is not None and plan.resume_from.training is not None:
                learning.trainer.restore(plan.resume_from.training.state)
            progress.first = snapshot(learning.trainer, None)
        self._learning, self._from = learning, None
        return learning

    def _step(self, learning: Learning, order: Order) -> Step:
        report = learning.step()
        evaluation = report.evaluation
        if evaluation is None:
            picture = order.pictures and is_picture(report.step)
            return Step(report, snapshot=snapshot(learning.trainer, report) if picture else None)
        kept = Keyframe.of(learning).packed() if report.step % order.keep_every == 0 else None
        return Step(replace(report, evaluation=None), evaluation.exact_match, snapshot(learning.trainer, report), kept)

    def _hand_over(self, learning: Learning, progress: Progress, resting: bool) -> None:
        """Adds to the progress the weights that are kept and the new rows of the curve; when they are due, or the engine is
        `resting` (takes no step before another order), also the state and the newest weights."""
        progress.kept, learning.states = learning.states, {}  # the server has them from now on
        progress.curve = [(step, right, loss) for step, right, loss in learning.curve[self._handed_over :].tolist()]
        self._handed_over += len(progress.curve)
        progress.outcome = learning.outcome
        if resting or self._state_due.due():
            newest = progress.steps[-1].state if progress.steps else None
            progress.state = newest or self._state_due.timed(lambda: Keyframe.of(learning).packed())
        if resting or self._weights_due.due():
            progress.weights = self._weights_due.timed(lambda: (learning.steps_taken, learning.parameters()))


class _Interval:
    """Tells when a copy is due again: after some seconds, or later where copying takes long (see `_SHARE`)."""

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
