"""All heads of one attention as matrices, one of them large, and each head in numbers."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.exhibits.shared import attention_cell
from explorer.exhibits.shared.softmax import attention_weights
from explorer.figures.attention import Scale, all_heads
from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import Kind, Layer, Stack, drawn, numbers
from explorer.ui import document, pickers
from explorer.ui.widgets import choose, set_next
from transformer_core import MultiHeadAttention
from transformer_core.analysis import attention_metrics
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.run import Run
from transformer_core.model.stages import AttentionKind


def _weights(run: Run, kind: AttentionKind, layer: int) -> np.ndarray:
    return run.attention(kind, layer)["weights"]


# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def heads(run: Run, kind: Kind, layer: Layer, scale: Scale = "1") -> np.ndarray:
    """The weights of all heads: softmax(QKᵀ / √d_k), section 3.2.1 of the paper. Shape: (head, query, key)"""
    part = run.attention(kind, layer)
    return np.where(part.allowed, part["weights"], np.nan)  # as the model computed them, to the last bit


@heads.formula
def heads_by_formula(run: Run, kind: Kind, layer: Layer, scale: Scale = "1") -> np.ndarray:
    """The weights of all heads; what the mask hides is left out. Shape: (head, query, key)"""
    part = run.attention(kind, layer)
    return np.where(part.allowed, attention_weights(part), np.nan)


@numbers(recorded=lambda run, kind, layer: attention_metrics.entropy(_weights(run, kind, layer)))
def entropy(run: Run, kind: Kind, layer: Layer) -> np.ndarray:
    """The entropy of each head's weights, in bits, on average over its queries. Shape: (head,)"""
    weights = run.attention(kind, layer)["weights"]  # (head, query, key)
    bits = -np.log2(np.where(weights > 0, weights, 1))
    return (weights * bits).sum(axis=-1).mean(axis=-1)


@numbers(recorded=lambda run, kind, layer: attention_metrics.mean_distance(_weights(run, kind, layer)))
def distance(run: Run, kind: Stack, layer: Layer) -> np.ndarray:
    """The mean distance from queries to keys, in positions. Shape: (head,)"""
    weights = run.attention(kind, layer)["weights"]  # (head, query, key)
    query, key = np.ogrid[: weights.shape[1], : weights.shape[2]]
    return (weights * np.abs(query - key)).sum(axis=-1).mean(axis=-1)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(heads)
def _draw_heads(weights: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, scale: Scale) -> Matrices:
    return all_heads(replace(shown.attention(kind, layer).map, weights=np.nan_to_num(weights)), scale)


@drawn(entropy)
def _draw_entropy(values: np.ndarray, _shown: ShownModel, **_chosen: str | int) -> Figure:
    return bars(_names(values), {_("entropy"): values}, y_title=_("entropy (bits)"))


@drawn(distance)
def _draw_distance(values: np.ndarray, _shown: ShownModel, **_chosen: str | int) -> Figure:
    return bars(_names(values), {_("distance"): values}, y_title=_("mean distance (positions)"))


def _names(values: np.ndarray) -> list[str]:
    return [_("head {i}").format(i=i) for i in range(len(values))]


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    kind, layer = pickers.which_attention(cfg, "cross")
    scale = pickers.scale()
    attention = shown.attention(kind, layer)
    how_to_read = _(
        "one matrix per head. Each row is a query; its attention weights add up to 1 and say how much it takes from each key. "
        "Click a matrix to enlarge it below."
    )
    if not attention.map.allowed.all():
        how_to_read = _(
            "one matrix per head. Each row is a query; its attention weights add up to 1 and say how much it takes from each "
            "key. Grey cells with × are masked. Click a matrix to enlarge it below."
        )
    clicked = document.picture(heads.of(shown, kind, layer, scale), how_to_read, clickable=True)
    if clicked is not None:
        set_next("head", int(clicked["panel"]))
        set_next("details-side_by_side", True)
    document.details("side_by_side", lambda: _details(shown, attention, scale))


def _details(shown: ShownModel, attention: ShownAttention, scale: Scale) -> None:
    """Draws one head large, with its arithmetic, and each head in numbers."""
    cfg = shown.cfg
    head = choose("head", _("enlarged head"), range(cfg.n_heads))
    attention_cell.draw(attention, head, "head-large", scale)
    document.section(_("Each head in numbers"))
    _numbers(shown, attention.map)
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\\ \mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"\mathrm{head}_i=\mathrm{Attention}(QW_i^Q,KW_i^K,VW_i^V)\end{gathered}",
        _("Section 3.2.2 of the paper. Here h = {h}: each head projects d_model = {m} dimensions to d_k = {d}.").format(
            h=cfg.n_heads, d=cfg.d_k, m=cfg.d_model
        ),
    )
    document.try_this(
        _("Change **heads** in the sidebar: they share the width, so more heads are narrower heads."),
        _("Choose the decoder's self-attention: with the causal mask, everything right of the diagonal is masked.")
        if cfg.has_encoder
        else "",
        _("Choose “cross”, and move **learned for** in the sidebar from step 0 to the end: how do the heads change?")
        if cfg.has_encoder
        else _("Move **learned for** in the sidebar from step 0 to the end: how do the heads change?"),
    )
    document.the_code(MultiHeadAttention, heads, entropy, distance)


def _numbers(shown: ShownModel, map: AttentionMap) -> None:
    """The entropy and the distance of each head's attention; between two sentences positions have no distance."""
    left, right = st.columns(2)
    with left:
        how = _(
            "how widely a head spreads its attention. 0 bits: every query attends to a single key. {most:.2f} bits: every "
            "query attends uniformly to all keys that it may see."
        ).format(most=map.max_entropy)
        document.picture(entropy.of(shown, map.kind, map.layer), how)
    if map.kind == "cross":
        return
    with right:
        how = _("how many positions lie between a query and the keys that the head attends to, on average.")
        document.picture(distance.of(shown, map.kind, map.layer), how)
