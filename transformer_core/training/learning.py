"""Learning by a plan, one step at a time: what is kept of it, and when it ends."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from transformer_core.model.transformer import Transformer
from transformer_core.training.learned import Learned, Outcome, parameters_of
from transformer_core.training.learning_plan import LearningPlan
from transformer_core.training.trainer import StepReport, Trainer, TrainingDiverged

_FIRST = 10  # the first step that is kept
_RATIO = 1.35  # ratio between a kept step and the one before it, about
_PATIENT_STEPS = 400  # no judgement before
_GAIN = 0.02  # share right that counts as getting better, within the last quarter of the steps
_LOSS_GAIN = 0.05  # share of the loss, likewise
_NO_LOSS = 0.05  # nats per token: what is below cannot get better


def kept_steps(most: int) -> list[int]:
    """The steps after which the weights are kept: close together in the beginning, where most changes."""
    steps, step = [], float(_FIRST)
    while step < most:
        steps.append(round(step / _FIRST) * _FIRST)
        step *= _RATIO
    return sorted({*steps, most})


def spread_steps(most: int, count: int) -> list[int]:
    """So many steps up to the last, at equal ratios."""
    ratio = (most / _FIRST) ** (1 / count)
    return sorted({round(most / ratio**i) for i in range(count)})


def last_step(plan: LearningPlan, curve: np.ndarray) -> int:
    """The step at which a plan ends, as far as the curve so far tells. Shape: curve (evaluations, 3)"""
    reached = curve[curve[:, 1] >= plan.target, 0]
    if plan.beyond is None or not len(reached):
        return plan.recipe.steps
    return min(round(plan.beyond * int(reached[0])), plan.recipe.steps)


def outcome_of(plan: LearningPlan, curve: np.ndarray) -> Outcome | None:
    """How it ends, judged after the last evaluation of a curve, (evaluations, 3); None while it continues."""
    step = int(curve[-1, 0])
    if step >= last_step(plan, curve):
        return "learned"
    far = curve[:, 1].max() < plan.gives_up
    return "cannot-learn" if far and step >= _PATIENT_STEPS and stands_still(curve) else None


def stands_still(curve: np.ndarray) -> bool:
    """True if neither the share right nor the loss got better from the third quarter of the steps to the last, on average.

    What is learned late shows early in the loss: sums of two numbers have a share right of nearly 0 for 250 steps, and a loss
    that falls all the time. Shape: curve (evaluations, 3)
    """
    quarter = curve[-1, 0] / 4
    third, last = (curve[(curve[:, 0] > n * quarter) & (curve[:, 0] <= (n + 1) * quarter), 1:] for n in (2, 3))
    if not len(third):
        return False
    (share, loss), (share_now, loss_now) = third.mean(axis=0), last.mean(axis=0)
    lower = loss > _NO_LOSS and loss_now < (1 - _LOSS_GAIN) * loss
    return not (share_now > share + _GAIN or lower)


class Course:
    """The course so far of learning by a plan.

    Attributes:
        outcome: None while it is under way.
        rows: of the curve: step, share right, loss.
        states: the weights kept so far, see `Learned`.
        seconds: of compute.
    """

    def __init__(self, plan: LearningPlan) -> None:
        self.plan = plan
        self.outcome: Outcome | None = None
        self.rows: list[tuple[float, float, float]] = []
        self.states: dict[int, Tensor] = {}
        self.seconds = 0.0

    @property
    def curve(self) -> np.ndarray:
        """(evaluations, 3): step, share right, loss"""
        return np.array(self.rows, dtype=np.float64).reshape(-1, 3)

    def cut(self, step: int) -> None:
        """Forgets everything after `step`."""
        self.rows = [row for row in self.rows if row[0] <= step]
        self.states = {at: state for at, state in self.states.items() if at <= step}
        self.outcome = outcome_of(self.plan, self.curve) if self.rows and self.rows[-1][0] == step else None

    def learned(self) -> Learned:
        """The model so far; where it is still learning, as if it ended here."""
        plan = self.plan
        return Learned(
            plan.cfg,
            plan.task,
            plan.recipe,
            self.outcome or "learned",
            self.curve,
            plan.evaluated_on,
            dict(self.states),
            self.seconds,
            plan.key,
        )


class Learning(Course):
    """A model that learns by a plan."""

    def __init__(
        self,
        plan: LearningPlan,
        keep: Sequence[int] | None = None,
        model: Transformer | None = None,
        probes: bool = False,
    ) -> None:
        """`keep`: the steps to keep besides the last one; None for `kept_steps`. `model`: what it begins with, in place of one
        that is drawn from the seed. `probes`: whether somebody looks at it step by step; reports then come with evaluations,
        as often as the recipe says. Else only the share right is measured, and once the target has been reached, only where
        the weights are kept."""
        super().__init__(plan)
        self._probes = probes
        if model is None:
            model = Transformer(plan.cfg, torch.Generator().manual_seed(plan.recipe.seed))
        self.trainer = Trainer(model, plan.rows or plan.task, plan.recipe)
        self._keep = frozenset(kept_steps(plan.recipe.steps) if keep is None else keep)

    @property
    def steps_taken(self) -> int:
        return self.trainer.steps_taken

    def parameters(self) -> Tensor:
        """The weights that would be handed out now. Shape: -> (parameters,) float16"""
        return parameters_of(self.trainer.averaged())

    def go_to(self, curve: np.ndarray, states: Mapping[int, Tensor]) -> None:
        """Call after the trainer was restored to a step: what was noted up to there is noted again, and nothing else."""
        self.rows, self.states = [(step, right, loss) for step, right, loss in curve.tolist()], dict(states)
        self.cut(self.steps_taken)

    def step(self) -> StepReport:
        """Takes a step. Raises TrainingDiverged where that made the loss infinite: nothing has changed then, and it is over."""
        try:
            report = self.trainer.take()
        except TrainingDiverged:
            self.outcome = "diverged"
            self._keep_the_end()
            raise
        self.seconds += report.seconds
        if self._is_measured(report.step):
            if self._probes:
                report = replace(report, evaluation=self.trainer.evaluate())
            evaluation = report.evaluation
            right = self.trainer.share_right() if evaluation is None else evaluation.exact_match
            self.rows.append((report.step, right, report.loss))
            self.outcome = outcome_of(self.plan, self.curve)
        if report.step in self._keep:
            self.states[report.step] = self.parameters()
        if self.outcome is not None:
            self._keep_the_end()
        return report

    def _is_measured(self, step: int) -> bool:
        """Whether the share right is measured after a step: always after one that is kept or is the last."""
        if step in self._keep or step == last_step(self.plan, self.curve):
            return True
        ends_later = self.plan.beyond is not None and any(right >= self.plan.target for _step, right, _loss in self.rows)
        return step % self.plan.recipe.evaluate_every == 0 and (self._probes or not ends_later)

    def _keep_the_end(self) -> None:
        step = self.steps_taken
        if step:
            self.states[step] = self.parameters()
        if not self.rows or self.rows[-1][0] != step:
            self.rows.append((step, self.trainer.share_right(), math.nan))

    def learned(self) -> Learned:
        if self.outcome is None:
            self._keep_the_end()
        return super().learned()
