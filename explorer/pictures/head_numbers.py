"""Pictures of how widely each head of an attention attends, how far, and to which kinds of words; and of what heads cost."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from explorer.figures.lines import bars, curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import AttentionChoices, Padding, attention, padding_space
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import (
    entropy,
    even_weights,
    mean_attention_to,
    mean_distance,
    relations,
)
from transformer_core.analysis.head_split import HeadCost, head_choices, head_cost

SHORTEST, LONGEST = 4, 128  # tokens, the ends of the knob
PATTERNS = {  # relations of analysis.attention_metrics
    "same place": N_("same position"),
    "place before": N_("previous position"),
    "place after": N_("next position"),
    "first": N_("first word"),
    "same word": N_("same word"),
    "padding": N_("padding"),
    "special": N_("<…> tokens"),
    "number": N_("numbers"),
    "sign": N_("punctuation"),
    "word": N_("words"),
}


@dataclass(frozen=True)
class LengthChoices:
    """The number of tokens in a sentence."""

    cost_length: Annotated[int, Ends(SHORTEST, LONGEST)]


@dataclass(frozen=True)
class PatternChoices(AttentionChoices):
    """An attention, and the same padding behind both sentences. `initial`: of the model before its first step."""

    patterns_padding: Padding
    initial: bool = False


@picture("entropy")
def spread(shown: ShownModel, choices: AttentionChoices) -> Figure:
    """The entropy of each head's weights."""
    map = attention(shown, choices).map
    return bars(_names(map), {_("entropy"): entropy(map.weights)}, y_title=_("entropy (bits)"))


@picture("distance")
def reach(shown: ShownModel, choices: AttentionChoices) -> Figure:
    """The mean distance, in positions, from queries to keys. Raises ValueError for cross-attention, which has no distance."""
    map = attention(shown, choices).map
    if map.kind == "cross":
        raise ValueError("positions of two sentences have no distance")
    return bars(_names(map), {_("distance"): mean_distance(map.weights)}, y_title=_("mean distance (positions)"))


@picture("cost", needs_weights=False)
def cost(shown: ShownModel, choices: LengthChoices) -> Figure:
    """Draws the operations of all heads together, by their number, compared with those of a single head."""
    costs = costs_of(shown, choices)
    heads = [each.n_heads for each in costs]
    shared, full = (
        np.array([getattr(each, name) / costs[0].flops for each in costs]) for name in ("flops", "full_width_flops")
    )
    drawn = curves(
        heads, {_("heads that share the width"): shared, _("heads of full width"): full}, x_title=_("heads"),
        y_title=_("operations (one head = 1)"), log_x=True, log_y=True, markers=True,
    )  # fmt: skip
    ticks = [h for h in heads if h & (h - 1) == 0]
    for axis in ("xaxis", "yaxis"):
        drawn["layout"][axis] |= {"tickmode": "array", "tickvals": ticks, "ticktext": [str(h) for h in ticks]}
    return drawn


def costs_of(shown: ShownModel, choices: LengthChoices) -> list[HeadCost]:
    """The cost for each number of heads that divides the width."""
    cfg = shown.cfg
    return [head_cost(cfg.d_model, h, choices.cost_length, cfg.attention_bias) for h in head_choices(cfg.d_model)]


@picture("patterns")
def patterns(shown: ShownModel, choices: PatternChoices) -> Matrices:
    """Draws the share of its attention that each head gives to each kind of word."""
    _weights, _allowed, shares = shares_of(shown, choices)
    drawn = drawn_of(shares)
    columns = [_(title) for title, is_drawn in zip(PATTERNS.values(), drawn, strict=True) if is_drawn]
    rows = [*(_("head {i}").format(i=i) for i in range(shown.cfg.n_heads)), _("uniform")]
    return matrix(shares[:, drawn], rows=rows, columns=columns, column_title=_("attends to"), cell=34)


def model_of_patterns(shown: ShownModel, choices: PatternChoices) -> ShownModel:
    """The model that is drawn; that on screen, where it has taken no step, or where its first weights are unknown."""
    if not choices.initial or shown.initial is None:
        return shown
    return replace(shown, choice=shown.initial, learning=replace(shown.learning, step=0))


def differing(shares: np.ndarray) -> np.ndarray:
    """Returns which patterns tell heads apart: a pattern that all keys are of gets everything from every head.

    Shape: (head + 1, pattern) -> (pattern,) booleans
    """
    return np.isfinite(shares[0]) & ~np.isclose(shares[-1], 1)


def drawn_of(shares: np.ndarray) -> np.ndarray:
    """Returns which patterns are drawn: those that tell heads apart, or else all there are. Shape: -> (pattern,) booleans"""
    found = differing(shares)
    return found if found.any() else np.isfinite(shares[0])


def shares_of(shown: ShownModel, choices: PatternChoices) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns weights, mask and shares of one attention.

    Shape: -> weights (head, query, key), allowed (query, key), shares (head + 1, pattern)

    Queries of padding are left out. The last row of the shares is uniform attention; NaN: there is no such pattern.
    """
    shown = model_of_patterns(shown, choices)
    kind, padding = choices.kind, min(choices.patterns_padding, padding_space(len(shown.src), len(shown.tgt)))
    src, tgt, _label = shown.batch(padding, padding)
    queries = shown.src if kind == "encoder" else shown.tgt
    related = relations(
        queries, tgt if kind == "decoder" else src, shown.vocabulary.tokens, shown.vocabulary.pad, same_sequence=kind != "cross"
    )
    found, n = attention(shown, choices, (padding, padding)).map, len(queries)
    weights, allowed = found.weights[:, :n], found.allowed[:n]
    with_uniform = np.concatenate([weights, even_weights(allowed)])
    everything = np.ones_like(allowed)  # padding is masked: it is counted all the same, so that its share can be read, 0
    shares = [mean_attention_to(with_uniform, related[name], everything if name == "padding" else allowed) for name in PATTERNS]
    return weights, allowed, np.stack(shares, axis=1)


def _names(map: AttentionMap) -> list[str]:
    return [_("head {i}").format(i=i) for i in range(map.n_heads)]
