"""Attention at a glance: words, and lines between them."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.components import attention_view
from explorer.components.attention_view import Picture, Selection
from explorer.figures.lines import bars
from explorer.state import Site, View
from explorer.words import _
from transformer_core import MultiHeadAttention


def words_and_lines(view: View) -> None:
    """One attention of the model as lines between words, and the numbers of the word that is held."""
    kind, layer = controls.which_attention(view.cfg, "cross")
    _touchable(Site(view, kind, layer))
    document.try_this(
        _("Point at a word on the left: where does it look? Point at one on the right: who looks at it?"),
        _("Switch heads off, one after the other: each of them looks in its own way."),
        _("With the translator (**Model** in the sidebar) and “cross”: where do lines cross, and why?"),
    )
    document.the_code(MultiHeadAttention)


@st.fragment  # holding a word concerns nothing else on the page
def _touchable(site: Site) -> None:
    selection = attention_view.show(Picture.of(site), "attention-view")
    document.reading(
        _(
            "each word on the left asks, and takes a share from each word on the right: the thicker the line, the more. All "
            "that a word takes adds up to 100%. A head is one of several such views; each has its colour and its number."
        )
        + (_(" Here a word on the left was said last, and looks for what to say next.") if site.kind == "cross" else "")
    )
    weights = site["weights"]
    choosing = site.allowed.sum(axis=1) > 1  # a word that may see one word only gives it all it has
    selected = selection or Selection("query", int((weights.max(axis=(0, 2)) * choosing).argmax()))
    shares = weights[:, selected.place] if selected.side == "query" else weights[:, :, selected.place]
    words, others = (site.query_labels, site.key_labels) if selected.side == "query" else (site.key_labels, site.query_labels)
    title = _("What “{word}” takes from each word") if selected.side == "query" else _("What each word takes from “{word}”")
    st.markdown(f"**{title.format(word=words[selected.place])}**".replace("<", "\\<"))
    document.figure(
        bars(others, {_("head {i}").format(i=i): row for i, row in enumerate(shares)}, y_title=_("share (weight)"), height=260),
        "held-word",
        _("one bar per head, 1 is all that a word takes.") + " " + _how_chosen(selection, shares),
    )


def _how_chosen(selection: Selection | None, shares: np.ndarray) -> str:
    """Why this word is the one below the picture."""
    if selection is not None:
        return _("The word that you hold above; press Esc there to let it go.")
    return _("You hold no word, so this is the one with the strongest link ({top:.0%}); click another above.").format(
        top=float(shares.max())
    )
