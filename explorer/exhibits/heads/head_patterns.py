"""The patterns of each head's attention in numbers, beside a head that attends uniformly."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import streamlit as st

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import N_, _
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.choices import padding_space
from explorer.pictures.exhibit import Fit, Kind, Layer, drawn, numbers
from explorer.pictures.registry import Ends
from explorer.ui import document, navigation, pickers
from explorer.ui.format import plain
from transformer_core.analysis.attention_metrics import entropy, even_weights, mean_attention_to, mean_distance, relations
from transformer_core.analysis.run import Run
from transformer_core.model.stages import AttentionKind, attention_kinds

Padding = Annotated[
    int, Ends(0, MAX_TOKENS), Fit(lambda value, run, _said: min(value, padding_space(len(run.src), len(run.tgt))))
]  # behind both sentences

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def patterns(run: Run, kind: Kind, layer: Layer, patterns_padding: Padding, initial: bool = False) -> np.ndarray:
    """The share of its attention that each head gives to each kind of word; the last row attends uniformly.
    Shape: (head + 1, kind of word), of the kinds that tell heads apart
    """
    by_pattern = shares(run, kind, layer, patterns_padding, initial)
    return by_pattern[:, drawn_of(by_pattern)]


@numbers()
def shares(run: Run, kind: Kind, layer: Layer, patterns_padding: Padding, initial: bool) -> np.ndarray:
    """The same for every kind of word; NaN where there is none. `initial`: before the first step. Shape: (head + 1, kind)"""
    run = run.before if initial else run
    part, words = run.padded(patterns_padding, patterns_padding).attention(kind, layer), run.vocabulary
    heads, allowed = heads_and_uniform(run, kind, layer, patterns_padding)
    related = relations(part.queries, part.keys, words.tokens, words.pad, same_sequence=kind != "cross")
    columns = []
    for name, pairs in related.items():
        seen = np.ones_like(allowed) if name == "padding" else allowed  # padding is masked, and counted all the same
        columns.append(mean_attention_to(heads, pairs[: len(allowed)], seen))
    return np.stack(columns, axis=1)


def heads_and_uniform(run: Run, kind: AttentionKind, layer: int, padding: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the weights of all heads, and uniform ones, (head + 1, query, key), and the mask; without queries of padding."""
    part, n = run.padded(padding, padding).attention(kind, layer), len(run.attention(kind, layer).queries)
    weights, allowed = part["weights"][:, :n], part.allowed[:n]
    return np.concatenate([weights, even_weights(allowed)]), allowed


def drawn_of(by_pattern: np.ndarray) -> np.ndarray:
    """Returns which kinds are drawn: those that tell heads apart, or else all there are. Shape: -> (kind,) booleans"""
    # A kind that all keys are of gets everything from every head.
    apart = np.isfinite(by_pattern[0]) & ~np.isclose(by_pattern[-1], 1)
    return apart if apart.any() else np.isfinite(by_pattern[0])


# --- Drawing. ---------------------------------------------------------------------------------------------------------

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


@drawn(patterns)
def _draw_patterns(
    values: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, patterns_padding: int, initial: bool
) -> Matrices:
    is_drawn = drawn_of(shares(run_of(shown), kind, layer, patterns_padding, initial))
    columns = [_(title) for title, there in zip(PATTERNS.values(), is_drawn, strict=True) if there]
    rows = [*(_("head {i}").format(i=i) for i in range(shown.cfg.n_heads)), _("uniform")]
    return matrix(values, rows=rows, columns=columns, column_title=_("attends to"), cell=34)


# --- Page. ------------------------------------------------------------------------------------------------------------

_CLEAREST = 10


def draw(shown: ShownModel) -> None:
    """One attention's heads in a picture, step 0 beside a later one."""
    kind, layer = pickers.which_attention(shown.cfg, "cross")
    padding = pickers.padding(shown)
    names = [_("head {i}").format(i=i) for i in range(shown.cfg.n_heads)]
    now = shares(run_of(shown), kind, layer, padding, False)
    if shown.initial is None:
        _picture(shown, kind, layer, padding)
    else:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown(_("**After step {n:,}**").format(n=shown.learning.step))
            _picture(shown, kind, layer, padding)
        with right:
            st.markdown(_("**For comparison, at step 0: nothing here was learned**"))
            _picture(shown, kind, layer, padding, initial=True)
    _clearest(now, names)
    document.details("head_patterns", lambda: _details(shown, kind, layer, padding, names))


def _details(shown: ShownModel, kind: AttentionKind, layer: int, padding: int, names: Sequence[str]) -> None:
    """Draws the table, and the clearest heads of all."""
    st.markdown(
        _(
            "Heads are often said to play different roles: one attends to the previous word, another to equal words. Here that "
            "is **measured**, and compared with uniform attention, which is spread evenly over all that may be seen."
        )
    )
    document.section(_("The same in numbers"))
    _table(shown, kind, layer, padding, names)
    _whole_model(shown, padding)
    st.markdown(_("What a head attends to does not tell whether the model needs it. To measure that, cut it out:"))
    navigation.link("what_matters", _("Which head matters: each one cut out, and measured"))
    document.try_this(
        _(
            "Choose the **task** “copy numbers” in the sidebar and look at “cross”: which position does it attend to? "
            "What is the first token in its decoder, and why does that matter? Then look at a translator: which pattern is "
            "strongest in each of its heads?"
        )
        if shown.cfg.has_encoder
        else "",
        _("Repeat a word in the sentence: now “same word” has something to measure."),
        _("Add padding: its share is 0 in every head, because it is masked."),
    )
    document.the_code(mean_attention_to, relations, patterns, shares)


def _picture(shown: ShownModel, kind: AttentionKind, layer: int, padding: int, initial: bool = False) -> None:
    now = shares(run_of(shown), kind, layer, padding, False)
    there = np.isfinite(now[0])
    if np.isclose(now[-1, there], 1).all():
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
    picture = patterns.of(shown, kind, layer, padding, initial)
    document.picture(picture, words, "patterns-initial" if initial else "patterns")


def _excess(by_pattern: np.ndarray) -> np.ndarray:
    """Returns by how much each head exceeds uniform attention; -1: there is no such pattern. Shape: (head, pattern)"""
    return np.nan_to_num(by_pattern[:-1] - by_pattern[-1], nan=-1.0)


def _clearest(by_pattern: np.ndarray, names: Sequence[str]) -> None:
    """The head that exceeds uniform attention the most."""
    excess = _excess(by_pattern)
    head, pattern = (int(i) for i in np.unravel_index(excess.argmax(), excess.shape))
    if excess[head, pattern] < 0.005:
        return
    st.markdown(
        _(
            "Most striking on this sentence is **{head}**: {share:.0%} of its attention goes to “{pattern}”; with uniform "
            "attention it would be {even:.0%}."
        ).format(
            head=names[head],
            share=by_pattern[head, pattern],
            pattern=plain(_(list(PATTERNS.values())[pattern])),
            even=by_pattern[-1, pattern],
        )
    )


def _table(shown: ShownModel, kind: AttentionKind, layer: int, padding: int, names: Sequence[str]) -> None:
    """Entropy, distance (which two sentences do not have) and shares of each head, and of uniform attention."""
    run = run_of(shown)
    heads, _allowed = heads_and_uniform(run, kind, layer, padding)
    by_pattern = shares(run, kind, layer, padding, False)
    table = {_("head"): [*names, _("uniform")], _("entropy (bits)"): entropy(heads)}
    if kind != "cross":
        table[_("mean distance")] = mean_distance(heads)
    titles = [_(title) for title in PATTERNS.values()]
    table |= {title: by_pattern[:, i] for i, title in enumerate(titles) if np.isfinite(by_pattern[0, i])}
    st.dataframe(table, hide_index=True, column_config=_three_digits([*table][1:]))
    if kind == "cross":
        document.caption(
            _(
                "entropy: how widely a head spreads its attention; 0 bits is a single word. All others: the share of its "
                "attention, averaged over the queries that have such a word to attend to."
            )
        )
    else:
        document.caption(
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
    kinds = pickers.kind_titles()
    for kind in attention_kinds(shown.cfg):
        for layer in range(shown.cfg.n_layers):
            by_pattern = shares(run_of(shown), kind, layer, padding, False)
            excess = _excess(by_pattern)
            for head, i in enumerate(excess.argmax(axis=1)):
                rows.append((excess[head, i], kinds[kind], layer, head, titles[i], by_pattern[head, i], by_pattern[-1, i]))
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
            "are the attention weights of step 0: whatever stands out here does so by chance."
        )
    document.caption(words.format(n=min(_CLEAREST, len(rows)), all=len(rows)))
