"""Attention at a glance: words, and lines between them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
import streamlit as st

from everyday.french.agreement import agreement
from explorer.components import attention_view
from explorer.components.attention_view import Cutting, Selection, Without
from explorer.exhibits.heads import after_an_edit, before_a_cut
from explorer.exhibits.shared import cut_effect
from explorer.exhibits.shared.softmax import attention_weights
from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.attention import lines
from explorer.pictures.choices import PaddedAttentionChoices
from explorer.pictures.exhibit import Kind, Layer, among, drawn, numbers
from explorer.ui import cuts, document, more, pickers
from explorer.ui.format import plain
from explorer.ui.fragment import fragment
from transformer_core import MultiHeadAttention
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.run import Run
from transformer_core.model.stages import AttentionKind

_MUCH = 0.5  # the share of a head's attention that is called much

Side = Literal["query", "key"]


def _words(run: Run, said: Mapping[str, Any]) -> int:
    part = run.attention(said["kind"], said["layer"])
    return len(part.queries if said["side"] == "query" else part.keys)


Place = Annotated[int, among(_words)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def selected_word(run: Run, kind: Kind, layer: Layer, side: Side, place: Place) -> np.ndarray:
    """The weights of one word, head by head: those that a query gives, or that a key gets. Shape: (head, word)"""
    weights = run.attention(kind, layer)["weights"]  # (head, query, key)
    return weights[:, place] if side == "query" else weights[:, :, place]


@selected_word.formula
def word_by_formula(run: Run, kind: Kind, layer: Layer, side: Side, place: Place) -> np.ndarray:
    """The weights that one word gives, a row of each head's, or those that it gets, a column. Shape: (head, word)"""
    weights = attention_weights(run.attention(kind, layer))
    return weights[:, place] if side == "query" else weights[:, :, place]


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(selected_word)
def _draw_word(shares: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, side: str, place: int) -> Figure:
    map = shown.attention(kind, layer).map
    series = {_("head {i}").format(i=i): row for i, row in enumerate(shares)}
    return bars(map.key_labels if side == "query" else map.query_labels, series, y_title=_("weight"), height=260)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """One attention of the model as lines between words, and the weights of the word that is selected."""
    with more.controls():
        kind, layer = pickers.which_attention(shown.cfg, "cross")
    _view(shown, shown.attention(kind, layer))
    if shown.choice.cuts:
        cut_effect.draw(shown)


@fragment  # selecting a word concerns nothing else on the page; what is cut concerns all of it
def _view(model: ShownModel, attention: ShownAttention) -> None:
    cuts.redraw_if_cut()
    shown, kind, layer = attention.map, attention.kind, attention.layer
    selection = attention_view.show(
        shown,
        "attention-view",
        mean=True,
        tools=more.is_on(),
        live=lines.live(PaddedAttentionChoices(kind, layer)),
        on_cut=cuts.add_clicked,
        cutting=None if cuts.are_locked() else Cutting(kind, layer, model.cfg.n_layers, cuts.cut_text(), cuts.MOST),
        without=Without.of(model.choice.cuts.made, kind, layer),
    )
    document.caption(_("the thicker a line, the more a word looks at the other. Each head has its own colour."))
    after_an_edit.draw(model, [kind], layer)
    if (told := _gender(model, shown)) is not None:
        st.markdown(told)
    before_a_cut.draw(model, attention)
    document.details("words_and_lines", lambda: _details(model, shown, selection))


def _details(model: ShownModel, shown: AttentionMap, selection: Selection | None) -> None:
    """Draws the weights of one word, head by head."""
    st.markdown(
        _(
            "In the field's words: a **query** takes a share of every **key**, and its shares, the attention weights, add up "
            "to 100%. Queries, keys, heads and layers are counted from 0."
        )
    )
    word = selection or _strongest(shown)
    of_query = word.side == "query"
    picture = selected_word.of(model, shown.kind, shown.layer, word.side, word.place)
    labels = shown.query_labels if of_query else shown.key_labels
    title = _("How much “{word}” takes from each word") if of_query else _("How much each word takes from “{word}”")
    st.markdown(f"**{title.format(word=plain(labels[word.place]))}**")
    if selection is not None:
        words = _(
            "one bar per head; its height is the weight. This is the word you selected; choose it again above to clear it."
        )
    else:
        words = _(
            "one bar per head; its height is the weight. No word is selected, so this is the query with the largest weight "
            "({top:.0%}). Click another word above."
        ).format(top=float(picture.values.max()))
    document.picture(picture, words)
    document.try_this(
        _("Choose a query: which words does it attend to? And a key: which words attend to it?"),
        _("Switch heads off one by one: how do they differ?"),
        _(
            "Choose “cut everywhere” above, and click a thick line: which word of the answer changes, if any? Backspace brings "
            "it back."
        ),
        _("Choose “cross”, with a translation as the **task** in the sidebar: where do the lines cross, and why?")
        if model.cfg.has_encoder
        else _("Choose another **layer**, under *More controls*: which looks at the previous word, which farther back?"),
    )
    document.the_code(MultiHeadAttention, selected_word)


def _gender(model: ShownModel, shown: AttentionMap) -> str | None:
    """Points out a French determiner that looks at the noun it agrees with, if the answer has one."""
    if shown.kind != "cross" or model.translation is None or model.translation.language != "fr":
        return None
    for query, determiner in enumerate(shown.next_tokens):
        agreeing = agreement(determiner, shown.next_tokens[query + 1 :], shown.key_tokens)
        if agreeing is not None and (weights := shown.weights[:, query, agreeing.place]).max() >= _MUCH:
            sentence = (
                _(
                    "Before it writes “{determiner}”, head {head} gives {share:.0%} of its attention to “{word}”. "
                    "“{determiner}” has to agree with “{noun}”, a feminine noun that is not written yet. Does the model know "
                    "it from there? Choose “cut” above, and click “{word}”."
                )
                if agreeing.feminine
                else _(
                    "Before it writes “{determiner}”, head {head} gives {share:.0%} of its attention to “{word}”. "
                    "“{determiner}” has to agree with “{noun}”, a masculine noun that is not written yet. Does the model "
                    "know it from there? Choose “cut” above, and click “{word}”."
                )
            )
            return sentence.format(
                determiner=determiner,
                noun=agreeing.noun,
                head=int(weights.argmax()),
                share=weights.max(),
                word=shown.key_tokens[agreeing.place],
            )
    return None


def _strongest(shown: AttentionMap) -> Selection:
    """The query with the largest weight, among those that may attend to more than one key."""
    choosing = shown.allowed.sum(axis=1) > 1
    return Selection("query", int((shown.weights.max(axis=(0, 2)) * choosing).argmax()))
