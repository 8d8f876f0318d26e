"""What the fields for pairs and for a text share: examples, what a token is, tokens as they are read, and rows with a fault."""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from explorer import i18n
from explorer.i18n import _, n_
from explorer.ui.format import plain
from explorer.ui.widgets import choose
from transformer_core.data.pairs import Split
from transformer_core.errors import InputError

NAMED = 5  # rows with a fault that are named at once


class Example(NamedTuple):
    """Something to begin with.

    Attributes:
        name: its file's; title: of its button; look: a sentence about what to look at; text: as one would type it.
    """

    name: str
    title: str
    look: str
    text: str


def begin_with(examples: Sequence[Example], now: str, take: Callable[[str], None]) -> None:
    """Draws a button for each example; `take` puts its text in the field. Of one that is there `now`, says what to look at."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("Begin with"), width="content")
        for each in examples:
            st.button(each.title, key=f"example-{each.name}", on_click=take, args=(each.text,))
    for each in examples:
        if each.text == now:
            st.caption(each.look)


def split_of() -> Split:
    """Asks what a token is."""
    titles: dict[Split, str] = {"words": _("words"), "characters": _("characters")}
    help = _(
        "Words: a blank ends a word; signs, emoji and the characters of scripts without blanks, such as Chinese, stand alone. "
        "Characters: each stands alone. Small and capital letters are the same."
    )
    return choose("split", _("tokens"), [*titles], titles, help=help)


def faults(found: Sequence[InputError], title: str) -> None:
    """Names the rows that are left out, below a title; nothing where there are none."""
    if not found:
        return
    words = [f"- {plain(i18n.error(fault))}" for fault in found]
    st.warning("\n".join([title, "", *words[:NAMED]]), icon=":material/edit_note:")
    if rest := words[NAMED:]:
        with st.popover(n_("{n} more row", "{n} more rows", len(rest)).format(n=len(rest)), type="tertiary"):
            st.markdown("\n".join(rest))


def chips(tokens: Sequence[str]) -> str:
    """Formats tokens as HTML."""
    return "".join(f"<span>{escape(token)}</span>" for token in tokens)
