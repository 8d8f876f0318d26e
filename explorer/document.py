"""The pieces that every page is written with, so that all pages read alike."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import controls, state, where
from explorer.components.plot import show
from explorer.contents import link
from explorer.figures.style import Figure
from explorer.state import View
from explorer.words import _


def opening(title: str, words: str) -> None:
    """A page's title and its two sentences."""
    with where.heading():
        _title(title, words)


def opening_of_model(title: str, words: str) -> View:
    """The same on a page that shows the model of the sidebar, with the note where its weights come from."""
    with where.heading():
        _title(title, words)
        view = state.view()
        weights_note(view)
    return view


def _title(title: str, words: str) -> None:
    st.title(title)
    st.markdown(words)


def section(title: str) -> None:
    """Begins a section of a page: the level right under the page's title, for those who jump from heading to heading."""
    st.header(title)


def weights_note(view: View) -> None:
    """Says where the weights come from: a picture of random weights must never pass for insight."""
    if view.stored is not None:
        st.success(_("Trained weights: {name}.").format(name=view.stored.name), icon=":material/school:")
    else:
        note, way = st.columns([2, 1], vertical_alignment="center")
        note.info(
            _("Random weights (seed {seed}): nothing has been learned yet, so a pattern here means nothing yet.").format(
                seed=view.key.seed
            ),
            icon=":material/casino:",
        )
        with way:
            link("training", _("Train one, in seconds"))
            st.caption(_("or choose a trained **Model** in the sidebar"))
    if view.unknown:
        st.caption(
            _("Not in the vocabulary, so read as <unk>: {words}")
            .format(words=", ".join(word[:40] for word in view.unknown[:20]))
            .replace("<", "\\<")
        )


def figure(drawn: Figure, key: str, how_to_read: str, clickable: bool = False) -> dict[str, Any] | None:
    """A figure with one line under it that says how to read it; returns the point that was clicked, if any."""
    click = show(drawn, key, clickable)
    reading(how_to_read)
    return click


def reading(words: str) -> None:
    """How to read what stands above."""
    words = words.replace("<", "\\<")
    st.caption(f"**{_('How to read this')}** · {words}")


def grid(count: int) -> list[DeltaGenerator]:
    """Places for so many figures, two in a row; on a phone they stand in the same order, one below the other."""
    return [place for _row in range(-(-count // 2)) for place in st.columns(2)]


def parts(drawings: Mapping[str, Callable[[], None]]) -> None:
    """The parts of a long page: only the one on screen is computed and sent, and the address bar says which.

    Not st.tabs: the browser takes longer over them at every turn of a knob.
    """
    drawings[controls.choose("part", _("part of this page"), list(drawings), hidden=True)]()


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
            st.code(_source(function), language="python")


_source = cache(inspect.getsource)
