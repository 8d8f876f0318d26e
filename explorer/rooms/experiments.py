"""The models that rooms train, to copy letters or to repeat them: each is trained once for the whole server, and comes recorded
with the app besides.

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
from explorer.learning.shipped_recordings import LayerShares, contents, shipped
from explorer.learning.snapshots import Snapshot
from explorer.model_on_screen import repeat_course
from explorer.model_on_screen.before_training import step_seconds
from explorer.model_on_screen.settings import of_task
from transformer_core.analysis.repeat_heads import head_scores
from transformer_core.data.tasks import RepeatTask, Task
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.learned import with_parameters

VARIED = ("d_model", "n_heads", "n_layers", "d_ff")  # settings that may differ
MODELS = 40  # that learn beside each other
LETTERS, REPEAT = "letters", RepeatTask.name
RIGHT = {LETTERS: 0.9, REPEAT: 0.85}  # by task, the share right that counts as learned
OTHER_STEPS = 500  # the most of a model that repeats and differs in a setting: with one layer it does not get there
PEEK_STEPS, COVERED_STEPS = 240, 30
MASKED, OPEN, COVERED = "masked", "open", "covered"  # names of the models that peek or do not

Curve = list[tuple[int, float]]  # the share right, by step


def planned(seed: int, task: str = LETTERS) -> TrainingPlan:
    """Plans a model of a task, as the app itself offers it."""
    usual = of_task(task).plan()
    return TrainingPlan(usual.cfg, usual.task, replace(usual.recipe, seed=seed), usual.target)


def forty(task: str = LETTERS) -> dict[str, TrainingPlan]:
    """Plans the models that a room trains: they differ in their seeds alone, which count from 1."""
    return {name_of(seed, task): planned(seed, task) for seed in range(1, MODELS + 1)}


def name_of(seed: int, task: str = LETTERS) -> str:
    return f"{task} {seed}"


def varied(setting: str, values: Sequence[int], task: str = LETTERS) -> dict[str, TrainingPlan]:
    """Plans as many models with these values of a setting; values take turns, so that each has the same seeds, and nothing else
    differs, not even the learning rate."""
    seeds = range(1, MODELS // len(values) + 1)
    return {
        f"{name_of(seed, task)} {setting} {value}": _with(planned(seed, task), setting, value)
        for seed in seeds
        for value in values
    }


def another(seed: int, task: str = LETTERS, layers: int = 0) -> dict[str, TrainingPlan]:
    """Plans one more model, with another number of layers if there are any."""
    name, plan = name_of(seed, task), planned(seed, task)
    return {f"{name} n_layers {layers}": _with(plan, "n_layers", layers)} if layers else {name: plan}


def _with(plan: TrainingPlan, setting: str, value: int) -> TrainingPlan:
    change: dict[str, Any] = {setting: value}
    recipe = replace(plan.recipe, steps=OTHER_STEPS) if plan.task.name == REPEAT else plan.recipe
    return replace(plan, cfg=replace(plan.cfg, **change), recipe=recipe)


def peeking(seed: int = 1) -> dict[str, TrainingPlan]:
    """Plans two models that take equally many steps: one with the causal mask, and one that may peek while it learns."""
    usual = planned(seed)
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
    usual = of_task(next(iter(learned.plans.values())).task.name).plan()
    model = resources.model_store().get(usual.key)
    steps = model.last if model is not None else usual.recipe.steps
    taken = 0.0
    for (name, plan), history in zip(learned.plans.items(), learned.under_way, strict=True):
        if name not in learned.made:
            left = min(steps, plan.recipe.steps) - (history.step if history is not None else 0)
            taken += max(left, 1) * step_seconds(plan)
    return taken / min(max(limits.WORKERS, 1), len(learned.plans))


def curves(histories: Sequence[RunHistory | None]) -> list[Curve]:
    """Returns, for each run, the share right by step."""
    evaluated: list[Any] = [each.evaluations[:, :2] if each is not None else [] for each in histories]
    return [[(int(step), round(float(right), 3)) for step, right in each] for each in evaluated]


def steps_needed(drawn: Sequence[Curve], task: str = LETTERS) -> list[int | None]:
    """Returns the step at which each run first got so much right; None for one that did not."""
    return [next((step for step, right in curve if right >= RIGHT[task]), None) for curve in drawn]


def head_shares(histories: Mapping[str, RunHistory]) -> list[LayerShares]:
    """Measures the heads of models that learn to repeat, at their end; of those that come with the app, it was measured."""
    return [_heads_of(each) if each.weights is not None else contents().heads[name] for name, each in histories.items()]


def _heads_of(history: RunHistory) -> LayerShares:
    assert history.weights is not None
    scores = head_scores(with_parameters(history.plan.cfg, history.weights), repeat_course.rows())
    after, before = (each.max(axis=1).round(3).tolist() for each in (scores.after, scores.before))
    return LayerShares(after, before)


def rows(task: Task, snapshot: Snapshot) -> list[str]:
    """Returns the rows that a model is asked while it learns; of a decoder alone, those that it reads."""
    asked = snapshot.probe.src if snapshot.probe.judged is None else snapshot.probe.labels
    return [_text(task, ids) for ids in asked.tolist()]


def written(task: Task, snapshot: Snapshot) -> list[str]:
    """Returns what a model writes for these rows after a step; the first letter is given. Of a decoder alone, what it says next
    at each place that is judged, and a blank elsewhere."""
    if (judged := snapshot.probe.judged) is None:
        return [_text(task, ids) for ids in snapshot.decoded.tolist()]
    said = [task.vocabulary.decode(ids) for ids in snapshot.decoded[:, 1:].tolist()]
    return [
        "".join((word if len(word) == 1 else "·") if counts else " " for word, counts in zip(words, places, strict=True))
        for words, places in zip(said, judged.tolist(), strict=True)
    ]


def before_learning(seed: int = 1, task: str = LETTERS) -> tuple[list[str], list[str]]:
    """Returns the rows of a task, and what a model writes for them before its first step."""
    plan = planned(seed, task)
    first = ablations.untrained(plan)
    return rows(plan.task, first), written(plan.task, first)


def _text(task: Task, ids: list[int]) -> str:
    return "".join(task.vocabulary.decode([each for each in ids if each != task.pad_id]))
