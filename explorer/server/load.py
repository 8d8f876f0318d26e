"""How busy this server is: what people ask of it, how long that waits for its turn and takes, and the pages they sit on.

Counting takes microseconds an action. It knows windows by Streamlit's names for them, and keeps no words of anybody.
"""

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MINUTE = 60.0  # seconds that are looked back
_MOST = 20_000  # script runs that are remembered at most: more than a server gets through in a minute
_LOOK = 64  # windows that may be new before those that are gone are looked for


@dataclass(frozen=True)
class Spread:
    """The median of some times, and what 19 of 20 of them do not exceed, in seconds."""

    median: float
    most: float


@dataclass(frozen=True)
class Minute:
    """The last minute, or the time since the server began.

    Attributes:
        actions: script runs of pages, and of parts that do not redraw themselves; `redrawn`: of parts that do. A page that is
            drawn anew while its model learns is an action; what is pressed in a part that redraws itself is not.
        seconds: that were looked at.
        waited: how long actions waited for their turn; took: their scripts; answered: both; None where there was no action.
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


class Load:
    """Counts script runs, and knows the page of each window. Any thread may call it."""

    def __init__(self, at_once: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        """`at_once`: script runs that may run at the same time; `clock`: seconds that only grow."""
        self._at_once, self._clock, self._began = at_once, clock, clock()
        self._runs: deque[_Run] = deque(maxlen=_MOST)  # in the order of their ends
        self._pages: dict[str, str] = {}  # by window
        self._known = 0  # windows that were there when the others were last forgotten
        self._lock = threading.Lock()

    def done(self, asked: float, began: float, ended: float, by_somebody: bool) -> None:
        """A script run that waited from when it was asked for until it began, by the clock. `by_somebody`: not a part of a page
        that redraws itself."""
        with self._lock:
            self._runs.append(_Run(asked, began, ended, by_somebody))
            while self._runs and self._runs[0].ended < ended - MINUTE:
                self._runs.popleft()

    def sits(self, window: str, page: str, is_open: Callable[[str], bool]) -> None:
        """A window shows a page. Those that are no longer open are forgotten now and then."""
        with self._lock:
            self._pages[window] = page
            if len(self._pages) > self._known + _LOOK:
                self._forget(is_open)

    def pages(self, is_open: Callable[[str], bool]) -> Counter[str]:
        """How many open windows show each page."""
        with self._lock:
            self._forget(is_open)
            return Counter(self._pages.values())

    def windows(self, is_open: Callable[[str], bool]) -> int:
        """How many are open."""
        return self.pages(is_open).total()

    def _forget(self, is_open: Callable[[str], bool]) -> None:
        """Windows that are closed. The lock is held."""
        self._pages = {window: page for window, page in self._pages.items() if is_open(window)}
        self._known = len(self._pages)

    def last_minute(self) -> Minute:
        """What happened in it."""
        now = self._clock()
        first = max(self._began, now - MINUTE)
        with self._lock:
            runs = [run for run in self._runs if run.ended >= first]
        acts = [run for run in runs if run.by_somebody]
        seconds = now - first
        computing = sum(run.ended - max(run.began, first) for run in runs)
        return Minute(
            len(acts), len(runs) - len(acts), seconds,
            _spread([run.began - run.asked for run in acts]),
            _spread([run.ended - run.began for run in acts]),
            _spread([run.ended - run.asked for run in acts]),
            min(1.0, computing / (seconds * self._at_once)) if seconds else 0.0,
        )  # fmt: skip


def _spread(times: Sequence[float]) -> Spread | None:
    if not times:
        return None
    times = sorted(times)
    return Spread(times[(len(times) - 1) // 2], times[math.ceil(0.95 * len(times)) - 1])
