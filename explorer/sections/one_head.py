"""One head of the model, from its vectors to its answer, with the digits."""

from typing import Any

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.matrix import matrix
from explorer.state import Site
from explorer.words import _
from transformer_core.attention import attention
from transformer_core.measures import row_arithmetic


def one_head(site: Site, head: int) -> None:
    """Vectors, scores, weights and answer of one head, and one word followed through them."""
    queries, keys = site.query_labels, site.key_labels
    q, k, v = (site[name][head] for name in ("q", "k", "v"))
    d_k, score = site.view.cfg.d_k, site.view.cfg.score
    scaled = score == "scaled_dot"

    st.subheader(_("1 · Three vectors for every word"))
    for column, letter, values, labels, words in zip(
        st.columns(3),
        (
            f":blue[{_('Q · what it asks')}]",
            f":orange[{_('K · what it offers to be found by')}]",
            f":green[{_('V · what it gives')}]",
        ),
        (q, k, v),
        (queries, keys, keys),
        (_("one row per asking word"), _("one row per asked word"), _("one row per asked word")),
        strict=True,
    ):
        with column:
            st.markdown(f"**{letter}**")
            picture = matrix(values, rows=labels, columns=d_k, column_title=_("dimension of the head"), signed=True, cell=22)
            document.figure(picture, f"vectors-{letter}", _("{words}, {d} numbers each (d_k).").format(words=words, d=d_k))

    st.subheader(_("2 · From scores to weights, for all words at once"))
    stages = [
        (_("q · k"), "products", True, _("how well question and label agree: multiply number by number, and add.")),
        (
            _("÷ √d_k") if scaled else _("score"),
            "scores",
            True,
            _("divided by √{d} = {root:.2f}, so that wide heads do not shout.").format(d=d_k, root=d_k**0.5)
            if scaled
            else _("what this model's own way to score ({score}) makes of the two.").format(score=score),
        ),
        (_("mask"), "masked_scores", True, _("what may not be seen is taken out (×).")),
        (_("softmax"), "weights", False, _("each row turned into shares that add up to 1.")),
    ]
    if score not in ("scaled_dot", "dot"):  # such a model compares the two without q · k
        stages = stages[1:]
    axes, follow = site.axes, " " + _("Click a cell to follow it below.") if scaled else ""
    clicks = []
    places = document.grid(len(stages))
    for i, (title, stage, signed, words) in enumerate(stages):
        with places[i]:
            st.markdown(f"**{i + 1}. {title}**")
            valid = site.allowed if stage in ("masked_scores", "weights") else None
            picture = matrix(site[stage][head], signed=signed, **axes | {"valid": valid})
            clicks.append(document.figure(picture, stage, words + follow, clickable=scaled))

    if scaled:
        _one_word(site, head, next((click for click in clicks if click), None))
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
            if scaled
            else " " + _("This model has a score of its own in the place of the fraction: {score}.").format(score=score)
        ),
    )
    document.try_this(
        _("Change one word in the sidebar: in q · k its row and its column change and, in the first layer, nothing else."),
        _("Turn **heads** up: d_k shrinks, and with it the length of the sums."),
    )
    document.the_code(attention)


def _one_word(site: Site, head: int, clicked: dict[str, Any] | None) -> None:
    """One row of the pictures above, number by number; `clicked` is a cell of them."""
    queries, keys = site.query_labels, site.key_labels
    q, k, v = (site[name][head] for name in ("q", "k", "v"))
    d_k = site.view.cfg.d_k
    st.subheader(_("3 · Follow one word"))
    if clicked is not None:
        st.session_state["query"], st.session_state["key"] = clicked["y"], clicked["x"]
    left, right = st.columns(2)
    with left:
        query = controls.pick("query", _("the word that asks"), queries, default=min(2, len(queries) - 1))
    with right:
        key = controls.pick("key", _("the word that is asked"), keys)
    row = row_arithmetic(q[query], k, v, site.allowed[query])
    st.markdown(
        _("**“{query}” asks “{key}”**: q · k, number by number").format(query=queries[query], key=keys[key]).replace("<", "\\<")
    )
    pairs = [row.q, row.k[key], row.q * row.k[key]]
    terms = matrix(pairs, rows=["q", "k", "q × k"], columns=d_k, column_title=_("dimension of the head"), signed=True, cell=34)
    total = _("the third row adds up to {sum:.4f}; divided by √{d} that is {score:.4f}.")
    if d_k > 16:  # too many to be written into the cells
        st.dataframe(dict(zip(map(str, range(d_k)), np.round(pairs, 4).T, strict=True)))
    document.figure(terms, "terms", total.format(sum=row.products[key], d=d_k, score=row.scores[key]))

    st.markdown(_("**The whole row of “{query}”**").format(query=queries[query]).replace("<", "\\<"))
    st.dataframe(
        {
            _("is asked"): keys,
            "q · k": row.products.round(4),
            "÷ √d_k": row.scores.round(4),
            _("may see"): [_("yes") if open_ else "×" for open_ in row.allowed],
            _("exp"): row.powers.round(4),
            _("weight"): row.weights.round(4),
        },
        hide_index=True,
    )
    document.reading(
        _(
            "exp is e to the power of the score (less the row's largest, which changes nothing). Each weight is its exp "
            "divided by their sum, {sum:.4f}. Done again here by hand; the model's own weights differ by {delta:.0e} at most."
        ).format(sum=row.powers.sum(), delta=abs(row.weights - site["weights"][head][query]).max())
    )
    st.markdown(_("**What “{query}” takes**: each value times its weight").format(query=queries[query]).replace("<", "\\<"))
    taken = matrix(
        [*row.weighted, row.context], rows=[*keys, _("sum")], columns=d_k, column_title=_("dimension of the head"), signed=True
    )
    document.figure(
        taken,
        "taken",
        _(
            "one row per word: weight × value. The last row is their sum, the head's answer; the model's own "
            "differs by {delta:.0e}."
        ).format(delta=abs(row.context - site["context"][head][query]).max()),
    )
