"""One head of the model, from its vectors to its answer, with the digits."""

import streamlit as st

from explorer import document
from explorer.figures.matrix import matrix
from explorer.sections.one_cell import one_cell
from explorer.state import Site
from explorer.words import _
from transformer_core.model.attention import attention


def one_head(site: Site, head: int) -> None:
    """Who takes how much from whom, how each number comes about, and the vectors that all of them come from."""
    document.section(_("1 · Who takes how much from whom, and how that comes about"))
    one_cell(site, head, "weights")
    document.section(_("2 · What it is computed from: three vectors for every word"))
    _vectors(site, head)

    score = site.view.cfg.score
    document.formula(
        r"\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\!\left(\frac{QK^{T}}{\sqrt{d_k}}\right)V",
        _("Section 3.2.1 of the paper, equation 1. Q comes from {asks}, K and V from {asked}.").format(
            asks=_("the encoder") if site.kind == "encoder" else _("the decoder"),
            asked=_("the decoder")
            if site.kind == "decoder"
            else _("the encoder's output")
            if site.kind == "cross"
            else _("the encoder"),
        )
        + (
            ""
            if score == "scaled_dot"
            else " " + _("This model has a score of its own in the place of the fraction: {score}.").format(score=score)
        ),
    )
    document.try_this(
        _("Play the steps of one cell, then light another cell of the same row: which steps change?"),
        _("Turn **heads** up: d_k shrinks, and with it the length of the sums."),
    )
    document.the_code(attention)


def _vectors(site: Site, head: int) -> None:
    d_k = site.view.cfg.d_k
    for column, letter, name, labels, words in zip(
        st.columns(3),
        "QKV",
        (
            f":blue[{_('Q · what it asks')}]",
            f":orange[{_('K · what it offers to be found by')}]",
            f":green[{_('V · what it gives')}]",
        ),
        (site.query_labels, site.key_labels, site.key_labels),
        (_("one row per asking word"), _("one row per asked word"), _("one row per asked word")),
        strict=True,
    ):
        with column:
            st.markdown(f"**{name}**")
            values = site[letter.lower()][head]
            picture = matrix(values, rows=labels, columns=d_k, column_title=_("dimension of the head"), signed=True, cell=22)
            document.figure(picture, f"vectors-{letter}", _("{words}, {d} numbers each (d_k).").format(words=words, d=d_k))
