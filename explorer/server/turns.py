"""Script runs take turns: a few at a time compute, the others wait in line.

Streamlit runs a thread for each browser tab. Thirty that compute at once contend with each other, and with the event loop that
sends their results, for the interpreter's lock: all are done late, at the same time. One after another they are done sooner,
and the first at once.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from functools import partial, wraps
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.training import limits

_FRAGMENTS_IN_A_ROW = 8  # while a page waits, which would otherwise wait for ever where many fragments redraw themselves
_LOOK = 0.2  # seconds between two looks whether a run that waits is still wanted


class Kind(IntEnum):
    """What runs; the first goes first."""

    FRAGMENT = 0
    PAGE = 1


class _Waiting:
    """A run in line. `called` once its turn has come."""

    def __init__(self, session: str):
        self.session = session
        self.called = threading.Event()


class Turns:
    """A line of script runs, of which so many at a time have their turn.

    Fragments, which are short, go before whole pages; among its kind who comes first goes first. A newer run of a session takes
    the place that the session has in line already, so that whoever turns a knob again does not go back to the end.
    """

    def __init__(self, at_once: int):
        self._free = at_once
        self._lock = threading.Lock()
        self._lines: dict[Kind, list[_Waiting]] = {kind: [] for kind in Kind}
        self._fragments_in_a_row = 0
        self._mine = ContextVar("mine", default=False)  # whether this thread's run has its turn; what it calls shares it

    @contextmanager
    def turn(self, kind: Kind, session: str, wanted: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Waits for a turn and holds it. A run that has its turn already goes straight on.

        Args:
            wanted: raises when nobody wants the run any more, which then leaves the line; that error is passed on.
        """
        if self._mine.get():
            yield
            return
        self._wait(kind, session, wanted)
        token = self._mine.set(True)
        try:
            yield
        finally:
            self._mine.reset(token)
            self._give_back()

    def waiting(self, kind: Kind) -> int:
        """How many of a kind are in line."""
        with self._lock:
            return len(self._lines[kind])

    def _wait(self, kind: Kind, session: str, wanted: Callable[[], None]) -> None:
        run, line = _Waiting(session), self._lines[kind]
        with self._lock:
            place = next((i for i, other in enumerate(line) if other.session == session), len(line))
            line.insert(place, run)
            self._call()
        try:
            while not run.called.wait(_LOOK):
                wanted()
            wanted()
        except BaseException:
            with self._lock:
                if run.called.is_set():
                    self._free += 1
                else:
                    line.remove(run)
                self._call()
            raise

    def _give_back(self) -> None:
        with self._lock:
            self._free += 1
            self._call()

    def _call(self) -> None:
        """Calls the next in line while there is a turn to give. The lock is held."""
        while self._free and (line := self._next_line()):
            self._free -= 1
            line.pop(0).called.set()

    def _next_line(self) -> list[_Waiting]:
        fragments, pages = self._lines[Kind.FRAGMENT], self._lines[Kind.PAGE]
        if not fragments or self._fragments_in_a_row == _FRAGMENTS_IN_A_ROW:
            self._fragments_in_a_row = 0
            return pages
        self._fragments_in_a_row = self._fragments_in_a_row + 1 if pages else 0
        return fragments


TURNS = Turns(limits.SCRIPT_RUNS)  # of the whole server


@contextmanager
def turn(kind: Kind) -> Iterator[None]:
    """Waits for the turn of the script run in this thread, and holds it; leaves the line by Streamlit's own exceptions."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is None:  # a script without a server: nobody else is there
        yield
        return
    with TURNS.turn(kind, run.session_id, run.yield_check):
        yield


def fragment(function: Callable[..., Any] | None = None, *, run_every: float | None = None) -> Any:
    """`st.fragment` for all that this app draws: its runs, which skip the router, take turns with all others."""
    if function is None:
        return partial(fragment, run_every=run_every)

    @wraps(function)
    def in_turn(*args: Any, **given: Any) -> Any:
        with turn(Kind.FRAGMENT):
            return function(*args, **given)

    return st.fragment(in_turn, run_every=run_every)
