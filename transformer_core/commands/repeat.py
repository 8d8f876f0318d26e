"""The command that repeats a training: the options of `train` that make the same model, to the last bit on the same machine."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import fields
from io import StringIO
from typing import Any

from transformer_core.commands.options import MODEL_OPTIONS, PAPERS_RATE, special_ids, usual_config
from transformer_core.data.pairs import Pair
from transformer_core.data.tasks import CopyTask, OwnTask, PairsTask, RepeatTask, Task
from transformer_core.model.config import TransformerConfig
from transformer_core.training.learning_plan import own_plan, recipe_for
from transformer_core.training.trainer import Recipe

PAIRS_FILE, TEXT_FILE = "pairs.tsv", "text.txt"


def repeating(
    cfg: TransformerConfig, task: Task, recipe: Recipe, until: float | None = None, stop_at: int | None = None
) -> list[str]:
    """The words of the command that repeats a training from random weights on one CPU thread, or on another device. `until`:
    the exact match at which it ends; `stop_at`: the step at which somebody ended it."""
    if isinstance(task, OwnTask):
        file = ["--pairs", PAIRS_FILE] if isinstance(task, PairsTask) else ["--text", TEXT_FILE]
        options = [*file, *_differing({"split": task.split}, {"split": "words"})]
        plan = own_plan(task, seed=0)
        usual_cfg, usual = plan.cfg, plan.recipe
    else:
        usual_cfg, usual = usual_config(task), recipe_for(task.name, cfg, seed=0)
        options = ["--task", task.name]
        if isinstance(task, CopyTask | RepeatTask):
            special = special_ids(task.name)
            options += _differing(*({"symbols": each.vocab - special, "length": each.length} for each in (task, type(task)())))
    model, usual_model = ({name: getattr(each, name) for name in MODEL_OPTIONS} for each in (cfg, usual_cfg))
    options += _differing(model, usual_model)
    options += _differing(*({field.name: getattr(each, field.name) for field in fields(each)} for each in (recipe, usual)))
    return [*train(), *options, *ending(until, stop_at, recipe.device)]


def train() -> list[str]:
    """The words with which every such command begins."""
    return ["python", "-m", "transformer_core", "train"]


def ending(until: float | None, stop_at: int | None, device: str) -> list[str]:
    """The options that say when it ends. On a CPU it has one thread, as the app gives it: sums over several round otherwise."""
    options = _differing({"until": until, "stop_at": stop_at}, {"until": None, "stop_at": None})
    return [*options, *(["--threads", "1"] if device == "cpu" else [])]


def pairs_file(pairs: Sequence[Pair]) -> str:
    """The content of the file that such a command reads the pairs from, in their order: tabs are in none of them."""
    text = StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(pairs)
    return text.getvalue()


def _differing(settings: dict[str, Any], usual: dict[str, Any]) -> list[str]:
    """The options for the settings whose values are not the usual ones."""
    return [word for name, value in settings.items() if value != usual[name] for word in _option(name, value)]


def _option(name: str, value: Any) -> Iterator[str]:
    option = name.replace("_", "-")
    if isinstance(value, bool):
        yield f"--{option}" if value else f"--no-{option}"
        return
    yield f"--{option}"
    if name == "rate" and value is None:
        value = PAPERS_RATE
    yield from map(str, value if isinstance(value, tuple) else (value,))
