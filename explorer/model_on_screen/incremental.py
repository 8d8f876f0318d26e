"""Measures slow results in batches within a time limit, and caches them for everybody."""

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from torch import Tensor

from explorer.model_on_screen.shared_cache import shared_cache

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")
Part = TypeVar("Part")
Tuple = TypeVar("Tuple", bound=tuple[Hashable, ...])


@shared_cache(64 * 2**20, key=lambda key: key, lasting=True)
def _finding(key: Hashable) -> Any:
    raise NotImplementedError(key)  # the caller brings the function that measures


def measure(seconds: float, keys: Sequence[Key], compute: Callable[[Key], Result]) -> list[Result | None]:
    """Measures each key, or takes its cached result; None where the time ran out. Waits for other threads that measure it.

    Args:
        seconds: no measurement begins later; cached results take no time.
        keys: cache keys, with all that a result depends on.
    """

    def result_of(key: Key) -> Result | None:
        known = _finding.get(key)
        return _finding.get_or_compute(lambda: compute(key), key) if known is None and time.monotonic() < until else known

    until = time.monotonic() + seconds
    return [result_of(key) for key in keys]


def measure_joined(
    seconds: float,
    keys: Sequence[Key],
    parts: Callable[[Key, float], Sequence[Part | None]],
    join: Callable[[Key, list[Part]], Result],
) -> list[Result | None]:
    """The same for results too slow to be measured at once, which are joined from parts.

    Args:
        parts: measures as many parts of a key as so many seconds allow, like `measure`.
        join: makes a result of all parts; must be fast.
    """
    until = time.monotonic() + seconds

    def result_of(key: Key) -> Result | None:
        known, left = _finding.get(key), until - time.monotonic()
        if known is not None or left <= 0:
            return known
        several = parts(key, left)
        there = [each for each in several if each is not None]
        return _finding.get_or_compute(lambda: join(key, there), key) if len(there) == len(several) else None

    return [result_of(key) for key in keys]


def measure_batches(
    seconds: float,
    keys: Sequence[Tuple],
    batches: Sequence[Tensor],
    compute: Callable[[Tuple, Tensor], Part],
    join: Callable[[Tuple, list[Part]], Result],
) -> list[Result | None]:
    """Measures batches of rows, given by their indices, and joins the results."""

    def parts(key: Tuple, left: float) -> list[Part | None]:
        return measure(left, [(*key, "lot", i) for i in range(len(batches))], lambda each: compute(key, batches[each[-1]]))

    return measure_joined(seconds, keys, parts, join)
