"""A rate limit for the requests of one browser."""

import time


class Allowance:
    """A token bucket: an amount that may be used at once, refilled per second."""

    def __init__(self, at_once: float, per_second: float):
        self._most, self._per_second = at_once, per_second
        self._left, self._at = at_once, time.monotonic()

    def use(self, amount: float) -> None:
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_second, self._most) - amount
        self._at = now

    @property
    def is_used_up(self) -> bool:
        self.use(0)
        return self._left < 0
