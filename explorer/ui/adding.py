"""*Add this view*: what is on screen becomes a step of the lesson that the visitor makes."""

import json

import streamlit as st

from explorer.i18n import N_, _
from explorer.model_on_screen.setting_table import MODEL
from explorer.model_on_screen.sources import reader_of
from explorer.rooms.lesson import packed
from explorer.rooms.script import MOST_STEPS, PAGES, Step
from explorer.session import current
from explorer.session.lesson_link import view_of
from explorer.ui.format import plain
from explorer.ui.navigation import CONTENTS
from explorer.ui.setting_names import setting_name

_MINUTES = 3.0  # of a step, where it is led in a room
_BESIDE = {"step": N_("steps learned"), "cut": N_("cuts")}  # settings with a place of their own


def offer(page: str) -> None:
    """Draws the button, on pages that can be a step, unless a lesson is on screen: what it locks would go along."""
    if page in PAGES and current().lesson is None:
        st.button(
            _("Add this view to a lesson"), key="add-view", icon=":material/playlist_add:", type="tertiary", on_click=_add
        )


def _add() -> None:
    session, draft = current(), current().draft
    page, title = session.rerun.page, _(CONTENTS[session.rerun.page].title)
    if len(draft.steps) >= MOST_STEPS:
        st.toast(_("A lesson has at most {n} steps.").format(n=MOST_STEPS), icon=":material/playlist_remove:")
        return
    draft.add(Step("watch", title, _MINUTES, page=page, view=view_of(session.address.written or {})), _controls(page))
    words = _("Step {n} of your lesson: {page}. The page *{make}* has it.")
    make = _(CONTENTS["lesson"].title)
    st.toast(words.format(n=len(draft.steps), page=plain(title), make=make), icon=":material/playlist_add_check:")


def _controls(page: str) -> dict[str, str]:
    """Returns what of the page on screen can be locked: the names of its controls, and their labels."""
    session = current()
    labels = session.controls.labels
    drawn = {name: labels[name] for name in session.rerun.drawn if labels.get(name)}
    if CONTENTS[page].settings is not True:
        return drawn
    source = {"task": setting_name("task"), reader_of(session.settings).setting: _("source sentence")}
    sizes = {name: setting_name(name) for name, setting in MODEL.items() if setting.group is not None}
    return drawn | source | sizes | {name: _(label) for name, label in _BESIDE.items()}


def keep() -> None:
    """Has the browser's window keep the lesson that is being made, for when it loads a page anew."""
    steps = [*current().draft.steps.values()]
    word = json.dumps(packed(steps) if steps else "")
    st.html(
        f"<script>{{ try {{ sessionStorage.setItem('draft', {word}); }} catch {{}} }}</script>",
        width="content",
        unsafe_allow_javascript=True,
    )
