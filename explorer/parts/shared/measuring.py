"""What is measured only when somebody asks for it, a little at a time, while the picture fills."""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

import streamlit as st

from explorer.i18n import _
from explorer.inference.settings import knows
from explorer.inference.shown_model import ShownModel
from explorer.session import current
from explorer.ui import pickers
from explorer.ui.fragment import fragment

_AT_ONCE = 0.5  # seconds of measuring between two pictures


class Measured(Protocol):
    """What is known of a measurement."""

    @property
    def progress(self) -> tuple[int, int]:
        """How many cuts have been measured, and of how many."""
        ...

    @property
    def is_all(self) -> bool: ...


Found = TypeVar("Found", bound=Measured)


def draw(key: str, shown: ShownModel, find: Callable[[Callable[[], float]], Found], picture: Callable[[Found], None]) -> None:
    """The button; after it was pressed, how far it is, and the picture of what is known.

    Args:
        key: of the measurement, in the names of its buttons.
        find: what can be found, and what is known already: it is given a function that says how many seconds are left.
    """
    if not knows(shown.task, shown.cfg):
        st.info(_("The file does not say what this model has learned, so there is nothing to ask it."))
        return
    asked = (shown.choice.whole, shown.task)
    if current().measured.get(key) != asked:
        st.button(
            _("Measure"), key=f"measure-{key}", icon=":material/straighten:", on_click=_begin, args=(key, asked), type="primary"
        )
        return

    def found(seconds: float) -> Found:
        until = time.monotonic() + seconds
        return find(lambda: max(until - time.monotonic(), 0.0))

    unfinished = not found(0.0).is_all

    @fragment(run_every=0.05 if unfinished else None)
    def view() -> None:
        now = found(_AT_ONCE if unfinished else 0.0)
        if unfinished and now.is_all:
            st.rerun()  # the whole page: nothing is left to be measured
        if unfinished:
            known, count = now.progress
            with pickers.row("progress"):
                st.progress(known / count, _("{n} of {all} cuts measured").format(n=known, all=count))
                st.button(_("Cancel"), key=f"cancel-{key}", on_click=_stop, args=(key,))
        picture(now)

    view()


def _begin(key: str, asked: tuple) -> None:
    current().measured[key] = asked


def _stop(key: str) -> None:
    current().measured.pop(key, None)
