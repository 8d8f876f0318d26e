"""A small map in the page's corner that highlights the parts of the model that the page shows, marks cuts, and leads on."""

import streamlit as st

from explorer.components import model_map
from explorer.i18n import _
from explorer.session import current
from explorer.ui.navigation import CONTENTS, follow
from transformer_core.analysis.cutting import where
from transformer_core.errors import InputError


def place() -> None:
    """Reserves a slot for the map at the end of the page's first line, if the page has one."""
    rerun = current().rerun
    if rerun.page in CONTENTS and CONTENTS[rerun.page].highlight is not None:
        rerun.corner = st.container(key="corner", width="content")


def highlight(*parts: str, layer: int | None = None) -> None:
    """Sets the highlighted parts (names: see `model_map`); without a call, those of the page's entry are highlighted."""
    current().rerun.highlight = parts, layer


def show() -> None:
    """Draws the map, once the page has said what it shows."""
    session = current()
    rerun = session.rerun
    if rerun.corner is None:
        return
    try:
        shown = session.shown()
    except InputError:
        return  # the page says what is wrong
    parts, layer = rerun.highlight or (CONTENTS[rerun.page].highlight or (), None)
    cut = {f"{path.stack}.{path.part}" for each in shown.choice.cuts.made for path in where(each, shown.cfg)}
    pages = {name: _(entry.title) for name, entry in CONTENTS.items() if entry.highlight is not None}
    with rerun.corner:
        clicked = model_map.show_small(shown.cfg, parts, layer, cut, pages, rerun.page)
    if clicked:
        follow(clicked)
