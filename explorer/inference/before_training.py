"""What can be known of a training before it starts: what the model does then, and how long a step takes on this machine."""

import time
from dataclasses import dataclass, replace

from explorer.inference.settings import of_task
from explorer.inference.shared_cache import shared_cache
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import Snapshot, snapshot
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import seconds_of_a_step

_TIMED = 5  # steps, behind a first one, which takes longer
_LONGEST = 0.3  # seconds that a step may take by estimate, to be timed while somebody waits for the page
_RATE = 1e-4  # with which nothing is learned meanwhile that could change the time of a step


@dataclass(frozen=True, eq=False)
class Beginning:
    """What the model does before the first step, and how many seconds a step takes, its share of the evaluations included;
    None where it takes too long to be timed."""

    first: Snapshot
    step_seconds: float | None


@shared_cache(2**24, key=lambda plan: (plan.cfg, plan.task, plan.recipe.seed, plan.recipe.batch_size))
def beginning(plan: TrainingPlan) -> Beginning:
    """On the CPU, whatever the run itself is to use."""
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
    # The quickest of each: others that compute at the moment come and go, and this is kept.
    return min(steps) + min(evaluations) / learning.plan.recipe.evaluate_every


def step_seconds(plan: TrainingPlan) -> float:
    """The seconds of a step on this machine's CPU: timed; or where that takes too long, those of a step of the smallest usual
    model, times what it has more to compute."""
    timed = beginning(plan).step_seconds
    if timed is not None:
        return timed
    usual = of_task("copy").plan()
    small = TrainingPlan(usual.cfg, usual.task, usual.recipe)
    return (beginning(small).step_seconds or 0.0) * seconds_of_a_step(plan) / seconds_of_a_step(small)
