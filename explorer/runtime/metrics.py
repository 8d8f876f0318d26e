"""Metrics of this server: script runs, how long they wait and take, and which windows show which page.

Counting takes microseconds for a run. Windows are known by Streamlit's session ids; nothing that anybody typed is kept.
"""

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MINUTE = 60.0  # seconds that the metrics cover
_MOST = 20_000  # script runs that are remembered: more than a server gets through in a minute
_LOOK = 64  # new windows after which closed ones are forgotten


@dataclass(frozen=True)
class Spread:
    """The median and the 95th percentile of some times, in seconds."""

    median: float
    most: float


@dataclass(frozen=True)
class Minute:
    """The last minute, or the time since the server began.

    Attributes:
        actions: script runs of pages, and of fragments without an interval. A page that is drawn again while its model
            learns is an action.
        redrawn: script runs of fragments that are drawn at intervals. A press in one of them counts here.
        seconds: the length of the time.
        waited: how long actions waited for their turn; None, as for the next two, if there was no action.
        took: how long their scripts ran.
        answered: both together.
        busy: the share of the time in which a script ran, of all that may run at once.
    """

    actions: int
    redrawn: int
    seconds: float
    waited: Spread | None
    took: Spread | None
    answered: Spread | None
    busy: float

    @property
    def per_second(self) -> float:
        return self.actions / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class _Run:
    asked: float
    began: float
    ended: float
    by_somebody: bool


class Metrics:
    """Counts script runs, and remembers the page of each window. Any thread may call it."""

    def __init__(self, at_once: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            at_once: how many scripts may run at the same time.
            clock: returns seconds and never goes back.
        """
        self._at_once, self._clock, self._began = at_once, clock, clock()
        self._runs: deque[_Run] = deque(maxlen=_MOST)  # in the order of their ends
        self._pages: dict[str, str] = {}  # by window
        self._known = 0  # windows that were open when closed ones were last forgotten
        self._lock = threading.Lock()

    def count_run(self, asked: float, began: float, ended: float, by_somebody: bool) -> None:
        """Counts a script run that has ended.

        Args:
            asked: when it was asked for, by the clock; it then waited until it `began`.
            by_somebody: False for a fragment that is drawn at intervals.
        """
        with self._lock:
            self._runs.append(_Run(asked, began, ended, by_somebody))
            while self._runs and self._runs[0].ended < ended - MINUTE:
                self._runs.popleft()

    def note_page(self, window: str, page: str, is_open: Callable[[str], bool]) -> None:
        """Remembers which page a window shows. Forgets closed windows now and then."""
        with self._lock:
            self._pages[window] = page
            if len(self._pages) > self._known + _LOOK:
                self._forget(is_open)

    def pages(self, is_open: Callable[[str], bool]) -> Counter[str]:
        """Counts the open windows that show each page."""
        with self._lock:
            self._forget(is_open)
            return Counter(self._pages.values())

    def windows(self, is_open: Callable[[str], bool]) -> int:
        """Counts the open windows."""
        return self.pages(is_open).total()

    def _forget(self, is_open: Callable[[str], bool]) -> None:
        """Forgets closed windows. Call it with the lock held."""
        self._pages = {window: page for window, page in self._pages.items() if is_open(window)}
        self._known = len(self._pages)

    def last_minute(self) -> Minute:
        """Summarises the last minute."""
        now = self._clock()
        first = max(self._began, now - MINUTE)
        with self._lock:
            runs = [run for run in self._runs if run.ended >= first]
        acts = [run for run in runs if run.by_somebody]
        seconds = now - first
        computing = sum(run.ended - max(run.began, first) for run in runs)
        return Minute(
            len(acts),
            len(runs) - len(acts),
            seconds,
            _spread([run.began - run.asked for run in acts]),
            _spread([run.ended - run.began for run in acts]),
            _spread([run.ended - run.asked for run in acts]),
            min(1.0, computing / (seconds * self._at_once)) if seconds else 0.0,
        )


def _spread(times: Sequence[float]) -> Spread | None:
    if not times:
        return None
    times = sorted(times)
    return Spread(times[(len(times) - 1) // 2], times[math.ceil(0.95 * len(times)) - 1])
