"""The plan by which a model of given settings learns its task: all follows from the settings, so that equal settings give equal
weights."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from everyday.translation import TRANSLATIONS
from transformer_core.data.pairs import MOST
from transformer_core.data.tasks import (
    DATA_VERSIONS,
    SYMBOL_TASKS,
    TASKS,
    ManySentences,
    OwnTask,
    PairsTask,
    RepeatTask,
    Task,
    TextTask,
    task_to_dict,
)
from transformer_core.data.texts import MOST_LINES
from transformer_core.errors import InputError
from transformer_core.model.config import PRESETS, TransformerConfig
from transformer_core.training.cost import count_by_formula, forward_flops
from transformer_core.training.trainer import STEP_VERSION, Recipe

_WIDTH = 64  # the width for which the rates below were found; they fall with the width
_DEEP = 4  # layers from which a model needs a lower rate
_SENTENCES = 600_000  # of a language whose usual model is learned beforehand: drawing them takes minutes
_EVERYDAY_STEPS, _PRONOUN_STEPS = 26_000, 400  # of models that are learned beforehand
_MANY_PAIRS = 80  # of somebody's own, from which a model needs no more regularisation than usual
_REPEATED = 0.85  # of the letters of a repetition; a letter with two successors cannot always be right
FEWEST = 150  # steps: with fewer, nothing is learned
_LATER = {"stacks": "both", "cross_position": False}  # settings that came later, as models were before
# Tokens of a source, and of a target with its end, in a batch for training, on average; of other tasks they are the most.
_TYPICAL = {"everyday-fr": (6, 9), "everyday-zh": (7, 9), "small-fr": (6, 8), "small-zh": (7, 9)}


@dataclass(frozen=True)
class LearningPlan:
    """All that determines what a model learns, and when it has learned it.

    Attributes:
        recipe: how it is trained; `recipe.steps` is the most it may take.
        target: share of held-out rows answered right at which the task counts as learned.
        beyond: it is trained on to this many times the steps that the target took: attention is sharper then. None: all steps
            are taken, whatever was reached before.
        gives_up: a share right; as long as no more has been reached, it ends where it has not been getting better for a while.
            0: it never does.
        rows: what it learns from, where that is not what comes with the task. It is evaluated on held-out rows of the same.
    """

    cfg: TransformerConfig
    task: Task
    recipe: Recipe
    target: float = 0.99
    beyond: float | None = 1.5
    gives_up: float = 0.9
    rows: Task | None = None

    @cached_property
    def key(self) -> str:
        """The name of the model that learns by it. Everything that changes its weights is in it; 16 hexadecimal digits."""
        facts = {
            "task": task_to_dict(self.task),
            "rows": None if self.rows is None else task_to_dict(self.rows),
            "data": DATA_VERSIONS.get(self.task.name, 1),
            "config": _values(self.cfg),
            "recipe": _values(self.recipe),
            "end": [self.target, self.beyond, self.gives_up],
            "step": STEP_VERSION,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def evaluated_on(self) -> int:
        """The number of rows in each evaluation: there may be fewer than its recipe asks for."""
        return min(self.recipe.evaluate_on, (self.rows or self.task).held_out_rows)

    @property
    def has_other_rows(self) -> bool:
        """True if there are held-out rows that no evaluation looks at."""
        return self.has_held_out and self.evaluated_on < (self.rows or self.task).held_out_rows

    @property
    def has_held_out(self) -> bool:
        """True if the rows of its evaluations are in no batch of training."""
        return (self.rows or self.task).has_held_out


def _values(settings: TransformerConfig | Recipe) -> dict[str, Any]:
    """All plain values: `asdict` takes ten times as long. What has come later is left out where it is as it always was, so that
    models keep their keys."""
    values = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in values.items() if name not in _LATER or value != _LATER[name]}


def default_config(task: str) -> TransformerConfig:
    """The sizes with which a task, given by its name, is learned well in its time."""
    vocab = TASKS[task]().vocab
    tiny = replace(PRESETS["tiny"], src_vocab=vocab, tgt_vocab=vocab)
    if task == RepeatTask.name:  # with one head a layer, one does the work, and it can be found and cut
        return replace(tiny, stacks="decoder", n_layers=2, n_heads=1)
    if task.startswith("stories"):
        return replace(tiny, stacks="decoder", n_layers=2)
    if is_everyday(task):
        return replace(tiny, d_model=88, n_layers=2, d_ff=256)
    if task.startswith("pronoun"):
        return replace(tiny, n_layers=2)
    if task.startswith("addition"):
        return replace(tiny, n_layers=2, position="learned")
    return tiny


def is_everyday(task: str) -> bool:
    """True for a whole everyday language, which takes long to learn."""
    return task in TRANSLATIONS and task.startswith("everyday")


def has_thorough_plan(task: str) -> bool:
    """True for a task whose models may have been learned beforehand, for longer than anybody waits."""
    return is_everyday(task) or task.startswith("pronoun")


def plans_for(task: str, cfg: TransformerConfig, seed: int) -> tuple[LearningPlan, ...]:
    """The plans of the models that may be shown for these settings, the best first; the last is the one by which such a model
    learns while somebody waits, see `plan_for`."""
    thorough = [thorough_plan(task, cfg, seed, device) for device in ("cpu", "cuda")] if has_thorough_plan(task) else []
    return (*thorough, plan_for(task, cfg, seed))


def thorough_plan(task: str, cfg: TransformerConfig, seed: int, device: str = "cpu") -> LearningPlan:
    """The plan for models that are learned beforehand, such as those that come with the package: all its steps, whatever was
    reached before. A language is learned with a rate that decays to nearly 0, and averaged weights; the usual model of it from
    more sentences, with all their right answers. The pronouns' weights are not averaged.

    Args:
        task: the name of one that has such a plan, see `has_thorough_plan`.
    """
    if not is_everyday(task):
        plan = plan_for(task, cfg, seed)
        recipe = replace(plan.recipe, steps=_PRONOUN_STEPS, average=0.0, device=device)
        return replace(plan, recipe=recipe, beyond=None, gives_up=0.0)
    steps = _EVERYDAY_STEPS
    recipe = Recipe(
        steps=steps,
        batch_size=64,
        rate=min(2.5e-3 * 88 / cfg.d_model, 5e-3),
        warmup=200,
        schedule="cosine",
        average=0.004,
        seed=seed,
        device=device,
        evaluate_every=1000,
        evaluate_on=600,
    )
    # It gains little while its rate is high, and most when that falls: it must not end before.
    rows = ManySentences(task, draws=_SENTENCES) if cfg == default_config(task) else None
    return LearningPlan(cfg, TASKS[task](), recipe, beyond=None, gives_up=0.0, rows=rows)


def recipe_for(task: str, cfg: TransformerConfig, seed: int) -> Recipe:
    """The recipe for a task, given by its name, that has all the time it wants."""
    rate = 3e-3 * _WIDTH / max(cfg.d_model, _WIDTH // 4)
    if task in SYMBOL_TASKS and _copies_at_twice_the_rate(cfg):
        rate = min(2 * rate, 12e-3)
    elif is_everyday(task) and cfg.norm == "pre" and cfg.n_layers < _DEEP:
        rate = max(rate, min(2 * rate, 6e-3))  # 81.5 % of 600 right after 1,500 steps at the usual sizes
    elif cfg.norm == "post" and cfg.n_layers >= _DEEP and cfg.d_model >= 2 * _WIDTH:
        rate = min(rate, 1e-3)
    usual = Recipe(steps=1500, rate=rate, warmup=60, average=0.05, seed=seed, device="cpu")
    if task == RepeatTask.name:
        return replace(usual, steps=1000, batch_size=64, rate=2 * rate, warmup=30)
    if task.startswith("stories"):
        return replace(usual, steps=1000, batch_size=64, rate=2 * rate)
    if is_everyday(task):
        return replace(usual, batch_size=64, warmup=100, schedule="cosine", average=0.02, evaluate_every=100)
    if task.startswith("pronoun"):
        return replace(usual, steps=1000, batch_size=64, warmup=100)
    if task.startswith(("small", "addition")):
        return replace(usual, batch_size=64, warmup=100)
    return usual


def _copies_at_twice_the_rate(cfg: TransformerConfig) -> bool:
    """True for settings with which numbers are learned sooner at twice the rate. Wider ones then sort worse, and with one
    matrix for all embeddings reversing takes nearly three times the steps."""
    return cfg.norm == "pre" and cfg.tie_embeddings != "all" and cfg.n_layers < _DEEP and cfg.d_model <= 2 * _WIDTH


def plan_for(task: str, cfg: TransformerConfig, seed: int) -> LearningPlan:
    """The plan of a task's name and a configuration of its vocabulary. It has as many steps as one thread has time for: where
    these are very few, it can be learned beforehand, but not while somebody waits (see `check_in_time`)."""
    plan = LearningPlan(cfg, TASKS[task](), recipe_for(task, cfg, seed))
    if task == RepeatTask.name:
        plan = replace(plan, target=_REPEATED)
    if is_everyday(task):
        plan = replace(plan, beyond=None, gives_up=0.05)
    affordable = int(_most_seconds(task) / seconds_of_a_step(plan))
    return limit_steps(plan, max(min(plan.recipe.steps, affordable // 10 * 10), FEWEST))


def pairs_plan(task: PairsTask, seed: int) -> LearningPlan:
    """The plan for somebody's own pairs: seconds; where they are few with more dropout, and with label smoothing (section 5.4),
    as `tools/pairs_sweep.py` has found. All its steps are taken: if the held-out rows decided when it ends, too many of them
    would be right.
    """
    few = len(task.pairs) < _MANY_PAIRS
    cfg = replace(PRESETS["tiny"], src_vocab=task.vocab, tgt_vocab=task.vocab, dropout=0.3 if few else 0.1)
    recipe = Recipe(steps=400, average=0.05, seed=seed, evaluate_on=MOST, label_smoothing=0.1 if few else 0.0)
    return LearningPlan(cfg, task, recipe, target=1.0, beyond=None, gives_up=0.0)


def text_plan(task: TextTask, seed: int) -> LearningPlan:
    """The plan for somebody's own text: a decoder alone of two layers, all of whose steps are taken, as for pairs. After 200 it
    names the colour at the end of 12 of 12 held-out lines of `examples/colours.txt`; with a dropout of 0.3, after 300 to 400.
    """
    tiny = replace(PRESETS["tiny"], src_vocab=task.vocab, tgt_vocab=task.vocab, stacks="decoder", n_layers=2)
    recipe = Recipe(steps=300, average=0.05, seed=seed, evaluate_on=MOST_LINES)
    return LearningPlan(replace(tiny, dropout=0.1), task, recipe, target=1.0, beyond=None, gives_up=0.0)


def own_plan(task: OwnTask, seed: int) -> LearningPlan:
    """The plan for what somebody brings."""
    return text_plan(task, seed) if isinstance(task, TextTask) else pairs_plan(task, seed)


def limit_steps(plan: LearningPlan, steps: int) -> LearningPlan:
    """The same plan with so many steps at most, of which the warm-up takes no more than a quarter."""
    warmup = max(min(plan.recipe.warmup, steps // 4), 1)
    return replace(plan, recipe=replace(plan.recipe, steps=steps, warmup=warmup))


# --- The time that it takes. ------------------------------------------------------------------------------------------------


def _most_seconds(task: str) -> float:
    """Seconds that one thread may spend on a model while somebody waits."""
    return 60.0 if is_everyday(task) else 30.0


def seconds_of_a_step(plan: LearningPlan) -> float:
    """About how long a step takes, its share of the evaluations included, on one thread of a machine on which the default
    copy run reaches its target in two seconds. An estimate from the sizes, not a measurement: plans must not depend on the
    machine."""
    cfg, recipe = plan.cfg, plan.recipe
    step = _flops(cfg, recipe.batch_size, _TYPICAL.get(plan.task.name, plan.task.longest))
    evaluation = _flops(cfg, recipe.evaluate_on, plan.task.longest)
    forward, launch = 18e-12, 1.4e-3 + 3.7e-3 * cfg.n_layers  # seconds for each operation, and for starting all of them
    weights = 4e-9 * count_by_formula(cfg)  # Adam's
    return 3 * forward * step + launch + weights + (forward * evaluation + launch) / recipe.evaluate_every


def _flops(cfg: TransformerConfig, rows: int, lengths: tuple[int, int]) -> int:
    return sum(forward_flops(cfg, rows, *lengths).values())


def check_in_time(plan: LearningPlan) -> None:
    """Raises InputError for a model so large that hardly any of its steps fit into the time for which somebody would wait."""
    cfg, name = plan.cfg, plan.task.name
    if _in_time(plan):
        return
    smaller: dict[str, Iterable[int]] = {
        "d_model": (width for width in range(cfg.d_model - 8, 0, -8) if width % cfg.n_heads == 0),
        "n_layers": range(cfg.n_layers - 1, 0, -1),
        "d_ff": (cfg.d_ff // 2**i for i in range(1, 5)),
    }
    nearest = {}
    for setting, values in smaller.items():
        plans = ((value, plan_for(name, _changed(cfg, setting, value), plan.recipe.seed)) for value in values)
        if (fits := next((value for value, each in plans if _in_time(each)), None)) is not None:
            nearest[setting] = (fits,)
    raise InputError(
        "Even {steps} steps of learning would take {needed:.0f} seconds on one core for a model of this size, and {most:.0f} "
        "are allowed; make it smaller.",
        needed=FEWEST * seconds_of_a_step(plan),
        steps=FEWEST,
        most=_most_seconds(name),
        nearest=nearest,
    )


def _changed(cfg: TransformerConfig, setting: str, value: int) -> TransformerConfig:
    changes: dict[str, Any] = {setting: value}
    return replace(cfg, **changes)


def _in_time(plan: LearningPlan) -> bool:
    return FEWEST * seconds_of_a_step(plan) <= _most_seconds(plan.task.name)
