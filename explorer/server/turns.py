"""Script runs take turns: a few at a time compute, the others wait in a queue.

Streamlit runs a thread for each browser tab. Thirty that compute at once contend with each other, and with the event loop that
sends their results, for the interpreter's lock: all of them finish late. One after another they finish sooner, the first of
them at once. A run that takes longer than its share no longer keeps the others waiting: the next one begins beside it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from functools import partial, wraps
from typing import Any

import streamlit as st

from explorer.server.load import Load
from explorer.streamlit_patches import script_run
from explorer.streamlit_patches.mends import mend_streamlit
from explorer.training import limits

_FRAGMENTS_IN_A_ROW = 8  # while a page waits, which would otherwise wait forever when many fragments redraw themselves
_LOOK = 0.2  # seconds between two checks whether a waiting run is still wanted
mend_streamlit()  # a run that waits often gives way to a newer one, and must forget nothing then


class Kind(IntEnum):
    """What is run; the first kind has priority."""

    FRAGMENT = 0
    PAGE = 1


class _Waiting:
    """A run in the queue; `called` once it is its turn; `left` where it is no longer wanted, and only keeps the place for a
    newer run of its session."""

    def __init__(self, session: str):
        self.session = session
        self.called = threading.Event()
        self.left = False


class Turns:
    """A queue of script runs, of which a fixed number run at a time.

    Fragments, which are short, come before whole pages; within a kind the order is first come, first served. A newer run of a
    session takes over the session's place in the queue, so that changing a setting again does not send anyone to the end.

    Where a run has had its `share` and somebody waits, one more may run, until that run has ended.
    """

    def __init__(
        self,
        at_once: int,
        done: Callable[[float, float, float, bool], None] = lambda *_times: None,
        share: float | None = None,
    ):
        """
        Args:
            done: is told of each run that had its turn: when it was asked for, began and ended, and whether by somebody.
            share: seconds; None: a run has its turn to its end.
        """
        self._free, self._done, self._share = at_once, done, share
        self._lock = threading.Lock()
        self._asked = threading.Condition(self._lock)  # it may be time to look whether a share is over
        self._watcher: threading.Thread | None = None
        self._lines: dict[Kind, list[_Waiting]] = {kind: [] for kind in Kind}
        self._began: dict[_Waiting, float] = {}  # the runs that have their turn, since when; the longest first
        self._beyond: _Waiting | None = None  # the one whose share is over, beside which one more may run
        self._fragments_in_a_row = 0
        self._mine = ContextVar("mine", default=False)  # whether it is this thread's turn; nested calls share it

    @contextmanager
    def turn(
        self, kind: Kind, session: str, wanted: Callable[[], None] = lambda: None, by_somebody: bool = True
    ) -> Iterator[None]:
        """Waits for a turn and holds it. A run that has its turn already continues at once.

        Args:
            wanted: raises when the run is no longer wanted, which then leaves the queue; the error is passed on.
            by_somebody: whether somebody asked for it; else it is a part of a page that redraws itself.
        """
        if self._mine.get():
            yield
            return
        asked = time.monotonic()
        run = self._wait(kind, session, wanted)
        token, began = self._mine.set(True), time.monotonic()
        try:
            yield
        finally:
            self._mine.reset(token)
            with self._lock:
                self._end(run)
            self._done(asked, began, time.monotonic(), by_somebody)

    def waiting(self, kind: Kind) -> int:
        """How many of a kind are in the queue."""
        with self._lock:
            return sum(not run.left for run in self._lines[kind])

    def _wait(self, kind: Kind, session: str, wanted: Callable[[], None]) -> _Waiting:
        run, line = _Waiting(session), self._lines[kind]
        with self._lock:
            place = next((i for i, other in enumerate(line) if other.session == session), len(line))
            line[place:] = [run, *(other for other in line[place:] if not (other.left and other.session == session))]
            self._call()
            if self._share is not None and self._beyond is None and not run.called.is_set():
                self._look_at_shares()
        try:
            while not run.called.wait(_LOOK):
                wanted()
            wanted()
        except BaseException:
            with self._lock:
                run.left = True
                if run.called.is_set():
                    self._end(run)
                    line.insert(0, run)
            raise
        return run

    def _watch(self) -> None:
        """Has the next one begin where a share is over. In a thread of its own: who computes does not look at the clock."""
        assert self._share is not None
        with self._asked:
            while True:
                if not self._next_waits or self._beyond is not None or not self._began:
                    self._asked.wait()
                    continue
                run, began = next(iter(self._began.items()))
                if (left := began + self._share - time.monotonic()) > 0:
                    self._asked.wait(left)
                else:
                    self._beyond = run
                    self._free += 1
                    self._call()

    # Called with the lock held:

    def _look_at_shares(self) -> None:
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="turns", daemon=True)
            self._watcher.start()
        self._asked.notify()

    @property
    def _next_waits(self) -> bool:
        return any(not run.left for line in self._lines.values() for run in line)

    def _end(self, run: _Waiting) -> None:
        """A run no longer has its turn."""
        del self._began[run]
        if run is self._beyond:
            self._beyond = None
            self._asked.notify()
        else:
            self._free += 1
            self._call()

    def _call(self) -> None:
        """Calls the next in the queue while turns are free."""
        while self._free and (line := self._next_line()):
            run = line.pop(0)
            if not run.left:
                self._free -= 1
                self._began[run] = time.monotonic()
                run.called.set()

    def _next_line(self) -> list[_Waiting]:
        fragments, pages = self._lines[Kind.FRAGMENT], self._lines[Kind.PAGE]
        if not fragments or self._fragments_in_a_row == _FRAGMENTS_IN_A_ROW:
            self._fragments_in_a_row = 0
            return pages
        self._fragments_in_a_row = self._fragments_in_a_row + 1 if pages else 0
        return fragments


LOAD = Load(limits.SCRIPT_RUNS)
TURNS = Turns(limits.SCRIPT_RUNS, LOAD.done, limits.SCRIPT_SHARE)  # of the whole server


@contextmanager
def turn(kind: Kind, by_somebody: bool = True) -> Iterator[None]:
    """Waits for the turn of this thread's script run, and holds it; leaves the queue by Streamlit's own exceptions."""
    session = script_run.session_id()
    if session is None:  # a script without a server: there is nobody else
        yield
        return
    with TURNS.turn(kind, session, script_run.give_way, by_somebody):
        yield


def fragment(function: Callable[..., Any] | None = None, *, run_every: float | None = None, kind: Kind = Kind.FRAGMENT) -> Any:
    """`st.fragment` for this app: a fragment's own runs, which skip the main script, take turns with all others."""
    if function is None:
        return partial(fragment, run_every=run_every, kind=kind)

    @wraps(function)
    def in_turn(*args: Any, **given: Any) -> Any:
        with turn(kind, by_somebody=run_every is None):
            return function(*args, **given)

    return st.fragment(in_turn, run_every=run_every)
