"""The models that rooms train, on letters: each is trained once for the whole server, and comes recorded with the app besides.

The same seed gives the same model in every room. What a room waits for begins when the room is opened; where it takes too long,
the recorded models of the same plans take their place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorer import limits, resources
from explorer.learning import ablations
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.learning.shipped_recordings import shipped
from explorer.learning.snapshots import Snapshot
from explorer.model_on_screen.before_training import step_seconds
from explorer.model_on_screen.settings import of_task
from transformer_core.data.tasks import Task
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.learned import with_parameters

VARIED = ("d_model", "n_heads", "n_layers", "d_ff")  # settings that may differ
MODELS = 40  # that learn beside each other
RIGHT = 0.9  # the share of held-out rows answered right that counts as learned
PEEK_STEPS, COVERED_STEPS = 240, 30
MASKED, OPEN, COVERED = "masked", "open", "covered"  # names of the models that peek or do not
_TASK = "letters"

Curve = list[tuple[int, float]]  # the share of right rows, by step


def letters(seed: int) -> TrainingPlan:
    """Plans a model on letters, as the app itself offers it."""
    usual = of_task(_TASK).plan()
    return TrainingPlan(usual.cfg, usual.task, replace(usual.recipe, seed=seed))


def forty() -> dict[str, TrainingPlan]:
    """Plans the models that a room trains: they differ in their seeds alone, which count from 1."""
    return {name_of(seed): letters(seed) for seed in range(1, MODELS + 1)}


def name_of(seed: int) -> str:
    return f"letters {seed}"


def varied(setting: str, values: Sequence[int]) -> dict[str, TrainingPlan]:
    """Plans as many models with these values of a setting; values take turns, so that each has the same seeds, and nothing else
    differs, not even the learning rate."""
    seeds = range(1, MODELS // len(values) + 1)
    plans = {}
    for seed in seeds:
        for value in values:
            usual = letters(seed)
            change: dict[str, Any] = {setting: value}
            plans[f"letters {seed} {setting} {value}"] = replace(usual, cfg=replace(usual.cfg, **change))
    return plans


def peeking(seed: int = 1) -> dict[str, TrainingPlan]:
    """Plans two models that take equally many steps: one with the causal mask, and one that may peek while it learns."""
    usual = letters(seed)
    plan = replace(usual, recipe=replace(usual.recipe, steps=PEEK_STEPS, evaluate_every=PEEK_STEPS))
    return {MASKED: plan, OPEN: replace(plan, cfg=replace(plan.cfg, causal=False))}


def covered(peeked: RunHistory) -> TrainingPlan:
    """Plans the second of these two to take some steps more, with the mask; from random weights where its own are not known,
    as of one that comes with the app."""
    plan = peeked.plan
    recipe = replace(plan.recipe, steps=COVERED_STEPS, evaluate_every=COVERED_STEPS)
    goes_on = replace(plan, cfg=replace(plan.cfg, causal=True), recipe=recipe)
    if peeked.weights is None:
        return goes_on
    return replace(goes_on, resume_from=Checkpoint(with_parameters(goes_on.cfg, peeked.weights)))


@dataclass(frozen=True)
class Learned:
    """How far some models are.

    Attributes:
        made: those that have learned, by name; under_way: histories of all that have begun, in the order of the plans.
    """

    plans: Mapping[str, TrainingPlan]
    made: Mapping[str, RunHistory]
    under_way: Sequence[RunHistory | None]

    @property
    def is_over(self) -> bool:
        return len(self.made) == len(self.plans)

    @property
    def failed(self) -> bool:
        """True if one has ended without having learned, as the server's fault."""
        return any(each.final is None for each in self.made.values())


def look(plans: Mapping[str, TrainingPlan], viewer: str) -> Learned:
    """Returns how far these models are; begins those that have not begun, and keeps them under way. Raises InputError if the
    server has no room for them."""
    recordings = resources.recordings()
    by_name = {name: recordings.get(name, plan, viewer) for name, plan in plans.items()}
    made = {name: each for name, each in by_name.items() if each is not None}
    return Learned(plans, made, [recordings.under_way(name) for name in plans])


def recorded(plans: Mapping[str, TrainingPlan]) -> Learned | None:
    """Returns these models as they come with the app; None if one of them does not, or if there are none."""
    recordings = {name: shipped(name, plan) for name, plan in plans.items()}
    made = {name: each for name, each in recordings.items() if each is not None}
    return Learned(plans, made, [*made.values()]) if 0 < len(made) == len(plans) else None


def seconds_left(learned: Learned) -> float:
    """Estimates the seconds until all of these have learned: by the steps of the app's own model, timed here, on all cores that
    train."""
    usual = of_task(_TASK).plan()
    model = resources.model_store().get(usual.key)
    steps = model.last if model is not None else usual.recipe.steps
    taken = 0.0
    for (name, plan), history in zip(learned.plans.items(), learned.under_way, strict=True):
        if name not in learned.made:
            left = min(steps, plan.recipe.steps) - (history.step if history is not None else 0)
            taken += max(left, 1) * step_seconds(plan)
    return taken / min(max(limits.WORKERS, 1), len(learned.plans))


def curves(histories: Sequence[RunHistory | None]) -> list[Curve]:
    """Returns, for each run, the share of right rows by step."""
    evaluated: list[Any] = [each.evaluations[:, :2] if each is not None else [] for each in histories]
    return [[(int(step), round(float(right), 3)) for step, right in each] for each in evaluated]


def steps_needed(drawn: Sequence[Curve]) -> list[int | None]:
    """Returns the step at which each run first got so many rows right; None for one that did not."""
    return [next((step for step, right in curve if right >= RIGHT), None) for curve in drawn]


def rows(history: RunHistory) -> list[str]:
    """Returns the rows of the task that a model is asked while it learns."""
    snapshot = history.snapshots[0]
    return [_text(_task(), ids) for ids in snapshot.probe.src.tolist()]


def written(snapshot: Snapshot) -> list[str]:
    """Returns what a model writes for these rows after a step; the first letter is given."""
    return [_text(_task(), ids) for ids in snapshot.decoded.tolist()]


def before_learning(seed: int = 1) -> tuple[list[str], list[str]]:
    """Returns the rows of the task, and what a model writes for them before its first step."""
    first = ablations.untrained(letters(seed))
    return [_text(_task(), ids) for ids in first.probe.src.tolist()], written(first)


def _task() -> Task:
    return letters(1).task


def _text(task: Task, ids: list[int]) -> str:
    return "".join(task.vocabulary.decode([each for each in ids if each != task.pad_id]))
