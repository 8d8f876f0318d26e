"""The objects of which a process has one: the scheduler of training runs, the recordings, the store of models and its learner.

Each is made when it is first asked for. Without a server, as in a test, every browser window counts as open.
"""

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Protocol, TypeVar

from explorer import limits
from explorer.learning.learner import Learner
from explorer.learning.prefetch import Prefetch
from explorer.learning.recordings import Recordings
from explorer.learning.saved_runs import SavedRuns
from explorer.learning.scheduler import Scheduler
from explorer.learning.store import ModelStore
from explorer.many_machines.ray_workers import cluster_address

T = TypeVar("T")

_made: dict[str, Any] = {}  # by the name of the function that made it
_sessions: "Sessions | None" = None
_lock = RLock()  # making one asks for others


class Sessions(Protocol):
    """The browser windows of a server: `streamlit_patches.sessions`."""

    def serves(self) -> bool: ...

    def is_open(self, session: str) -> bool: ...


def share(keep: Callable[[dict[str, Any]], dict[str, Any]], sessions: Sessions) -> None:
    """Connects this module to the server.

    Args:
        keep: returns the table that holds all objects: the one of the first call, also after a reload of our modules.
    """
    global _made, _sessions
    _made, _sessions = keep(_made), sessions


def _serves() -> bool:
    return _sessions is not None and _sessions.serves()


def _made_once(make: Callable[[], T]) -> Callable[[], T]:
    @wraps(make)
    def get() -> T:
        with _lock:
            if make.__name__ not in _made:
                _made[make.__name__] = make()
            return _made[make.__name__]

    return get


@_made_once
def training_scheduler() -> Scheduler:
    serves = _serves()
    return Scheduler(is_open, serves and limits.WORKER_PROCESSES > 0, cluster_address() if serves else None)


@_made_once
def recordings() -> Recordings:
    return Recordings(training_scheduler())


@_made_once
def model_store() -> ModelStore:
    return ModelStore()


@_made_once
def prefetch() -> Prefetch:
    return Prefetch(model_store(), training_scheduler())


@_made_once
def learning() -> Learner:
    return Learner(model_store(), training_scheduler(), is_open, prefetch=prefetch())


@_made_once
def saved_runs() -> SavedRuns:
    return SavedRuns(model_store().folder / "runs")


def learns_ahead() -> bool:
    """Returns whether models are learned before anybody asks for them."""
    return _serves() and limits.PREPARE_NEIGHBOURS > 0


def is_open(session: str) -> bool:
    """Returns whether a browser window is connected."""
    return _sessions is None or not _sessions.serves() or _sessions.is_open(session)


def stop() -> None:
    """Ends all training and waits for it. Later calls make new objects, but for the store of models."""
    prefetch().stop()
    learning().stop()
    saved_runs().stop()
    training_scheduler().stop()
    for name in set(_made) - {"model_store"}:
        del _made[name]
