"""The shared settings, which describe the model: their values, and the configuration that follows from them."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from transformer_core import PRESETS, TransformerConfig
from transformer_core.errors import InputError
from transformer_core.model.accounting import count_by_formula

MAX_TOKENS = 128
MAX_PARAMETERS = 100_000_000

# Where textbooks differ; each is an option of TransformerConfig.
VARIANT = (
    "position", "score", "causal", "cross_attention", "residual", "layer_norm", "final_norm", "activation", "embedding_scale",
    "attention_bias", "tie_embeddings",
)  # fmt: skip
SIZES = ("d_model", "n_heads", "n_layers", "d_ff", "norm", "dropout", *VARIANT)  # the settings of a configuration
OF_RANDOM_WEIGHTS = (*SIZES, "seed", "input", "tgt", "src_len", "tgt_len")  # settings that do not concern stored weights
_FINAL_NORM = {"auto": None, "on": True, "off": False}  # None would count as a setting that is not given


@dataclass(frozen=True)
class ModelSettings:
    """The shared settings; a field's name is its key in the address bar.

    Attributes:
        model: id of a stored model, which then determines the sizes; None for random weights drawn with `seed`.
        input: "words", two sentences; "lengths", random words, of a given number for each side.
        numbers: the source of a stored model that reads numbers.
    """

    model: str | None = None
    d_model: int = PRESETS["tiny"].d_model
    n_heads: int = PRESETS["tiny"].n_heads
    n_layers: int = PRESETS["tiny"].n_layers
    d_ff: int = PRESETS["tiny"].d_ff
    norm: Literal["post", "pre"] = PRESETS["tiny"].norm
    dropout: float = PRESETS["tiny"].dropout
    final_norm: Literal["auto", "on", "off"] = "auto"
    layer_norm: Literal["standard", "unbiased_std"] = PRESETS["tiny"].layer_norm
    attention_bias: bool = PRESETS["tiny"].attention_bias
    tie_embeddings: Literal["none", "output", "all"] = PRESETS["tiny"].tie_embeddings
    position: Literal["sinusoidal", "learned", "none"] = PRESETS["tiny"].position
    embedding_scale: bool = PRESETS["tiny"].embedding_scale
    score: Literal["scaled_dot", "dot", "additive", "concat_linear"] = PRESETS["tiny"].score
    residual: bool = PRESETS["tiny"].residual
    causal: bool = PRESETS["tiny"].causal
    cross_attention: bool = PRESETS["tiny"].cross_attention
    activation: Literal["relu", "gelu"] = PRESETS["tiny"].activation
    input: Literal["words", "lengths"] = "words"
    src: str = "the red cat sees a big house"
    tgt: str = "le chat rouge voit une grande maison"
    src_len: int = 10
    tgt_len: int = 9
    numbers: str = "1 5 3 8 2 9 4 10 7 6"
    seed: int = 0

    def config(self, vocab: int) -> TransformerConfig:
        """The configuration for a vocabulary. Raises InputError if it cannot be built, or is too large to be shown."""
        chosen = {name: getattr(self, name) for name in SIZES} | {"final_norm": _FINAL_NORM[self.final_norm]}
        cfg = TransformerConfig(src_vocab=vocab, tgt_vocab=vocab, **chosen)
        if (count := count_by_formula(cfg)) > MAX_PARAMETERS:
            raise InputError(
                "This model would have {count:,} parameters; up to {most:,} fit here. Lower d_model, d_ff or the layers.",
                count=count, most=MAX_PARAMETERS,
            )  # fmt: skip
        return cfg


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(ModelSettings)}
_HINTS = get_type_hints(ModelSettings)
RANGES: dict[str, tuple[float, float, float]] = {  # lowest, highest, step
    "d_model": (8, 512, 8),
    "n_heads": (1, 16, 1),
    "n_layers": (1, 6, 1),
    "d_ff": (16, 2048, 16),
    "dropout": (0.0, 0.5, 0.05),
    "src_len": (1, MAX_TOKENS, 1),
    "tgt_len": (1, MAX_TOKENS - 1, 1),
    "seed": (0, 2**31 - 1, 1),
}


def choices(name: str) -> tuple[Any, ...]:
    """The values of a setting that has only a few; empty for a number or a text."""
    hint = _HINTS[name]
    return (True, False) if hint is bool else get_args(hint) if get_origin(hint) is Literal else ()


def size_of(cfg: TransformerConfig, name: str) -> Any:
    """The value of this setting that describes an existing model."""
    value = getattr(cfg, name)
    return next(word for word, meant in _FINAL_NORM.items() if meant is value) if name == "final_norm" else value
