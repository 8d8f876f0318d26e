"""Caches shared by all sessions: bounded in bytes, with one computation for simultaneous equal calls."""

import threading
import weakref
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import fields, is_dataclass
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import torch
from cachetools import LRUCache

from transformer_core.data.vocabulary import Vocabulary

Given = ParamSpec("Given")
Made = TypeVar("Made")
_PLAIN = 64  # approximate bytes of an object without its content
_all: "weakref.WeakSet[SharedCache[Any, Any]]" = weakref.WeakSet()  # of this process


class _Ended(Exception):
    """The computing thread was cancelled, as when its page is left; those who wait retry."""


class SharedCache(Generic[Given, Made]):
    """A function with a least-recently-used cache; see `shared_cache`."""

    def __init__(
        self,
        compute: Callable[Given, Made],
        most_bytes: int,
        size: Callable[[Made], int],
        key: Callable[Given, Hashable] | None,
        lasting: bool,
    ) -> None:
        self.__doc__, self.__wrapped__ = compute.__doc__, compute
        self._compute, self._key, self._size, self.lasting = compute, key, size, lasting
        self._kept: LRUCache[Hashable, tuple[Made, int]] = LRUCache(most_bytes, getsizeof=lambda kept: kept[1])
        self._under_way: dict[Hashable, tuple[int, Future[Made]]] = {}  # with the id of the computing thread
        self._lock = threading.Lock()  # not held while computing: a cached function may call another, or itself
        _all.add(self)

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Made:
        return self.get_or_compute(lambda: self._compute(*args, **kwargs), *args, **kwargs)

    def get_or_compute(self, compute: Callable[[], Made], *args: Given.args, **kwargs: Given.kwargs) -> Made:
        """Returns the cached result for the arguments, or computes it with `compute`. Raises what that raises."""
        key = self._key_of(*args, **kwargs)
        while True:
            with self._lock:
                if key in self._kept:
                    return self._kept[key][0]
                thread, awaited = self._under_way.get(key, (0, None))
                if awaited is None:
                    mine = Future[Made]()
                    self._under_way[key] = threading.get_ident(), mine
            if awaited is None:
                return self._made(key, compute, mine)
            if thread == threading.get_ident():
                raise RuntimeError(f"{self._compute.__qualname__} needs its own result")
            try:
                return awaited.result()
            except _Ended:
                continue

    def get(self, *args: Given.args, **kwargs: Given.kwargs) -> Made | None:
        """Returns the cached result for these arguments, or None. Neither computes nor waits."""
        with self._lock:
            found = self._kept.get(self._key_of(*args, **kwargs))
        return None if found is None else found[0]

    def _key_of(self, *args: Given.args, **kwargs: Given.kwargs) -> Hashable:
        return (args, *sorted(kwargs.items())) if self._key is None else self._key(*args, **kwargs)

    def _made(self, key: Hashable, compute: Callable[[], Made], mine: "Future[Made]") -> Made:
        try:
            made = compute()
        except BaseException as error:  # those who wait get the error; the next call tries again
            with self._lock:
                del self._under_way[key]
            mine.set_exception(error if isinstance(error, Exception) else _Ended())
            raise
        size = self._size(made) + bytes_of(key) + _PLAIN
        with self._lock:
            del self._under_way[key]
            if size <= self._kept.maxsize:
                self._kept[key] = made, size
        mine.set_result(made)
        return made

    @property
    def nbytes(self) -> int:
        """The bytes of the cached results and their keys."""
        with self._lock:
            return int(self._kept.currsize)

    @property
    def most_bytes(self) -> int:
        """The limit in bytes."""
        return int(self._kept.maxsize)

    def clear(self) -> None:
        """Empties the cache."""
        with self._lock:
            self._kept.clear()


def shared_cache(
    most_bytes: int,
    *,
    size: Callable[[Any], int] | None = None,
    key: Callable[..., Hashable] | None = None,
    lasting: bool = False,
) -> Callable[[Callable[Given, Made]], SharedCache[Given, Made]]:
    """Decorates a function of hashable arguments with a cache. Simultaneous equal calls wait for the first and share its
    result, or its error, which is not cached. Results are shared: nobody may change them.

    Args:
        most_bytes: limit of all results and keys; a larger result is not cached.
        size: returns the bytes of a result; None for `bytes_of`.
        key: returns what determines the result; None for all arguments as given.
        lasting: whether results are kept while nobody is there, because they took long.
    """
    return lambda compute: SharedCache(compute, most_bytes, size or bytes_of, key, lasting)


def forget_all() -> None:
    """Empties all these caches but the lasting ones."""
    for each in list(_all):
        if not each.lasting:
            each.clear()


def kept_by_all() -> tuple[int, int]:
    """Returns the bytes in all these caches together, and their limits together."""
    found = list(_all)
    return sum(each.nbytes for each in found), sum(each.most_bytes for each in found)


def bytes_of(made: Any) -> int:
    """Estimates the memory of a result: its arrays and tensors, and their containers."""
    if isinstance(made, np.ndarray | torch.Tensor):
        return _PLAIN + int(made.nbytes)
    if isinstance(made, torch.nn.Module):
        return sum(each.nbytes for each in (*made.parameters(), *made.buffers()))
    if isinstance(made, str | bytes):
        return _PLAIN + len(made)
    if isinstance(made, Mapping):
        return _PLAIN + sum(bytes_of(each) for pair in made.items() for each in pair)
    if isinstance(made, list | tuple | set | frozenset):
        return _PLAIN + sum(map(bytes_of, made))
    if isinstance(made, Vocabulary):  # shared by everybody
        return _PLAIN
    if is_dataclass(made):
        return _PLAIN + sum(bytes_of(getattr(made, field.name)) for field in fields(made))
    return _PLAIN // 2
