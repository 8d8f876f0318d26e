"""How much longer training takes while other programs want the cores of this machine, too."""

import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from explorer import limits

_LATELY = 5.0  # seconds for which what was measured counts, about
_STALE = 10.0  # seconds after which it does not count at all
_LOAD = 60.0  # seconds over which the system averages its load
BUSY = 3.0  # times as long, from which people are told
_CORES = os.cpu_count() or 1
_STEP_OF_NICENESS = 1.25  # the factor by which one step of niceness changes a process's share, on Linux


def load_average() -> float:
    """The number of programs that compute or want to, on average over the last minute; 0.0 where the system does not tell."""
    with suppress(AttributeError, OSError):
        return os.getloadavg()[0]
    return 0.0


class Slowness:
    """Tells how many times as long training takes at present as it would if this machine were idle.

    The steps themselves measure it, by the time for which they had a core. Where no step was taken lately, it is estimated from
    the number of other programs that want one.
    """

    def __init__(self, load: Callable[[], float] = load_average, clock: Callable[[], float] = time.monotonic) -> None:
        self._load, self._clock = load, clock
        self._lock = threading.Lock()
        self._passed = self._computed = 0.0  # seconds lately, those that passed and those with a core
        self._own = 0.0  # seconds of ours in the system's average
        self._last = -math.inf

    def add(self, passed: float, computed: float) -> None:
        """Notes that steps took `passed` seconds, in `computed` of which they had a core."""
        with self._lock:
            since = self._age()
            kept = math.exp(-since / _LATELY)
            self._passed, self._computed = kept * self._passed + passed, kept * self._computed + computed
            self._own = math.exp(-since / _LOAD) * self._own + passed
            self._last = self._clock()

    def now(self) -> float:
        """Returns how many times as long it takes, at least 1."""
        with self._lock:
            since = self._age()
            if since < _STALE and self._computed > 0:
                return max(1.0, self._passed / self._computed)
            others = self._load() - math.exp(-since / _LOAD) * self._own / _LOAD
        waiting = max(0.0, others - (_CORES - 1)) / _CORES  # for each core; a single free one is enough
        return 1.0 + waiting * _STEP_OF_NICENESS**limits.WORKER_NICE

    def _age(self) -> float:
        return self._clock() - self._last
