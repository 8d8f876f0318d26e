"""Options that several commands have, and what they mean."""

import argparse
from pathlib import Path

from transformer_core.data.grammars.everyday.translation import TRANSLATIONS, Translation
from transformer_core.data.tasks import TASKS
from transformer_core.errors import InputError
from transformer_core.training import checkpoint, learned
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.folder import ModelFolder
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import default_config
from transformer_core.training.naming import learned_key

TRANSLATORS = {"translate-fr": "everyday-fr", "translate-zh": "everyday-zh"}  # by the names by which people know them
_BOX = Path(__file__).parents[1] / "shipped"


def at_least_1(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def of_a_model() -> argparse.ArgumentParser:
    """The options of every command about a trained model."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--model", required=True, help="the name of a model that comes with the package, or a file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser


def opened(model: str) -> Checkpoint:
    """The usual model of a task in the package, or the one in this file; of a course of learning, the end."""
    box, task = ModelFolder(_BOX), TRANSLATORS.get(model, model)
    if task in TASKS and (found := box.get(_usual_key(task))) is not None:
        return _at_the_end(found)
    if not Path(model).exists():
        names = {name for name in (*TASKS, *TRANSLATORS) if _usual_key(TRANSLATORS.get(name, name)) in box}
        raise InputError("there is no model {model}: neither a file nor one of {names}", model=model,
                         names=", ".join(sorted(names)))  # fmt: skip
    data = Path(model).read_bytes()
    return _at_the_end(learned.from_bytes(data)) if learned.is_learned(data) else checkpoint.from_bytes(data)


def _usual_key(task: str) -> str:
    return learned_key(TASKS[task](), default_config(task), 0)


def _at_the_end(found: Learned) -> Checkpoint:
    facts = {"task": found.task.name, "steps": found.last, "exact_match": found.right}
    return Checkpoint(found.model(found.last), facts)


def translation_of(loaded: Checkpoint) -> Translation | None:
    """The language pair that a model has learned; None if it has learned something else."""
    translation = TRANSLATIONS.get(str(loaded.facts.get("task")))
    if translation is None:
        return None
    words = len(translation.vocabulary)
    if not words == loaded.model.cfg.src_vocab == loaded.model.cfg.tgt_vocab:
        raise InputError("the model has {vocab} words, but {task} has {words} today; train it again",
                         vocab=loaded.model.cfg.tgt_vocab, task=translation.name, words=words)  # fmt: skip
    return translation
