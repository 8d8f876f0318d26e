"""Slow motion for a run that is watched: when each step is due, and after which steps a picture is taken.

Most changes in the beginning, so the first steps are slow, and each next one is faster: time grows with the logarithm of the
step. It is watching time, not compute: to compute a small model's step takes a hundredth of it.
"""

import math
import time
from collections.abc import Callable

_SLOW = 10  # the step at which the speed has doubled
_SECONDS = 4.5  # seconds for each factor e of the steps: 8 s to step 50, 16 s to step 340
_PICTURE = 0.2  # seconds between two pictures, at most


def seconds_at(step: int) -> float:
    """The watching time at which a step is due, in seconds from step 0."""
    return _SECONDS * math.log1p(step / _SLOW)


def step_at(seconds: float) -> int:
    """The last step that is due by a watching time."""
    step = math.floor(_SLOW * math.expm1(seconds / _SECONDS))
    return step + 1 if seconds_at(step + 1) <= seconds else step


def is_picture(step: int) -> bool:
    """Returns whether a picture is taken after this step: often enough that nobody sees a jump."""
    return step == 0 or math.floor(seconds_at(step) / _PICTURE) > math.floor(seconds_at(step - 1) / _PICTURE)


class Clock:
    """The watching time of a run. It stands still while the run does, and waits for a run that is late: missed steps are not
    caught up in a hurry.

    Attributes:
        seconds: time that passed between steps, while the clock did not stand still.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._zero: float | None = None  # when step 0 was due
        self._last: float | None = None  # when the latest steps came in
        self.seconds = 0.0

    def stop(self) -> None:
        """Stands still until the next step: the run rests, or goes back to a step."""
        self._zero = self._last = None

    def count_step(self) -> None:
        """Counts the time since the call before, when steps came in. To be called when new ones have."""
        now = self._now()
        self.seconds += now - self._last if self._last is not None else 0.0
        self._last = now

    def wait(self, step: int) -> float:
        """Seconds until the step after this one is due; 0 if it is."""
        now = self._now()
        if self._zero is None:
            self._zero = now - seconds_at(step)
        self._zero = max(self._zero, now - seconds_at(step + 1) - _PICTURE)
        return max(0.0, self._zero + seconds_at(step + 1) - now)

    def due(self, step: int) -> int:
        """The last step that is due; at least the one after `step`, the latest one taken."""
        wait = self.wait(step)
        assert self._zero is not None
        return step + 1 if wait else max(step + 1, step_at(self._now() - self._zero))
