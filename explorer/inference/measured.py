"""What takes long to measure: a little at a time, and kept for everybody."""

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from cachetools import LRUCache

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")
_known: LRUCache[Hashable, Any] = LRUCache(16384)
_lock = threading.Lock()


def within(seconds: float, keys: Sequence[Key], measure: Callable[[Key], Found]) -> list[Found | None]:
    """What `measure` finds for each of these keys; None where there was no time left for it.

    Args:
        seconds: after which no more are begun; what is known already takes none.
        keys: all that a finding depends on, what is measured included.
    """
    until, found = time.monotonic() + seconds, list[Found | None]()
    for key in keys:
        with _lock:
            known = _known.get(key)
        if known is None and time.monotonic() < until:
            known = measure(key)
            with _lock:
                _known[key] = known
        found.append(known)
    return found
