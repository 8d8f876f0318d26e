"""Where in the model a page is: a small map in the page's corner, in which what the page shows is highlighted."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.components import model_map
from explorer.session import current
from explorer.ui.navigation import CONTENTS, follow
from transformer_core.errors import InputError


def heading() -> DeltaGenerator:
    """A place for the page's title; beside it one is kept for the map, where the page has one."""
    rerun = current().rerun
    if rerun.page not in CONTENTS or CONTENTS[rerun.page].highlight is None:
        return st.container()
    title, rerun.corner = st.columns([4, 1])
    return title


def highlight(*parts: str, layer: int | None = None) -> None:
    """Notes which parts of the model are on screen (names: see `model_map`); without it, those of the page's entry are."""
    current().rerun.highlight = parts, layer


def show() -> None:
    """Draws the map, when the page has said all that it shows."""
    session = current()
    rerun = session.rerun
    if rerun.corner is None:
        return
    try:
        cfg = session.shown().cfg
    except InputError:
        return  # the page says why
    parts, layer = rerun.highlight or (CONTENTS[rerun.page].highlight or (), None)
    with rerun.corner:
        clicked = model_map.show_small(cfg, parts, layer)
    if clicked:
        follow(clicked)
