"""The slim bar above a page while a lesson is on screen: its note, where one is, the way on, and the way out."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.i18n import _
from explorer.session import current, lesson_link
from explorer.session.lesson import PACKED, Lesson
from explorer.ui.navigation import CONTENTS, open_anew
from explorer.ui.widgets import pressed


def draw(place: DeltaGenerator) -> None:
    """Draws the bar, if there is a lesson. Its buttons open another page before this one is drawn."""
    session = current()
    lesson = session.lesson
    if lesson is None or (st.context.is_embedded and not _says(lesson)):
        return
    with place.container(key="lesson-bar"):
        with st.container(key="lesson-said"):
            _words(lesson)
        with st.container(key="lesson-ways", horizontal=True, vertical_alignment="center", gap="xsmall"):
            _place(lesson)
            _way(lesson, -1, _("Back"), "arrow_back")
            if _is_over(lesson):
                _again(lesson)
                st.button(
                    _("On to the app"),
                    key="lesson-end",
                    icon=":material/arrow_forward:",
                    type="primary",
                    on_click=lesson_link.leave,
                )
            else:
                _way(lesson, 1, _("Next"), "arrow_forward")
                st.button(
                    _("Leave the lesson"),
                    key="lesson-leave",
                    icon=":material/close:",
                    type="tertiary",
                    on_click=lesson_link.leave,
                )


def _says(lesson: Lesson) -> bool:
    return bool(lesson.step.show or lesson.step.question or PACKED in lesson.words or lesson.beside(1))


def _words(lesson: Lesson) -> None:
    """Shows the note and the question as they were typed: Markdown would make links of addresses."""
    step = lesson.step
    lines = (("p", step.show), ("strong", step.question))
    if PACKED not in lesson.words and step.page != current().rerun.page:
        return
    if html := "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in lines if text):
        st.html(html)


def _place(lesson: Lesson) -> None:
    """Says where one is, and on which page if the visitor has turned to another."""
    if PACKED in lesson.words:
        words = _("Step {n} of {of}. That was the lesson.") if _is_over(lesson) else _("Step {n} of {of}")
        st.caption(words.format(n=lesson.at + 1, of=len(lesson.steps)), width="content")
    if lesson.step.page != current().rerun.page:
        page, own = _(CONTENTS[lesson.step.page].title), lesson.beside(0)
        if own is not None and pressed(
            _("To its page: {page}").format(page=page), key="lesson-own", icon=":material/undo:", type="tertiary"
        ):
            open_anew(*own)


def _is_over(lesson: Lesson) -> bool:
    """True at the last step of a lesson of several."""
    return PACKED in lesson.words and len(lesson.steps) > 1 and lesson.beside(1) is None


def _again(lesson: Lesson) -> None:
    first = lesson.beside(-lesson.at)
    if pressed(_("To its first step"), key="lesson-again", icon=":material/replay:") and first is not None:
        open_anew(*first)


def _way(lesson: Lesson, way: int, label: str, icon: str) -> None:
    beside = lesson.beside(way)
    if PACKED not in lesson.words and beside is None:
        return
    kind = "primary" if way > 0 else "secondary"
    if pressed(label, key=f"lesson-{icon}", icon=f":material/{icon}:", type=kind, disabled=beside is None) and beside:
        open_anew(*beside)
