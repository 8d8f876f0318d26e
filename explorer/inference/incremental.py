"""What takes long to measure: a little at a time, and kept for everybody."""

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from torch import Tensor

from explorer.inference.shared_cache import shared_cache

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")
Part = TypeVar("Part")
Tuple = TypeVar("Tuple", bound=tuple[Hashable, ...])


@shared_cache(64 * 2**20, key=lambda key: key, lasting=True)
def _finding(key: Hashable) -> Any:
    raise NotImplementedError(key)  # who asks brings the function that measures


def within(seconds: float, keys: Sequence[Key], measure: Callable[[Key], Found]) -> list[Found | None]:
    """What `measure` finds for each of these keys; None where there was no time left for it. What somebody else is measuring
    at this moment is waited for.

    Args:
        seconds: after which no more are begun; what is known already takes none.
        keys: all that a finding depends on, what is measured included.
    """

    def found(key: Key) -> Found | None:
        known = _finding.kept(key)
        return _finding.otherwise(lambda: measure(key), key) if known is None and time.monotonic() < until else known

    until = time.monotonic() + seconds
    return [found(key) for key in keys]


def made_of(
    seconds: float,
    keys: Sequence[Key],
    parts: Callable[[Key, float], Sequence[Part | None]],
    join: Callable[[Key, list[Part]], Found],
) -> list[Found | None]:
    """The same of what takes too long for one go: it is made of parts.

    Args:
        parts: of a key, as `within` finds them in so many seconds.
        join: is fast.
    """
    until = time.monotonic() + seconds

    def found(key: Key) -> Found | None:
        known, left = _finding.kept(key), until - time.monotonic()
        if known is not None or left <= 0:
            return known
        several = parts(key, left)
        there = [each for each in several if each is not None]
        return _finding.otherwise(lambda: join(key, there), key) if len(there) == len(several) else None

    return [found(key) for key in keys]


def in_lots(
    seconds: float,
    keys: Sequence[Tuple],
    lots: Sequence[Tensor],
    measure: Callable[[Tuple, Tensor], Part],
    join: Callable[[Tuple, list[Part]], Found],
) -> list[Found | None]:
    """What is joined of what is measured on each lot of rows, given by the places of these rows."""

    def parts(key: Tuple, left: float) -> list[Part | None]:
        return within(left, [(*key, "lot", i) for i in range(len(lots))], lambda each: measure(key, lots[each[-1]]))

    return made_of(seconds, keys, parts, join)
