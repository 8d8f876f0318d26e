"""One head of the model, from its vectors to its output, with the digits."""

from typing import Literal

import numpy as np
import streamlit as st

from explorer.exhibits.shared import attention_cell
from explorer.figures.attention import vectors as rows_of
from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import Head, Kind, Layer, drawn, numbers
from explorer.ui import document, more, navigation, pickers
from transformer_core.analysis.run import Run
from transformer_core.model import attention as core
from transformer_core.model.stages import AttentionKind

MADE_OF = 24  # numbers of a word's vector that are drawn

Vector = Literal["q", "k", "v"]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def query_input(run: Run, kind: Kind, layer: Layer, head: Head) -> np.ndarray:
    """The vectors x that the queries are made of: q = x · W_Q. Shape: (query, d_model)"""
    return run.attention(kind, layer).input


@numbers()
def query_matrix(run: Run, kind: Kind, layer: Layer, head: Head) -> np.ndarray:
    """One head's part of W_Q: q = x · W_Q (section 3.2.2). Shape: (d_model, d_k)"""
    w_q, _bias = run.attention(kind, layer).weights("w_q")
    return w_q[:, columns_of(run, head)]


@numbers(recorded=lambda run, kind, layer, head, name: run.attention(kind, layer).projected(name)[head])
def vectors(run: Run, kind: Kind, layer: Layer, head: Head, name: Vector) -> np.ndarray:
    """The vectors of one head, a row for each word: its queries, keys or values (section 3.2.2). Shape: (word, d_k)"""
    part, own = run.attention(kind, layer), columns_of(run, head)
    x = part.input if name == "q" else part.memory  # keys and values of cross-attention: from the encoder's output
    weight, bias = part.weights(f"w_{name}")
    return x @ weight[:, own] + bias[own]


def columns_of(run: Run, head: int) -> slice:
    """Returns the columns of W_Q, W_K and W_V that are one head's own."""
    return slice(head * run.cfg.d_k, (head + 1) * run.cfg.d_k)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(query_input)
def _draw_input(x: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, head: int) -> Matrices:
    n, d = min(MADE_OF, x.shape[1]), x.shape[1]
    return matrix(
        x[:, :n],
        rows=shown.attention(kind, layer).map.query_labels,
        columns=n,
        signed=True,
        cell=22,
        column_title=_("dimension (first {n} of {all})").format(n=n, all=d),
    )


@drawn(query_matrix)
def _draw_matrix(w_q: np.ndarray, _shown: ShownModel, **_chosen: str | int) -> Matrices:
    part = w_q[:MADE_OF]
    return matrix(
        part,
        rows=len(part),
        columns=part.shape[1],
        row_title=_("dimension of x"),
        column_title=_("dimension of the head"),
        signed=True,
        cell=8,
    )


@drawn(vectors)
def _draw_vectors(values: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, head: int, name: str) -> Matrices:
    map = shown.attention(kind, layer).map
    return rows_of(values, map.query_labels if name == "q" else map.key_labels)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws the attention of one head, the arithmetic of a weight, and the vectors behind them."""
    with more.controls():
        kind, layer, head = pickers.which_head(shown.cfg, "cross")
    attention = shown.attention(kind, layer)
    attention_cell.draw(attention, head, "weights", whole=more.is_on())
    document.details("one_head", lambda: _details(shown, attention, head))


def _details(shown: ShownModel, attention: ShownAttention, head: int) -> None:
    _made_of(shown, attention, head)
    if attention.turns:
        st.caption(
            _("This model has rotary positions: q and k are turned by the position of their word before they are compared.")
        )
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
    if not shown.cfg.has_encoder:
        sources["decoder"] = _(
            "Section 3.2.1 of the paper, equation 1. Q, K and V are all computed from the vectors of the text."
        )
    document.formula(
        r"\mathrm{Attention}(Q,K,V)=\mathrm{softmax}\!\left(\frac{QK^{T}}{\sqrt{d_k}}\right)V", sources[attention.kind]
    )
    if shown.cfg.score != "scaled_dot":
        words = _("This model replaces the fraction with another scoring function: `{score}`.")
        st.caption(words.format(score=shown.cfg.score))
    if attention.penalties is not None:
        st.caption(
            _("This model has ALiBi: the distance of the two words, times the slope of the head, is taken off the fraction.")
        )
    navigation.link("what_matters", _("Does the model need what it attends to? Cut it out, and measure"))
    document.try_this(
        _("Play the steps of one cell, then click another cell in the same row: which steps change?"),
        _("Increase **heads**: d_k shrinks, and the sums have fewer terms."),
    )
    document.the_code(core.attention, vectors, query_matrix)


def _made_of(shown: ShownModel, attention: ShownAttention, head: int) -> None:
    """Draws the product that the queries come from."""
    document.section(_("Where q, k and v come from"))
    words = _(
        "Each word comes as a vector x. Three matrices, whose numbers training changes, make three others of it: its "
        "**query** q = x · W_Q, its **key** k = x · W_K and its **value** v = x · W_V."
    )
    if attention.kind == "cross":
        words = _(
            "Each word comes as a vector x. Three matrices, whose numbers training changes, make others of it: of the "
            "decoder's words the **query** q = x · W_Q, of the source's words (the encoder's output) the **key** k = x · W_K "
            "and the **value** v = x · W_V."
        )
    st.markdown(words)
    choices = attention.kind, attention.layer, head
    d, d_k = shown.cfg.d_model, shown.cfg.d_k
    places = st.columns(3)
    with places[0]:
        st.markdown(_("**x** · one row per word"))
        how = _("what enters this attention: {d} numbers for each word, of which the first {n} are drawn.")
        document.picture(query_input.of(shown, *choices), how.format(d=d, n=min(d, MADE_OF)))
    with places[1]:
        st.markdown(_("times **W_Q**, this head's part"))
        how = _("{d} × {d_k} numbers, the same for every word. The first {n} rows are drawn.")
        document.picture(query_matrix.of(shown, *choices), how.format(d=d, d_k=d_k, n=min(d, MADE_OF)))
    with places[2]:
        st.markdown(_(":blue[is **q**, one query per word]"))
        how = _("{d_k} numbers for each word: each is the sum of {d} products of a row of x and a column of W_Q.")
        if shown.cfg.attention_bias:
            how = _(
                "{d_k} numbers for each word: each is the sum of {d} products of a row of x and a column of W_Q, and a bias."
            )
        document.picture(vectors.of(shown, *choices, "q"), how.format(d=d, d_k=d_k), "query-made")


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
            picture = vectors.of(shown, attention.kind, attention.layer, head, name)
            document.picture(picture, words.format(d=d_k), f"vectors-{name}")
