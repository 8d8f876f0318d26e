"""*Add this view*: what is on screen becomes a step of the lesson that the visitor makes."""

import json

import streamlit as st

from explorer.i18n import _
from explorer.model_on_screen.settings import first_task
from explorer.rooms.lesson import packed
from explorer.rooms.script import MOST_STEPS, PAGES, Step
from explorer.session import current
from explorer.session.lesson_link import view_of
from explorer.ui.format import plain
from explorer.ui.navigation import CONTENTS

_TRANSLATORS = ("home", "look_closer", "be_the_head", "hunt")
_MINUTES = 3.0  # of a step, where it is led in a room


def offer(page: str) -> None:
    """Draws the button, on pages that can be a step; none while somebody follows a lesson."""
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
    view = view_of(session.address.written or {})
    if (
        page in _TRANSLATORS or CONTENTS[page].settings is True
    ):  # the first task is the language's, and whoever follows has another
        view.setdefault("task", session.settings.task if session.task.is_chosen else first_task(session.language))
    step = Step("watch", title, _MINUTES, page=page, view=view)
    draft.add(step, [*session.rerun.drawn], next(iter(session.rerun.parts), ""))
    words = _("Step {n} of your lesson: {page}. The page *{make}* has it.")
    make = _(CONTENTS["lesson"].title)
    draft.news = words.format(n=len(draft.steps), page=plain(title), make=make)


def keep() -> None:
    """Has the browser's window keep the lesson that is being made, for when it loads a page anew. That a step was added is said
    behind it: whoever reads it and leaves the page at once has lost nothing.
    """
    draft = current().draft
    steps = [*draft.steps.values()]
    word = json.dumps(packed(steps) if steps else "")
    st.html(
        f"<script data-bar>{{ try {{ sessionStorage.setItem('draft', {word}); }} catch {{}} }}</script>",
        width="content",
        unsafe_allow_javascript=True,
    )
    if draft.news:
        news, draft.news = draft.news, ""
        st.toast(news, icon=":material/playlist_add_check:")
