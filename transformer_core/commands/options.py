"""Options that several commands have, and what they mean."""

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypeVar

from everyday.translation import TRANSLATIONS, Translation
from transformer_core.data.corpora import CORPORA
from transformer_core.data.stories import StoryCorpus
from transformer_core.data.tasks import SYMBOL_TASKS, TASKS, RepeatTask, SentenceTask, Task, facts_of, has_source, task_of
from transformer_core.errors import InputError
from transformer_core.model.config import PRESETS, TransformerConfig
from transformer_core.model.transformer import Transformer
from transformer_core.training import checkpoint, learned
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.cost import count_by_formula
from transformer_core.training.folder import ModelFolder
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import default_config, plans_for

Value = TypeVar("Value")

PAPERS_RATE = "paper"  # (d_model · warmup)^-0.5
# The settings of a model that have options of their own; its vocabulary is the task's.
MODEL_OPTIONS = (
    "d_model", "n_heads", "d_ff", "n_layers", "dropout", "norm", "position", "tie_embeddings", "score", "activation",
    "layer_norm", "norm_eps", "max_len", "tgt_max_len", "final_norm", "attention_bias", "causal", "cross_attention", "residual",
    "embedding_scale", "stacks", "cross_position",
)  # fmt: skip
_LONGEST = 40  # letters of what was typed that are quoted
_SHIPPED_MODELS = Path(__file__).parents[1] / "shipped"


class OneLine(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (see {self.prog} --help)\n")


def whole(low: int, high: int) -> Callable[[str], int]:
    """The type of an option that is a whole number between two ends."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be a whole number from {low} to {high:,}, not {_short(text)}")
        return value

    return read


def several(one: Callable[[str], Value]) -> Callable[[str], list[Value]]:
    """The type of an option of several values with commas between them, each once."""
    return lambda text: list(dict.fromkeys(one(value) for value in text.split(",")))


def share(text: str) -> float:
    """The type of an option that is a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, not {_short(text)}")
    return value


def peak(text: str) -> float | str:
    """The type of an option that is a learning rate, or the paper's."""
    if text == PAPERS_RATE:
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or {PAPERS_RATE}, not {_short(text)}") from None


def _short(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")


# Beyond these, nothing that can be asked for here fits any machine, or its saved file could not be opened again.
STEPS = whole(1, 10_000_000)
SEED = whole(0, 2**31 - 1)
THREADS = whole(1, 1024)
SYMBOLS = whole(1, 10_000)
COLUMNS = whole(1, 32)
SEQUENCES = whole(1, 1_000_000)
TOKENS = whole(1, checkpoint.MAX_LENGTH)
SIZES = {
    "d_model": whole(1, 16_384),
    "n_heads": whole(1, 1024),
    "d_ff": whole(1, 65_536),
    "n_layers": whole(1, checkpoint.MAX_LAYERS),
}


def usual_config(task: Task) -> TransformerConfig:
    """The model that `train` begins with for a task, where no option says otherwise."""
    usual = PRESETS["tiny"] if has_source(task) else default_config(task.name)
    return replace(usual, src_vocab=task.vocab, tgt_vocab=task.vocab)


def special_ids(task: str) -> int:
    """The number of ids of a task of numbers or letters that are none: padding, and for a decoder alone the start token."""
    return 2 if task == RepeatTask.name else 1


def check_parameters(cfg: TransformerConfig) -> None:
    """Raises InputError for a model that is too large to be saved and opened again; nothing is built for that."""
    if (count := count_by_formula(cfg)) > checkpoint.MAX_PARAMETERS:
        raise InputError(
            "a model of these sizes has {n:,} parameters; up to {most:,} can be saved. Lower d_model, d_ff or the layers",
            n=count,
            most=checkpoint.MAX_PARAMETERS,
        )


def of_a_model() -> OneLine:
    """The options of every command about a trained model."""
    parser = OneLine(add_help=False)
    parser.add_argument("--model", required=True, help="the name of a model that comes with the package, or a file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser


def opened(model: str) -> Checkpoint:
    """The usual model of a task in the package, or the one in this file; of a course of learning, the end."""
    shipped = ModelFolder(_SHIPPED_MODELS)
    if model in TASKS and (usual := shipped.get(_usual_key(model))) is not None:
        return _at_the_end(usual)
    if not Path(model).exists():
        names = sorted(name for name in TASKS if _usual_key(name) in shipped)
        raise InputError("there is no model {model}: neither a file nor one of {names}", model=model, names=", ".join(names))
    data = Path(model).read_bytes()
    return _at_the_end(learned.from_bytes(data)) if learned.is_learned(data) else checkpoint.from_bytes(data)


def _usual_key(task: str) -> str:
    return plans_for(task, default_config(task), 0)[0].key


def _at_the_end(course: Learned) -> Checkpoint:
    facts = {**facts_of(course.task), "steps": course.last, "exact_match": course.right}
    return Checkpoint(course.model(course.last), facts)


def opened_reader(model: str) -> tuple[Transformer, SentenceTask]:
    """A model that has learned to answer sentences, and its task."""
    loaded = opened(model)
    return loaded.model, _sentences_of(loaded, model)


def translator_of(loaded: Checkpoint, model: str) -> tuple[Transformer, Translation]:
    """A model that has learned to translate everyday sentences, and its language pair. Raises InputError for another one, with
    the name that the command has for it."""
    translation = TRANSLATIONS.get(str(loaded.facts.get("task")))
    if translation is None:
        raise InputError("the model {model} has not learned to translate everyday sentences", model=model)
    _sentences_of(loaded, model)
    return loaded.model, translation


def teller_of(loaded: Checkpoint) -> tuple[Transformer, SentenceTask] | None:
    """A decoder alone that has learned mini stories, and its task; None for another model."""
    task = task_of(loaded.facts, loaded.model.cfg.tgt_vocab)
    if isinstance(task, SentenceTask) and isinstance(task.corpus, StoryCorpus) and not loaded.model.cfg.has_encoder:
        return loaded.model, task
    return None


def _sentences_of(loaded: Checkpoint, model: str) -> SentenceTask:
    """The task of a model; raises InputError where it is not to answer sentences, or its words are unknown today."""
    name, cfg = loaded.facts.get("task"), loaded.model.cfg
    if not cfg.has_encoder:
        raise InputError(
            "the model {model} is a decoder alone and reads no sentence to answer; generate has it go on with a beginning",
            model=model,
        )
    task = task_of(loaded.facts, cfg.tgt_vocab)
    if isinstance(task, SentenceTask) and cfg.src_vocab == cfg.tgt_vocab:
        return task
    if name in SYMBOL_TASKS:
        raise InputError("the model {model} answers rows of numbers or letters; choose one that answers sentences", model=model)
    if name not in CORPORA:
        raise InputError("the file {model} does not say what its model has learned, so its words are unknown", model=model)
    raise InputError(
        "the model has {vocab} words, but {task} has {words} today; train it again",
        vocab=cfg.tgt_vocab,
        task=name,
        words=SentenceTask(name).vocab,
    )
