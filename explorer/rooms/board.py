"""The models that a room trains together on letters: a seed for each, or the same seeds for each value of a setting."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from explorer import limits, resources
from explorer.inference.before_training import step_seconds
from explorer.inference.settings import of_task
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory

VARIED = ("d_model", "n_heads", "n_layers", "d_ff")  # settings that may differ
RECORDED = Path(__file__).with_name("recorded_runs.json")
FEWEST, MOST = 8, 40  # models, however many people there are
RIGHT = 0.9  # the share of held-out rows answered right that counts as learned
_SEEDS = 5  # the fewest models for each value of a setting
_TASK = "letters"

Curve = list[tuple[int, float]]  # the share of right rows, by step


class Board:
    """A run of each of these plans, for the step `at` of a script. `viewer`: keeps them under way."""

    def __init__(self, viewer: str, at: int, plans: Sequence[TrainingPlan]):
        scheduler = resources.training_scheduler()
        self.at, self._viewer = at, viewer
        self._runs = [scheduler.add_run(TrainingRun(plan, f"{viewer} {n}"), viewer=viewer) for n, plan in enumerate(plans)]

    def look(self) -> list[RunHistory]:
        """Returns how far all are, and keeps them under way."""
        for run in self._runs:
            resources.training_scheduler().view_run(run.id, self._viewer)
        return [run.history() for run in self._runs]

    @property
    def is_over(self) -> bool:
        return all(run.over for run in self._runs)

    @property
    def stopped(self) -> int:
        """The number of runs that the server has stopped before they learned, such as those that nobody looked at."""
        return sum(run.given_up for run in self._runs)

    def close(self) -> None:
        """Ends the runs and drops them."""
        for run in self._runs:
            resources.training_scheduler().remove_run(run)


@dataclass(frozen=True)
class Recorded:
    """Runs whose plans differ in their seeds alone, made by `python -m tools.recorded_runs` on a day such as 2026-11-27."""

    day: str
    curves: list[Curve]


def recorded() -> Recorded:
    """Returns the runs that come with the app."""
    kept = json.loads(RECORDED.read_text(encoding="utf-8"))
    return Recorded(kept["day"], kept["curves"])


def models_for(people: int, values: int = 1) -> int:
    """Returns how many models so many people train: of each value of a setting, equally many."""
    wanted = min(max(people, FEWEST, _SEEDS * values), MOST)
    return min(-(-wanted // values), MOST // values) * values


def plans(people: int, vary: str = "", values: Sequence[int] = ()) -> list[TrainingPlan]:
    """Plans the models of so many people. Seeds count from 1; the values of the setting `vary` take turns, so that each has the
    same seeds. Nothing else differs, not even the learning rate."""
    usual = of_task(_TASK).plan()
    changes: list[dict[str, Any]] = [{vary: value} for value in values] or [{}]
    seeds = range(1, models_for(people, len(changes)) // len(changes) + 1)
    return [
        TrainingPlan(replace(usual.cfg, **change), usual.task, replace(usual.recipe, seed=seed))
        for seed in seeds
        for change in changes
    ]


def estimate(planned: Sequence[TrainingPlan]) -> float:
    """Estimates the seconds that these take to learn: the steps of the app's own model, timed here, on all cores that train."""
    usual = of_task(_TASK).plan()
    model = resources.model_store().get(usual.key)
    steps = model.last if model is not None else usual.recipe.steps
    timed = {cfg: step_seconds(replace(planned[0], cfg=cfg)) for cfg in {plan.cfg for plan in planned}}
    return sum(steps * timed[plan.cfg] for plan in planned) / max(limits.WORKERS, 1)


def curves(histories: Sequence[RunHistory]) -> list[Curve]:
    """Returns, for each run, the share of right rows by step."""
    return [[(int(step), round(float(right), 3)) for step, right in each.evaluations[:, :2]] for each in histories]


def steps_needed(drawn: Sequence[Curve]) -> list[int | None]:
    """Returns the step at which each run first got so many rows right; None for one that did not."""
    return [next((step for step, right in curve if right >= RIGHT), None) for curve in drawn]
