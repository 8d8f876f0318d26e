"""The queue in which script runs wait for their turn: a few compute at a time.

Streamlit runs a thread for each browser window. Thirty that compute at once contend for the interpreter's lock with each other
and with the event loop that sends their results: all of them finish late. One after another they finish sooner, the first of
them at once. Beside a run that takes longer than its share, the next one begins.
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

from explorer import limits
from explorer.runtime.metrics import Metrics
from explorer.streamlit_patches import script_run
from explorer.streamlit_patches.all_patches import patch_streamlit

_FRAGMENTS_IN_A_ROW = 8  # while a page waits, which many fragments that redraw themselves would otherwise keep waiting
_LOOK = 0.2  # seconds between two checks whether a waiting run is still wanted
patch_streamlit()  # a run that waits often gives way to a newer one: see streamlit_patches/nested_fragments.py


class Kind(IntEnum):
    """The kinds of script runs, by what they draw. The first has priority."""

    FRAGMENT = 0
    PAGE = 1


class _Waiting:
    """A run in the queue.

    Attributes:
        called: set when it is its turn.
        left: True if it is no longer wanted, and only keeps the place for a newer run of its session.
    """

    def __init__(self, session: str):
        self.session = session
        self.called = threading.Event()
        self.left = False


class Turns:
    """A queue of script runs, of which a fixed number run at a time.

    Fragments, which are short, come before whole pages; within a kind, runs come in the order in which they were asked for. A
    newer run of a session takes the place of the older one, so that changing a setting again sends nobody to the end.

    When a run has had its `share` of time and others wait, one more may run beside it until it has ended.
    """

    def __init__(
        self,
        at_once: int,
        done: Callable[[float, float, float, bool], None] = lambda *_times: None,
        share: float | None = None,
    ):
        """
        Args:
            at_once: how many runs may run at a time.
            done: called after each run with when it was asked for, began and ended, and `by_somebody`.
            share: seconds; None: no run begins beside another.
        """
        self._free, self._done, self._share = at_once, done, share
        self._lock = threading.Lock()
        self._asked = threading.Condition(self._lock)  # notified when a share may be over
        self._watcher: threading.Thread | None = None
        self._lines: dict[Kind, list[_Waiting]] = {kind: [] for kind in Kind}
        self._began: dict[_Waiting, float] = {}  # the runs that have their turn, and since when; the oldest first
        self._beyond: _Waiting | None = None  # the run whose share is over, beside which one more may run
        self._fragments_in_a_row = 0
        self._mine = ContextVar("mine", default=False)  # whether this thread has its turn, which nested calls share

    @contextmanager
    def turn(
        self, kind: Kind, session: str, wanted: Callable[[], None] = lambda: None, by_somebody: bool = True
    ) -> Iterator[None]:
        """Waits for a turn and holds it. A run that has its turn already continues at once.

        Args:
            wanted: raises an error when the run is no longer wanted. It then leaves the queue, and the error is passed on.
            by_somebody: False for a fragment that is drawn at intervals.
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
        """Counts the runs of a kind in the queue."""
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
        """Lets the next run begin when a share is over. Runs in a thread of its own, since a run cannot watch its own time."""
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
        """Takes the turn away from a run that has ended."""
        del self._began[run]
        if run is self._beyond:
            self._beyond = None
            self._asked.notify()
        else:
            self._free += 1
            self._call()

    def _call(self) -> None:
        """Calls the next runs while turns are free."""
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


METRICS = Metrics(limits.SCRIPT_RUNS)
TURNS = Turns(limits.SCRIPT_RUNS, METRICS.count_run, limits.SCRIPT_SHARE)  # the turns of the whole server


@contextmanager
def turn(kind: Kind, by_somebody: bool = True) -> Iterator[None]:
    """Waits for the turn of this thread's script run and holds it. A run that Streamlit no longer wants leaves the queue by
    Streamlit's own exceptions."""
    session = script_run.session_id()
    if session is None:  # without a server there is no queue
        yield
        return
    with TURNS.turn(kind, session, script_run.give_way, by_somebody):
        yield


def fragment(function: Callable[..., Any] | None = None, *, run_every: float | None = None, kind: Kind = Kind.FRAGMENT) -> Any:
    """Makes a fragment whose own runs, which skip the main script, take turns with all others."""
    if function is None:
        return partial(fragment, run_every=run_every, kind=kind)

    @wraps(function)
    def in_turn(*args: Any, **given: Any) -> Any:
        with turn(kind, by_somebody=run_every is None):
            return function(*args, **given)

    return st.fragment(in_turn, run_every=run_every)
