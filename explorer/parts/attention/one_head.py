"""One head of the model, from its vectors to its output, with the digits."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_attention import ShownAttention
from explorer.inference.shown_model import ShownModel
from explorer.parts.shared import attention_cell
from explorer.pictures.attention import Vector, VectorChoices, vectors
from explorer.ui import document, navigation, pickers
from transformer_core.model import attention as core


def draw(shown: ShownModel) -> None:
    """Draws the attention of one head, the arithmetic of a weight, and the vectors behind them."""
    kind, layer, head = pickers.which_head(shown.cfg, "cross")
    attention = shown.attention(kind, layer)
    attention_cell.draw(attention, head, "weights")
    document.section(_("The vectors behind it: one query, key and value for every word"))
    _vectors(shown, attention, head, shown.cfg.d_k)
    sources = {
        "encoder": _(
            "Section 3.2.1 of the paper, equation 1. In the encoder's self-attention, Q, K and V are all computed from the "
            "vectors of the source."
        ),
        "decoder": _(
            "Section 3.2.1 of the paper, equation 1. In the decoder's self-attention, Q, K and V are all computed from the "
            "vectors of the target."
        ),
        "cross": _(
            "Section 3.2.1 of the paper, equation 1. In cross-attention, Q is computed from the vectors of the decoder, K and "
            "V from the encoder's output (the memory)."
        ),
    }
    document.formula(r"\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\!\left(\frac{QK^{T}}{\sqrt{d_k}}\right)V", sources[kind])
    if shown.cfg.score != "scaled_dot":
        words = _("This model replaces the fraction with another scoring function: `{score}`.")
        st.caption(words.format(score=shown.cfg.score))
    navigation.link("what_matters", _("Does the model need what it attends to? Cut it out, and measure"))
    document.try_this(
        _("Play the steps of one cell, then click another cell in the same row: which steps change?"),
        _("Increase **heads**: d_k shrinks, and the sums have fewer terms."),
    )
    document.the_code(core.attention)


def _vectors(shown: ShownModel, attention: ShownAttention, head: int, d_k: int) -> None:
    names: tuple[Vector, ...] = ("q", "k", "v")
    for column, name, title, words in zip(
        st.columns(3),
        names,
        (
            _(":blue[Q · queries: what each word looks for]"),
            _(":orange[K · keys: what each word can be found by]"),
            _(":green[V · values: what each word passes on]"),
        ),
        (
            _("each row is the query of one word: {d} numbers (d_k). Blue is positive, orange negative."),
            _("each row is the key of one word: {d} numbers (d_k). Blue is positive, orange negative."),
            _("each row is the value of one word: {d} numbers (d_v = d_k). Blue is positive, orange negative."),
        ),
        strict=True,
    ):
        with column:
            st.markdown(f"**{title}**")
            choices = VectorChoices(attention.kind, attention.layer, head, name)
            document.picture(vectors(shown, choices), words.format(d=d_k), f"vectors-{name}")
