"""Where in the model a page is: a small map in the page's corner, where what the page shows is lit."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import state
from explorer.components import model_map
from explorer.contents import CONTENTS, follow


def heading() -> DeltaGenerator:
    """A place for the page's title; beside it one is kept for the map, where the page has one."""
    st.session_state.pop("_corner", None)
    if _lit() is None:
        return st.container()
    title, st.session_state["_corner"] = st.columns([4, 1])
    return title


def show() -> None:
    """Draws the map, when the page has said all that it shows."""
    corner, lit = st.session_state.pop("_corner", None), _lit()
    if corner is None or lit is None:
        return
    with corner:
        parts, layer = st.session_state.get("_shown") or (lit, None)
        clicked = model_map.show_small(state.view().cfg, parts, layer)
    if clicked:
        follow(clicked)


def _lit() -> tuple[str, ...] | None:
    """What the page is about, unless one of its parts says more; None on a page without a map, or one that runs alone."""
    entry = CONTENTS.get(st.session_state.get("_page") or "home")
    return entry.lit if entry is not None and "_routed" in st.session_state else None
