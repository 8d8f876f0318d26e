"""The result of a run so far: its weights after some of the steps, and its curve."""

import numpy as np
from torch import Tensor

from explorer.learning.engine import Progress
from explorer.learning.plan import TrainingPlan
from transformer_core.training.learned import Learned, Outcome
from transformer_core.training.learning import outcome_of


class LearnedSoFar:
    """Collects all that a `Learned` is made of. Not thread-safe: the run holds a lock around every use.

    Attributes:
        newest: the newest weights: the step, and all parameters, (parameters,) float16 in the order of
            `Transformer.parameters`.
        outcome: how the learning ended, if it ended by itself.
    """

    def __init__(self, plan: TrainingPlan) -> None:
        self._plan = plan
        self.newest: tuple[int, Tensor] | None = None
        self.outcome: Outcome | None = None
        self._states: dict[int, Tensor] = {}
        self._curve: list[tuple[float, float, float]] = []

    def add_progress(self, progress: Progress) -> None:
        self.newest = progress.weights or self.newest
        self._states.update(progress.kept)
        self._curve.extend(progress.curve)
        self.outcome = progress.outcome

    def cut(self, step: int) -> None:
        """Forgets everything after `step`."""
        if self.newest is not None and self.newest[0] > step:
            self.newest = None
        self._states = {at: weights for at, weights in self._states.items() if at <= step}
        self._curve = [row for row in self._curve if row[0] <= step]
        at_its_end = len(self._curve) > 0 and self._curve[-1][0] == step
        self.outcome = outcome_of(self._plan, np.array(self._curve)) if at_its_end else None

    def learned(self, resting: bool, seconds: float) -> Learned | None:
        """Returns what has been learned, in so many seconds of compute; None before the first step that is kept.

        `resting`: the newest weights are kept as well.
        """
        states = dict(self._states)
        if resting and self.newest is not None:
            states[self.newest[0]] = self.newest[1]
        states.pop(0, None)  # drawn from the seed
        if not self._curve or not states:
            return None
        plan, curve = self._plan, np.array(self._curve)
        return Learned(
            plan.cfg,
            plan.task,
            plan.recipe,
            self.outcome or "learned",
            curve,
            plan.evaluated_on,
            states,
            seconds,
            plan.key,
        )
