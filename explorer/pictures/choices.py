"""Choices that pictures of several pages share, and how one that the model on screen does not have falls back."""

from dataclasses import dataclass
from typing import Annotated

from explorer.figures.attention import Scale
from explorer.inference.settings import MAX_TOKENS
from explorer.inference.shown_attention import ShownAttention
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends
from transformer_core.model.stages import AttentionKind

Padding = Annotated[int, Ends(0, MAX_TOKENS)]


@dataclass(frozen=True)
class AttentionChoices:
    """One of the model's attentions: a kind, and the layer, from 0."""

    kind: AttentionKind
    layer: int


@dataclass(frozen=True)
class ScaledChoices(AttentionChoices):
    """An attention, and what its colours are scaled by."""

    scale: Scale = "1"


@dataclass(frozen=True)
class HeadChoices(AttentionChoices):
    """One of its heads, from 0."""

    head: int


@dataclass(frozen=True)
class ScaledHeadChoices(HeadChoices):
    """A head, and what its colours are scaled by."""

    scale: Scale = "1"


def index(chosen: int, count: int) -> int:
    """Returns the chosen place among `count`, from 0; where the knob's value has no such place, the first, as a picker does."""
    return chosen if 0 <= chosen < count else 0


def attention(shown: ShownModel, choices: AttentionChoices, padding: tuple[int, int] = (0, 0)) -> ShownAttention:
    """The chosen attention, with this much padding behind source and target. Raises ValueError where the model has none."""
    if choices.kind == "cross" and not shown.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
    return shown.attention(choices.kind, index(choices.layer, shown.cfg.n_layers), padding)


def head(shown: ShownModel, choices: HeadChoices) -> int:
    """The chosen head."""
    return index(choices.head, shown.cfg.n_heads)


def room(*lengths: int) -> int:
    """How much padding fits behind the longest of sequences of these lengths."""
    return max(0, MAX_TOKENS - max(lengths))


def padding(shown: ShownModel, pad_src: int, pad_tgt: int) -> tuple[int, int]:
    """Behind the source and the target, as far as there is room."""
    return min(pad_src, room(len(shown.src))), min(pad_tgt, room(len(shown.tgt)))
