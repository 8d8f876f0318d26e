"""Where a rerun begins and ends."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer import i18n
from explorer.session import learning, model_choice, runs
from explorer.session.address import as_text
from explorer.session.session import Rerun, Session, current


def prepare() -> None:
    """Call before the page is named: the menu is written in the session's language, and leads to bare addresses."""
    session, history = current(), _is_history_navigation()
    if not history:
        session.address.carry()
    if session.address.written is None or history:
        session.chosen_language = i18n.find_language(st.query_params.get("lang", ""))
    session.language = session.chosen_language or i18n.best_language(st.context.headers.get("Accept-Language", ""))


def _is_history_navigation() -> bool:
    """Whether the browser has gone back or forward."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def begin(page: str) -> Session:
    """Reads the address and the widgets; from now on `current().settings` holds."""
    session = current()
    arriving = session.rerun.page != page
    session.rerun = Rerun(page=page, arriving=arriving, left=frozenset(session.rerun.drawn))
    history = _is_history_navigation()
    if history:
        session.remembered.clear()  # what the address does not name is as it was in the beginning
    opened = session.address.read(page, arriving=arriving, history=history)
    session.run_id = session.address.news.pop("run", None) or session.run_id
    runs.keep_alive()
    session.settings = model_choice.resolve(session, opened=opened, history=history)
    learning.look_after(session)
    return session


def resume() -> None:
    """Call when a fragment's own rerun begins."""
    model_choice.hold(current())


def end() -> None:
    """Makes the address say what is on screen. Also at the end of a fragment's own rerun."""
    session = current()
    if not session.rerun.page:
        return  # a page script that runs alone has no address of its own
    model_choice.forget_off_screen(session)
    said = model_choice.in_address(session.settings)
    if session.chosen_language:
        said["lang"] = session.chosen_language
    if session.run_id:
        said["run"] = session.run_id
    said |= {name: as_text(value) for name, (value, default) in session.rerun.drawn.items() if value != default}
    session.address.write(said, keep_more=session.rerun.arriving)
    session.rerun.arriving = False
