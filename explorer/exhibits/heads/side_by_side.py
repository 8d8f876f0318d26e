"""All heads of one attention as matrices, one of them large, and each head in numbers."""

import streamlit as st

from explorer.exhibits.shared import attention_cell
from explorer.figures.attention import Scale
from explorer.i18n import _
from explorer.inference.shown_attention import ShownAttention
from explorer.inference.shown_model import ShownModel
from explorer.pictures import head_numbers
from explorer.pictures.attention import heads
from explorer.pictures.choices import AttentionChoices, ScaledChoices
from explorer.ui import document, pickers
from explorer.ui.widgets import choose, keep
from transformer_core import MultiHeadAttention
from transformer_core.analysis.attention_map import AttentionMap


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    kind, layer = pickers.which_attention(cfg, "cross")
    scale: Scale = choose(
        "scale", _("strongest colour"), ["1", "layer", "head"],
        {"1": "1", "layer": _("largest weight"), "head": _("largest of each head")},
        help=_("The weight that the strongest colour stands for: 1, the largest of this layer, or the largest of each head."),
    )  # fmt: skip
    attention = shown.attention(kind, layer)
    how_to_read = _(
        "one matrix per head. Each row is a query; its weights add up to 1 and say how much it takes from each key. Click a "
        "matrix to enlarge it below."
    )
    if not attention.map.allowed.all():
        how_to_read = _(
            "one matrix per head. Each row is a query; its weights add up to 1 and say how much it takes from each key. Grey "
            "cells with × are masked. Click a matrix to enlarge it below."
        )
    clicked = document.picture(heads(shown, ScaledChoices(kind, layer, scale)), how_to_read, clickable=True)
    if clicked is not None:
        keep("head", int(clicked["panel"]))
        keep("details-side_by_side", True)
    document.details("side_by_side", lambda: _more(shown, attention, scale))


def _more(shown: ShownModel, attention: ShownAttention, scale: Scale) -> None:
    """Draws one head large, with its arithmetic, and each head in numbers."""
    cfg, kind, layer = shown.cfg, attention.kind, attention.layer
    head = choose("head", _("enlarged head"), range(cfg.n_heads))
    attention_cell.draw(attention, head, "head-large", scale)
    document.section(_("Each head in numbers"))
    _numbers(shown, attention.map, AttentionChoices(kind, layer))
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\\ \mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"\mathrm{head}_i=\mathrm{Attention}(QW_i^Q,KW_i^K,VW_i^V)\end{gathered}",
        _("Section 3.2.2 of the paper. Here h = {h}: each head projects d_model = {m} dimensions to d_k = {d}.").format(
            h=cfg.n_heads, d=cfg.d_k, m=cfg.d_model
        ),
    )
    document.try_this(
        _("Change **heads** in the sidebar: they share the width, so more heads are narrower heads."),
        _("Choose the decoder's self-attention: with the causal mask, everything right of the diagonal is masked."),
        _("Choose “cross”, and move **learned for** in the sidebar from step 0 to the end: how do the heads change?"),
    )
    document.the_code(MultiHeadAttention)


def _numbers(shown: ShownModel, map: AttentionMap, choices: AttentionChoices) -> None:
    """The entropy and the distance of each head's attention; between two sentences positions have no distance."""
    left, right = st.columns(2)
    with left:
        how = _(
            "how widely a head spreads its attention. 0 bits: every query attends to a single key. {most:.2f} bits: every "
            "query attends uniformly to all keys that it may see."
        ).format(most=map.max_entropy)
        document.picture(head_numbers.spread(shown, choices), how)
    if map.kind == "cross":
        return
    with right:
        how = _("how many positions lie between a query and the keys that the head attends to, on average.")
        document.picture(head_numbers.reach(shown, choices), how)
