"""The lesson that is being made: its steps, the one that is edited, and the ways to take it."""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import urljoin

import streamlit as st

from explorer.exhibits.lesson import example, locks_and_parts
from explorer.i18n import _, current_language
from explorer.rooms.lesson import LONGEST_LINK, packed, read_lesson, written
from explorer.rooms.script import ScriptError, Step
from explorer.session import current
from explorer.session.lesson import LONGEST_NOTE, Draft, address_of, link_of
from explorer.session.lesson_link import take_steps
from explorer.ui import adding, document
from explorer.ui.navigation import open_anew
from explorer.ui.widgets import choose, drop_file, file_field, linked_several, linked_text, pressed
from transformer_core.errors import InputError

_FILE = "lesson-file"
_TITLE = 24  # letters of a note beside the number of its step


def draw() -> None:
    """Draws the steps, the one that is edited, and the ways to take the lesson; how to begin while there is none."""
    draft = current().draft
    if not draft.steps:
        st.info(
            _("There is no step yet. Open any page, and press *Add this view to a lesson* in the bar."),
            icon=":material/playlist_add:",
        )
        st.button(
            _("Begin with an example of six steps"),
            key="lesson-example",
            icon=":material/lightbulb:",
            on_click=lambda: take_steps(draft, example.steps()),
        )
        _open_file()
    else:
        number = _chosen(draft)
        _edit(draft, number)
        with st.container(horizontal=True, gap="xsmall"):
            _try(draft, number)
            _take(draft)
    adding.keep()


def _chosen(draft: Draft) -> int:
    """Draws the row of steps; returns the number of the one that is edited."""
    titles = {number: f"{at}. {_short(step)}" for at, (number, step) in enumerate(draft.steps.items(), 1)}
    return choose("lesson_step", _("Step"), [*titles], titles, hidden=True)


def _short(step: Step) -> str:
    note = step.show[:_TITLE].strip()
    return f"{step.title}: {note}{'…' if len(step.show) > _TITLE else ''}" if note else step.title


def _edit(draft: Draft, number: int) -> None:
    """Draws the note of a step, and, folded, all else that can be said of it."""
    step = draft.steps[number]

    def take(**said: Any) -> None:
        draft.steps[number] = replace(draft.steps[number], **said)

    linked_text(
        f"lesson-note-{number}",
        _("Your note above the page"),
        step.show,
        lambda text: take(show=text),
        height=90,
        longest=LONGEST_NOTE,
    )
    document.details("lesson", lambda: _details(draft, number, take))


def _details(draft: Draft, number: int, take: Callable[..., None]) -> None:
    """Draws a step's question, what is locked and shown of its page, and its place among the others."""
    step = draft.steps[number]
    linked_text(
        f"lesson-question-{number}",
        _("A question"),
        step.question,
        lambda text: take(question=text),
        height=68,
        longest=LONGEST_NOTE,
    )
    locks, parts = locks_and_parts.can_lock(draft, number), locks_and_parts.can_show(draft, number)
    linked_several(
        f"lesson-lock-{number}",
        _("What nobody can change"),
        [*locks],
        step.lock,
        locks,
        lambda chosen: take(lock=chosen),
    )
    linked_several(
        f"lesson-parts-{number}",
        _("What is shown (nothing chosen: all of the page)"),
        [*parts],
        step.parts,
        parts,
        lambda chosen: take(parts=chosen),
    )
    place, last = [*draft.steps].index(number), len(draft.steps) - 1
    with st.container(horizontal=True, gap="xsmall"):
        for label, icon, by, is_off in (
            (_("Earlier"), "arrow_upward", -1, place == 0),
            (_("Later"), "arrow_downward", 1, place == last),
        ):
            st.button(
                label, key=f"lesson-{icon}", icon=f":material/{icon}:", on_click=draft.move, args=(number, by), disabled=is_off
            )
        st.button(_("Remove this step"), key="lesson-remove", icon=":material/delete:", on_click=draft.remove, args=(number,))


def _try(draft: Draft, number: int) -> None:
    if pressed(_("Try this step"), key="lesson-try", icon=":material/play_arrow:"):
        steps = [*draft.steps.values()]
        open_anew(*address_of(steps, [*draft.steps].index(number), packed(steps)))


def _take(draft: Draft) -> None:
    """Draws the ways to take the lesson: a link, a frame, a file, a room."""
    steps = [*draft.steps.values()]
    word = packed(steps)
    with st.popover(_("Share the lesson"), icon=":material/share:", type="primary", key="lesson-take"):
        if len(word) > LONGEST_LINK:
            words = _("With {n} letters this lesson is too long for a link: shorten the notes, or take the file.")
            st.warning(words.format(n=len(word)))
        else:
            _links(urljoin(st.context.url or "", link_of(*address_of(steps, 0, word))), word)
        st.download_button(
            _("Save the file"),
            written(steps),
            file_name="lesson.toml",
            mime="application/toml",
            icon=":material/download:",
            on_click="ignore",
            help=_("The file is a room’s script as well. It can be opened here again, and edited by hand."),
        )
        _open_file()


def _links(link: str, word: str) -> None:
    st.markdown(_("**A link.** It holds all steps; this server stores nothing."))
    st.code(link, language=None)
    st.markdown(_("**A frame** in a page of yours. The server must allow that site: EXPLORER_FRAMES."))
    st.code(frame_of(link), language="html")
    room, lead = f"room/new?lang={current_language()}&lesson={word}", _("Lead a room through it")
    st.markdown(f"[:material/groups: {lead}]({room})")


def frame_of(link: str) -> str:
    """Returns what a page of another site says to show a lesson."""
    source = escape(f"{link}&embed=true")
    return f'<iframe src="{source}" width="100%" height="640" allow="fullscreen" title="Transformer"></iframe>'


def _open_file() -> None:
    file_field(_FILE, _("Open the file of a lesson"), ("toml",), _take_file)


def _take_file(content: bytes) -> None:
    try:
        steps = read_lesson(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ScriptError) as error:
        raise InputError("This is not the file of a lesson: {reason}.", reason=str(error)) from error
    take_steps(current().draft, steps)
    drop_file(_FILE)
