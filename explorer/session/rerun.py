"""The beginning and the end of a rerun."""

import streamlit as st

from explorer import i18n
from explorer.model_on_screen.settings import first_task
from explorer.session import learning, lesson_link, model_choice, runs
from explorer.session.address import as_text
from explorer.session.lesson import DRAFT
from explorer.session.session import Rerun, Session, current
from explorer.streamlit_patches import script_run


def prepare() -> None:
    """Call before the page is named: the menu is written in the session's language, and leads to bare addresses."""
    session, history = current(), is_history()
    if not history:
        session.address.carry()
    if session.address.written is None or history:
        session.chosen_language = i18n.find_language(st.query_params.get("lang", ""))
    browsers = i18n.best_language(st.context.headers.get("Accept-Language", ""))
    session.language = session.chosen_language or browsers
    session.task.first = first_task(browsers)


def begin(page: str) -> Session:
    """Reads the address and the widgets; from now on `current().settings` holds."""
    session = current()
    arriving = session.rerun.page != page
    history, session.address.opens_anew = is_history(), False
    session.rerun = Rerun(page=page, arriving=arriving, stepping=history, left=frozenset(session.rerun.drawn))
    if history:
        session.steps += 1
        session.controls.remembered.clear()  # what the address does not name is at its default
    opened = session.address.read(arriving=arriving, history=history)
    if opened or arriving or history:
        session.controls.misread.clear()
    language = session.address.news.pop("lang", None)
    if language and session.chosen_language is None:
        session.controls.misread["lang"] = (language, session.language)
    session.run_id = session.address.news.pop("run", None) or session.run_id
    lesson_link.take(session, anew=opened or history)
    runs.keep_alive()
    session.settings = model_choice.resolve(session, opened=opened, history=history)
    learning.look_after(session)
    return session


def is_history() -> bool:
    """Returns whether the browser has gone back or forward, or a page is opened as if it had."""
    return script_run.is_history_navigation() or current().address.opens_anew


def resume() -> None:
    """Resumes the session when a fragment's own rerun begins."""
    model_choice.restore_widgets(current())


def resume_page() -> None:
    """Resumes the session when the page reruns alone: menu and settings stay on screen. If a callback has changed a setting, or
    asked for a guess, everything runs again.
    """
    session, before = current(), current().rerun
    guess_is_news = before.refused is not None and session.wants_guess(session.settings.src)
    if model_choice.is_changed(session) or guess_is_news:
        script_run.run_all_again()
    model_choice.restore_widgets(session)
    session.rerun = Rerun(
        page=before.page, shown=before.shown, settings=before.settings, refused=before.refused, left=frozenset(before.drawn)
    )
    runs.keep_alive()
    learning.look_after(session)


def end() -> None:
    """Writes the address to match the screen, also at the end of a fragment's own rerun."""
    session = current()
    session.controls.pressed = {
        key: when for key, when in session.controls.pressed.items() if when is session.rerun
    }  # or no longer drawn
    if not session.rerun.page:
        return  # a page script that runs alone has no address of its own
    model_choice.forget_off_screen(session)
    values = in_address(session)
    # An address that names a task leads to a page with its own task: the name is not kept.
    before = session.address.written or {}
    names_another = DRAFT in before or (session.task.is_of_page and "task" in before)
    keep_more = session.rerun.stepping or (session.rerun.arriving and not session.controls.misread and not names_another)
    if not session.address.write(values, keep_more=keep_more):
        session.controls.stale_widgets.former.clear()  # the same address could not tell when the browser has heard
    session.rerun.arriving = session.rerun.stepping = False


def in_address(session: Session) -> dict[str, str]:
    """Returns what the address says of all that is on screen."""
    session.note_guess(session.settings.src)
    values = model_choice.in_address(session)
    if session.chosen_language:
        values["lang"] = session.chosen_language
    if session.run_id:
        values["run"] = session.run_id
    values |= {name: as_text(value) for name, (value, default) in session.rerun.drawn.items() if value != default}
    if not (values or session.task.is_of_page or session.settings.task == session.task.first):
        values["task"] = session.settings.task  # an address that says nothing would lead to the other
    return values | (session.lesson.in_address() if session.lesson is not None else {})
