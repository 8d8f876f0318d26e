"""The pieces that every page is written with, so that all pages read alike."""

import inspect
from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.contents import link
from explorer.state import View
from explorer.words import _


def opening(title: str, words: str) -> None:
    """A page's title and its two sentences."""
    st.title(title)
    st.markdown(words)


def weights_note(view: View) -> None:
    """Says where the weights come from: a picture of random weights must never pass for insight."""
    if view.stored is not None:
        st.success(_("Trained weights: {name}.").format(name=view.stored.name), icon=":material/school:")
    else:
        note, way = st.columns([3, 1], vertical_alignment="center")
        note.info(
            _("Random weights (seed {seed}): nothing has been learned yet, so a pattern here means nothing yet.").format(seed=view.key.seed),
            icon=":material/casino:",
        )
        with way:
            link("training", _("Train one, in seconds"))
    if view.unknown:
        st.caption(_("Not in the vocabulary, so read as <unk>: {words}").format(words=", ".join(view.unknown)).replace("<", "\\<"))


def how_to_read(words: str) -> None:
    """One line under a figure."""
    st.caption(f"**{_('How to read this')}** · {words}")


def try_this(*ideas: str) -> None:
    st.markdown(f"**{_('Try')}**\n" + "\n".join(f"- {idea}" for idea in ideas))


def formula(tex: str, source: str) -> None:
    """A formula and where in the paper it stands."""
    st.latex(tex)
    st.caption(source)


def the_code(*functions: Callable[..., Any] | type) -> None:
    """The very code that ran for this page."""
    with st.expander(_("The code that ran"), icon=":material/code:"):
        for function in functions:
            st.caption(f"`{function.__module__}`")
            st.code(inspect.getsource(function), language="python")
