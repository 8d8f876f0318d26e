"""The models that a room trains together: letters, one seed each."""

from dataclasses import replace
from typing import Any

import numpy as np

from explorer import limits, resources
from explorer.inference.before_training import step_seconds
from explorer.inference.settings import of_task
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory

FEWEST, MOST = 8, 40  # models, however many people there are
RIGHT = 0.9  # of the held-out rows: the share that counts as learned
_TASK = "letters"


class Board:
    """Runs of one plan, each with another seed, counted from 1. `viewer`: keeps them under way."""

    def __init__(self, viewer: str, people: int):
        usual = of_task(_TASK).plan()
        scheduler = resources.training_scheduler()
        self._viewer, self._runs = viewer, list[TrainingRun]()
        for seed in range(1, models_for(people) + 1):
            plan = TrainingPlan(usual.cfg, usual.task, replace(usual.recipe, seed=seed))
            self._runs.append(scheduler.add_run(TrainingRun(plan, f"{viewer} {seed}"), viewer=viewer))

    def look(self) -> list[RunHistory]:
        """Returns how far all are, and keeps them under way."""
        for run in self._runs:
            resources.training_scheduler().view_run(run.id, self._viewer)
        return [run.history() for run in self._runs]

    @property
    def is_over(self) -> bool:
        return all(run.over for run in self._runs)

    def close(self) -> None:
        """Ends the runs and drops them."""
        for run in self._runs:
            resources.training_scheduler().remove_run(run)


def models_for(people: int) -> int:
    """Returns how many models so many people train."""
    return min(max(people, FEWEST), MOST)


def estimate(people: int) -> float:
    """Estimates the seconds that they take to learn: steps of the app's own model, timed here, on all cores that train."""
    usual = of_task(_TASK)
    model, plan = resources.model_store().get(usual.plan().key), usual.plan()
    steps = model.last if model is not None else plan.recipe.steps
    timed = step_seconds(TrainingPlan(plan.cfg, plan.task, plan.recipe))
    return models_for(people) * steps * timed / max(limits.WORKERS, 1)


def curves(histories: list[RunHistory]) -> list[list[tuple[int, float]]]:
    """Returns, for each run, the share of right rows by step."""
    return [[(int(step), round(float(right), 3)) for step, right in each.evaluations[:, :2]] for each in histories]


def steps_needed(histories: list[RunHistory]) -> list[int | None]:
    """Returns the step at which each run first got so many rows right; None for one that did not."""
    found: list[int | None] = []
    for each in histories:
        there: np.ndarray[Any, Any] = np.flatnonzero(each.evaluations[:, 1] >= RIGHT) if len(each.evaluations) else np.array([])
        found.append(int(each.evaluations[there[0], 0]) if len(there) else None)
    return found
