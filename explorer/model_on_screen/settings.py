"""The shared settings, which describe the model, and the configuration that follows from them."""

from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any, Literal, get_type_hints

from everyday.translation import TRANSLATIONS
from explorer import limits
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.setting_table import MODEL, in_group
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core import PRESETS, TASKS, TransformerConfig, Vocabulary
from transformer_core.analysis.cutting import Instead
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import LettersTask, RepeatTask
from transformer_core.errors import InputError
from transformer_core.model.config import (
    Activation,
    LayerNormName,
    Norm,
    Position,
    ScoreName,
    Stacks,
    TiedEmbeddings,
    choices_of,
)
from transformer_core.training.checkpoint import MAX_PARAMETERS
from transformer_core.training.cost import count_by_formula
from transformer_core.training.learning_plan import LearningPlan, default_config, plans_for

MAX_TOKENS = limits.MAX_LENGTH
_LONGEST_TEXT = 4000  # letters of a setting that is typed

VARIANT = in_group("variant")  # where textbooks differ; each is an option of TransformerConfig
# The settings that a configuration consists of.
SIZES = ("d_model", "n_heads", "n_layers", "d_ff", "norm", "dropout", *VARIANT, "norm_eps", "max_len", "tgt_max_len")
SEEDS = range(21)  # on the slider; any other can be typed
EPSILONS = (1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.1)
_FINAL_NORM = {"auto": None, "on": True, "off": False}  # None itself would mean that the setting is absent


@dataclass(frozen=True)
class ModelSettings:
    """The shared settings; a field's name is its key in the address.

    Attributes:
        task: a key of TASK_TITLES. It determines the defaults of all other settings: those below are the first task's,
            `of_task` returns those of any task.
        step: of learning; the last kept step before it is shown. None: the end.
        model: id of a model from a file or a run, which then determines task and sizes.
        tgt: the typed decoder's input; "" for the model's own answer, or the task's.
        input: "words", a sentence; "lengths", random words of given numbers.
        src: the text that a model in words reads: the source, or of a decoder alone, what it goes on with.
        numbers: the same of a model that reads numbers, or letters.
        tgt_max_len: of the configuration; 0: that of the source.
        seed: of the initial weights and the training data.
        cut: the cuts, see `model_on_screen.cuts`; instead: what takes the place of the output of a cut head.
        edit: the weights that are changed by hand, see `model_on_screen.weight_edits`.
    """

    task: str = next(iter(TASK_TITLES))
    step: int | None = None
    model: str | None = None
    d_model: int = 88
    n_heads: int = PRESETS["tiny"].n_heads
    n_layers: int = 2
    d_ff: int = 256
    norm: Norm = PRESETS["tiny"].norm
    dropout: float = PRESETS["tiny"].dropout
    final_norm: Literal["auto", "on", "off"] = "auto"
    layer_norm: LayerNormName = PRESETS["tiny"].layer_norm
    attention_bias: bool = PRESETS["tiny"].attention_bias
    tie_embeddings: TiedEmbeddings = PRESETS["tiny"].tie_embeddings
    position: Position = PRESETS["tiny"].position
    cross_position: bool = PRESETS["tiny"].cross_position
    embedding_scale: bool = PRESETS["tiny"].embedding_scale
    score: ScoreName = PRESETS["tiny"].score
    residual: bool = PRESETS["tiny"].residual
    causal: bool = PRESETS["tiny"].causal
    cross_attention: bool = PRESETS["tiny"].cross_attention
    activation: Activation = PRESETS["tiny"].activation
    norm_eps: float = PRESETS["tiny"].norm_eps
    max_len: int = PRESETS["tiny"].max_len
    tgt_max_len: int = 0
    input: Literal["words", "lengths"] = "words"
    src: str = "do you like my red car"
    tgt: str = ""
    src_len: int = 10
    tgt_len: int = 9
    numbers: str = "1 5 3 8 2 9 4 10 7 6"
    seed: int = 0
    cut: str = ""
    instead: Instead = "mean"
    edit: str = ""

    def config(self, vocab: int) -> TransformerConfig:
        """Builds the configuration for a vocabulary. Raises InputError if it cannot be built, or is too large to be shown."""
        chosen: dict[str, Any] = {name: getattr(self, name) for name in SIZES}
        chosen |= {"final_norm": _FINAL_NORM[self.final_norm], "tgt_max_len": self.tgt_max_len or None}
        chosen |= {"stacks": stacks_for(self.task)}
        if chosen["stacks"] == "decoder" and self.tie_embeddings == "all":
            chosen["tie_embeddings"] = "output"  # all the embeddings that it has
        cfg = TransformerConfig(src_vocab=vocab, tgt_vocab=vocab, **chosen)
        if (count := count_by_formula(cfg)) > MAX_PARAMETERS:
            raise InputError(
                "This model would have {count:,} parameters; up to {most:,} fit here. Lower d_model, d_ff or the layers.",
                count=count,
                most=MAX_PARAMETERS,
            )
        return cfg

    def plan(self) -> LearningPlan:
        """Plans how a model of these settings learns its task. Raises InputError like `config`, and if it has too few positions
        for the task.
        """
        return _plans(self)[-1]

    def plans(self) -> tuple[LearningPlan, ...]:
        """The plans of the models that may be shown for these settings: of those learned beforehand, and `plan` last. Raises
        what `plan` does."""
        return _plans(self)

    def check_positions(self) -> None:
        """Raises InputError if the answers of the task may have more tokens than there are positions."""
        _src, tgt = TASKS[self.task]().longest  # sources always fit: see the lowest max_len
        if 0 < self.tgt_max_len < tgt:
            raise InputError(
                "Answers have up to {n} tokens here, and this model has {most} positions for them. Choose more.",
                n=tgt,
                most=self.tgt_max_len,
                nearest={"tgt_max_len": (tgt, 0)},
            )


@cache
def stacks_for(task: str) -> Stacks:
    """Returns the stacks of the models that learn a task."""
    return default_config(task).stacks


@shared_cache(2**22)  # asked for several times per picture of a dragged knob
def _plans(settings: ModelSettings) -> tuple[LearningPlan, ...]:
    settings.check_positions()
    return plans_for(settings.task, settings.config(len(vocabulary_of(settings.task))), settings.seed)


FIRST_TASK = ModelSettings.task
_FIRST_TASKS = {"zh_CN": "everyday-zh"}  # by the language of the screen: a translator into it
NAMES = tuple(field.name for field in fields(ModelSettings))
_HINTS = get_type_hints(ModelSettings)
RANGES = {name: setting.range for name, setting in MODEL.items() if setting.range is not None}
_WIDTHS = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)


def first_task(language: str) -> str:
    """Returns the first task of a visitor whose browser speaks this language: one with answers that the visitor can read."""
    return _FIRST_TASKS.get(language, FIRST_TASK)


@cache
def of_task(task: str) -> ModelSettings:
    """Returns the unchanged settings of a task."""
    cfg = default_config(task)
    sizes = {name: size_of(cfg, name) for name in SIZES}
    if task in TRANSLATIONS:
        sizes["src"] = TRANSLATIONS[task].example
    elif task in CORPORA:
        sizes["src"] = CORPORA[task]().example
    elif task == LettersTask.name:
        sizes["numbers"] = "A C F B D E"
    elif task == RepeatTask.name:
        sizes["numbers"] = "T B H K D Q A F K D Q A"
    return ModelSettings(task=task, **sizes)


@cache
def defaults(task: str) -> dict[str, Any]:
    """Returns the default of every setting for a task."""
    return asdict(of_task(task))


def vocabulary_of(task: str) -> Vocabulary:
    """Returns the vocabulary of a task."""
    return TASKS[task]().vocabulary


def widths(settings: ModelSettings) -> list[int]:
    """Returns the widths on the knob: usual ones that the heads divide, and the current one."""
    unit = settings.n_heads * _least_head(settings)
    sensible = {*_WIDTHS, defaults(settings.task)["d_model"]}
    divided = {round(width / unit) * unit for width in sensible}
    low, high, _step = RANGES["d_model"]
    return sorted({width for width in divided if low <= width <= high} | {settings.d_model})


def head_counts(settings: ModelSettings) -> list[int]:
    """Returns the numbers of heads on the knob: divisors of the width, and the current one."""
    most = int(RANGES["n_heads"][1])
    divided = {n for n in range(1, most + 1) if settings.d_model % (n * _least_head(settings)) == 0}
    return sorted(divided | {settings.n_heads})


def _least_head(settings: ModelSettings) -> int:
    """Returns the number of which the width of a head is a multiple: rotary positions turn pairs of dimensions."""
    return 2 if settings.position == "rotary" else 1


def stops(settings: ModelSettings) -> dict[str, list[int]]:
    """Returns the positions of the common knobs, given the other settings."""
    low, high, _step = RANGES["n_layers"]
    layers = sorted({*range(int(low), int(high) + 1), settings.n_layers})
    return {"d_model": widths(settings), "n_layers": layers, "n_heads": head_counts(settings)}


def neighbours(settings: ModelSettings) -> list[ModelSettings]:
    """Returns the settings one stop away: a width, a number of layers or heads, or the other norm."""
    changes: list[dict[str, Any]] = [
        {name: value} for name, values in stops(settings).items() for value in _beside(values, getattr(settings, name))
    ]
    return [replace(settings, **change) for change in [*changes, {"norm": "post" if settings.norm == "pre" else "pre"}]]


def _beside(values: list[int], value: int) -> list[int]:
    """Returns the next greater value and the next smaller one, if they exist."""
    at = values.index(value)
    return [*values[at + 1 : at + 2], *values[max(at - 1, 0) : at]]


def choices(name: str) -> tuple[Any, ...]:
    """Returns the values of a setting with few options; empty for a number or a text."""
    return choices_of(_HINTS[name])


def read(values: object) -> ModelSettings:
    """Parses the complete settings that a browser sends. Raises ValueError for anything else."""
    if not isinstance(values, dict) or values.keys() != {*NAMES}:
        raise ValueError("these are not the settings")
    for name, value in values.items():
        if not _can_be(name, value):
            raise ValueError(f"{name} cannot be {value!r:.100}")
    fractions = {name: float(values[name]) for name, (_low, _high, step) in RANGES.items() if isinstance(step, float)}
    return ModelSettings(**values | fractions)  # a browser writes 0.0 as 0, which would have another key


def _can_be(name: str, value: object) -> bool:
    if value is None:
        return name in ("step", "model")
    if options := (*TASK_TITLES,) if name == "task" else choices(name):
        return type(value) in (str, bool) and value in options
    if name not in RANGES:
        return isinstance(value, str) and len(value) <= _LONGEST_TEXT
    low, high, step = RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int if isinstance(step, int) else int | float):
        return False
    return low <= value <= high


def size_of(cfg: TransformerConfig, name: str) -> Any:
    """Returns the value of a setting that describes an existing model."""
    value = getattr(cfg, name)
    if name == "final_norm":
        return next(word for word, meant in _FINAL_NORM.items() if meant is value)
    return value or 0 if name == "tgt_max_len" else value
