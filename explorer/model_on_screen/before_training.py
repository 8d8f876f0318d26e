"""The model before its first step, and the duration of a step on this machine."""

import time
from dataclasses import dataclass, replace

from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Snapshot, snapshot
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import seconds_of_a_step

_TIMED = 5  # steps, after a first one, which takes longer
_LONGEST = 0.3  # estimated seconds of a step that is still timed while somebody waits for the page
_RATE = 1e-4  # low, so that the timed steps do not change how long a step takes


@dataclass(frozen=True, eq=False)
class Beginning:
    """A snapshot before the first step, and the seconds of a step with its share of the evaluations;
    None if a step takes too long to be timed.
    """

    first: Snapshot
    step_seconds: float | None


@shared_cache(2**24, key=lambda plan: (plan.cfg, plan.task, plan.recipe.seed, plan.recipe.batch_size))
def beginning(plan: TrainingPlan) -> Beginning:
    """Snapshots the untrained model and times its steps on the CPU, whatever device the run will use."""
    learning = Learning(replace(plan, recipe=replace(plan.recipe, device="cpu", rate=_RATE)), plan.keep)
    first = snapshot(learning.trainer, None)
    return Beginning(first, _timed(learning) if seconds_of_a_step(plan) <= _LONGEST else None)


def _timed(learning: Learning) -> float:
    trainer = learning.trainer
    trainer.take()
    steps, evaluations = [trainer.take().seconds for _ in range(_TIMED)], []
    for _ in range(2):
        began = time.perf_counter()
        trainer.evaluate()
        evaluations.append(time.perf_counter() - began)
    # The minimum: other work on this machine slows some steps, and the result is cached.
    return min(steps) + min(evaluations) / learning.plan.recipe.evaluate_every


def step_seconds(plan: TrainingPlan) -> float:
    """Returns the seconds of a step on this machine's CPU.

    A step that takes too long to be timed is estimated from one of the smallest usual model, by their operations.
    """
    timed = beginning(plan).step_seconds
    if timed is not None:
        return timed
    usual = of_task("copy").plan()
    small = TrainingPlan(usual.cfg, usual.task, usual.recipe)
    return (beginning(small).step_seconds or 0.0) * seconds_of_a_step(plan) / seconds_of_a_step(small)
