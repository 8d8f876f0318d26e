"""The patterns of each head's attention in numbers, beside a head that attends uniformly."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.inference.settings import MAX_TOKENS
from explorer.inference.shown_model import ShownModel
from explorer.pictures.head_numbers import PATTERNS, PatternChoices, differing, patterns, shares_of
from explorer.ui import document, navigation, pickers
from explorer.ui.format import plain
from explorer.ui.widgets import slider
from transformer_core.analysis.attention_metrics import entropy, even_weights, mean_attention_to, mean_distance, relations
from transformer_core.model.stages import AttentionKind

_CLEAREST = 10


def draw(shown: ShownModel) -> None:
    """One attention's heads in a picture, step 0 beside a later one."""
    kind, layer = pickers.which_attention(shown.cfg, "cross")
    room = max(1, min(3, MAX_TOKENS - max(len(shown.src), len(shown.tgt))))
    help = _("Padding tokens behind both sentences. Queries that are padding are left out of all numbers.")
    padding = int(slider("patterns_padding", _("padding"), 0, room, 0, help))
    names = [_("head {i}").format(i=i) for i in range(shown.cfg.n_heads)]
    choices = PatternChoices(kind, layer, padding)
    _weights, _allowed, shares = shares_of(shown, choices)
    if shown.initial is None:
        _picture(shown, choices, shares, "patterns")
    else:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown(_("**After step {n:,}**").format(n=shown.learning.step))
            _picture(shown, choices, shares, "patterns")
        with right:
            st.markdown(_("**For comparison, at step 0: nothing here was learned**"))
            _picture(shown, replace(choices, initial=True), shares, "patterns-initial")
    _clearest(shares, names)
    document.details("head_patterns", lambda: _more(shown, kind, layer, padding, names))


def _more(shown: ShownModel, kind: AttentionKind, layer: int, padding: int, names: Sequence[str]) -> None:
    """Draws the table, and the clearest heads of all."""
    st.markdown(
        _(
            "Heads are often said to play different roles: one attends to the previous word, another to equal words. Here that "
            "is **measured**, and compared with uniform attention, which is spread evenly over all that may be seen."
        )
    )
    weights, allowed, shares = shares_of(shown, PatternChoices(kind, layer, padding))
    document.section(_("The same in numbers"))
    _table(weights, allowed, shares, names, kind)
    _whole_model(shown, padding)
    st.markdown(_("What a head attends to does not tell whether the model needs it. To measure that, cut it out:"))
    navigation.link("what_matters", _("Which head matters: each one cut out, and measured"))
    document.try_this(
        _(
            "Choose the **task** “copy numbers” in the sidebar and look at “cross”: which position does it attend to? "
            "What is the first token in its decoder, and why does that matter? Then look at a translator: which pattern is "
            "strongest in each of its heads?"
        ),
        _("Repeat a word in the sentence: now “same word” has something to measure."),
        _("Add padding: its share is 0 in every head, because it is masked."),
    )
    document.the_code(mean_attention_to, relations)


def _picture(shown: ShownModel, choices: PatternChoices, shares: np.ndarray, key: str) -> None:
    there = np.isfinite(shares[0])
    if not differing(shares).any():
        st.caption(_("All the words that may be attended to are of the same kind here, so heads cannot differ."))
        return
    titles = [_(title) for title in PATTERNS.values()]
    missing = ", ".join(title for title, seen in zip(titles, there, strict=True) if not seen)
    if missing:
        words = _(
            "the share of its attention that a head gives to each kind of word. The last row is uniform attention, to "
            "compare with. None here: {names}."
        ).format(names=missing)
    else:
        words = _(
            "the share of its attention that a head gives to each kind of word. The last row is uniform attention, to "
            "compare with."
        )
    document.picture(patterns(shown, choices), words, key)


def _excess(shares: np.ndarray) -> np.ndarray:
    """Returns by how much each head exceeds uniform attention; -1: there is no such pattern. Shape: (head, pattern)"""
    return np.nan_to_num(shares[:-1] - shares[-1], nan=-1.0)


def _clearest(shares: np.ndarray, names: Sequence[str]) -> None:
    """The head that exceeds uniform attention the most."""
    excess = _excess(shares)
    head, pattern = (int(i) for i in np.unravel_index(excess.argmax(), excess.shape))
    if excess[head, pattern] < 0.005:
        return
    st.markdown(
        _(
            "Most striking on this sentence is **{head}**: {share:.0%} of its attention goes to “{pattern}”; with uniform "
            "attention it would be {even:.0%}."
        ).format(
            head=names[head],
            share=shares[head, pattern],
            pattern=plain(_(list(PATTERNS.values())[pattern])),
            even=shares[-1, pattern],
        )
    )


def _table(weights: np.ndarray, allowed: np.ndarray, shares: np.ndarray, names: Sequence[str], kind: AttentionKind) -> None:
    """Entropy, distance (which two sentences do not have) and shares of each head, and of uniform attention."""
    with_uniform = np.concatenate([weights, even_weights(allowed)])
    table = {_("head"): [*names, _("uniform")], _("entropy (bits)"): entropy(with_uniform)}
    if kind != "cross":
        table[_("mean distance")] = mean_distance(with_uniform)
    titles = [_(title) for title in PATTERNS.values()]
    table |= {title: shares[:, i] for i, title in enumerate(titles) if np.isfinite(shares[0, i])}
    st.dataframe(table, hide_index=True, column_config=_three_digits([*table][1:]))
    if kind == "cross":
        document.reading(
            _(
                "entropy: how widely a head spreads its attention; 0 bits is a single word. All others: the share of its "
                "attention, averaged over the queries that have such a word to attend to."
            )
        )
    else:
        document.reading(
            _(
                "entropy: how widely a head spreads its attention; 0 bits is a single word. Mean distance: how many positions "
                "a query and its key lie apart. All others: the share of its attention, averaged over the queries that have "
                "such a word to attend to."
            )
        )


def _three_digits(columns: Sequence[str]) -> dict[str, Any]:
    return dict.fromkeys(columns, st.column_config.NumberColumn(format="%.3f"))


def _whole_model(shown: ShownModel, padding: int) -> None:
    """The heads of all layers and attentions that stand out most."""
    titles = [_(title) for title in PATTERNS.values()]
    rows = []
    for kind, kind_title in pickers.kind_titles().items():
        if kind == "cross" and not shown.cfg.cross_attention:
            continue
        for layer in range(shown.cfg.n_layers):
            shares = shares_of(shown, PatternChoices(kind, layer, padding))[2]
            excess = _excess(shares)
            for head, i in enumerate(excess.argmax(axis=1)):
                rows.append((excess[head, i], kind_title, layer, head, titles[i], shares[head, i], shares[-1, i]))
    rows.sort(key=lambda row: -row[0])
    document.section(_("The clearest heads of the whole model"))
    columns = (_("attention"), _("layer"), _("head"), _("attends to"), _("share"), _("uniform"))
    st.dataframe(
        [dict(zip(columns, (*row[1:5], float(row[5]), float(row[6])), strict=True)) for row in rows[:_CLEAREST]],
        hide_index=True,
        column_config=_three_digits(columns[4:]),
    )
    if shown.learning.step:
        words = _("the {n} of {all} heads that exceed uniform attention the most, each with the pattern in which it does.")
    else:
        words = _(
            "the {n} of {all} heads that exceed uniform attention the most, each with the pattern in which it does. These "
            "are the weights of step 0: whatever stands out here does so by chance."
        )
    document.reading(words.format(n=min(_CLEAREST, len(rows)), all=len(rows)))
