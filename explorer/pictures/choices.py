"""Choices that pictures of several pages share, and the fallback for one that the model on screen does not have."""

from dataclasses import dataclass
from typing import Annotated

from explorer.figures.attention import Scale
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends
from transformer_core.model.stages import AttentionKind


@dataclass(frozen=True)
class AttentionChoices:
    """One of the model's attentions: a kind, and the layer, from 0."""

    kind: AttentionKind
    layer: int


@dataclass(frozen=True)
class PaddedAttentionChoices(AttentionChoices):
    """An attention, with so much padding behind both sentences."""

    patterns_padding: Annotated[int, Ends(0, MAX_TOKENS)] = 0


@dataclass(frozen=True)
class HeadChoices(AttentionChoices):
    """An attention, and one of its heads, from 0."""

    head: int


@dataclass(frozen=True)
class ScaledHeadChoices(HeadChoices):
    """A head, and the scale of its colours, see `figures.attention.tops`."""

    scale: Scale = "1"


def index(chosen: int, count: int) -> int:
    """Returns the chosen index, or 0, as a picker does, where it is not one of `count`."""
    return chosen if 0 <= chosen < count else 0


def attention(shown: ShownModel, choices: AttentionChoices, padding: tuple[int, int] = (0, 0)) -> ShownAttention:
    """The chosen attention, with this much padding behind source and target. Raises ValueError where the model has none."""
    if choices.kind == "cross" and not shown.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
    return shown.attention(choices.kind, index(choices.layer, shown.cfg.n_layers), padding)


def head(shown: ShownModel, choices: HeadChoices) -> int:
    """The chosen head; 0 where the model has fewer."""
    return index(choices.head, shown.cfg.n_heads)


def padding_of(shown: ShownModel, choices: PaddedAttentionChoices) -> tuple[int, int]:
    """The chosen padding behind source and target, as far as it fits; a decoder alone has no source."""
    padding = min(choices.patterns_padding, padding_space(len(shown.src), len(shown.tgt)))
    return padding if shown.cfg.has_encoder else 0, padding


def padding_space(*lengths: int) -> int:
    """Returns how much padding fits behind the longest of sequences of these lengths."""
    return max(0, MAX_TOKENS - max(lengths))
