"""The model before its first step, and the duration of a step on this machine."""

import time
from dataclasses import replace
from functools import lru_cache

from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Snapshot, snapshot
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import seconds_of_a_step

_TIMED = 5  # steps, after a first one, which takes longer
_RATE = 1e-4  # low, so that the timed steps do not change how long a step takes


@shared_cache(2**24, key=lambda plan: (plan.cfg, plan.task, plan.recipe.seed, plan.recipe.batch_size))
def first_snapshot(plan: TrainingPlan) -> Snapshot:
    """Snapshots the untrained model."""
    return snapshot(_on_the_cpu(plan).trainer, None)


def step_seconds(plan: TrainingPlan) -> float:
    """Estimates the seconds of a step on this machine's CPU, with its share of the evaluations.

    Steps of one small model are timed, once; others take as much longer as their sizes say. To time each setting that somebody
    turns to would take a second of the server, for which everybody waits.
    """
    small = _small_plan()
    return _small_step() * seconds_of_a_step(plan) / seconds_of_a_step(small)


@lru_cache(1)
def _small_step() -> float:
    learning = _on_the_cpu(_small_plan())
    trainer = learning.trainer
    trainer.take()
    steps, evaluations = [trainer.take().seconds for _ in range(_TIMED)], []
    for _ in range(2):
        began = time.perf_counter()
        trainer.evaluate()
        evaluations.append(time.perf_counter() - began)
    # The minimum: other work on this machine slows some steps, and the result is kept.
    return min(steps) + min(evaluations) / learning.plan.recipe.evaluate_every


def _small_plan() -> TrainingPlan:
    usual = of_task("copy").plan()
    return TrainingPlan(usual.cfg, usual.task, replace(usual.recipe, rate=_RATE))


def _on_the_cpu(plan: TrainingPlan) -> Learning:
    return Learning(replace(plan, recipe=replace(plan.recipe, device="cpu")), plan.keep)
