"""Caches for everybody: within a bound in bytes, and with one computation for all who ask for the same at the same moment."""

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
_PLAIN = 64  # bytes of an object, about, besides what it holds
_all: "weakref.WeakSet[SharedCache[Any, Any]]" = weakref.WeakSet()  # of this process


class _Ended(Exception):
    """Who was computing was ended from outside, as a page is that is not wanted any more: somebody else computes."""


class SharedCache(Generic[Given, Made]):
    """A function whose results are kept, the least recently used for the shortest; see `shared_cache`."""

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
        self._under_way: dict[Hashable, tuple[int, Future[Made]]] = {}  # with the thread that computes it
        self._lock = threading.Lock()  # never held while computing: one function of this kind may call another, or itself
        _all.add(self)

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Made:
        return self.otherwise(lambda: self._compute(*args, **kwargs), *args, **kwargs)

    def otherwise(self, compute: Callable[[], Made], *args: Given.args, **kwargs: Given.kwargs) -> Made:
        """The same, where it has to be computed in another way. Raises what that does."""
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

    def kept(self, *args: Given.args, **kwargs: Given.kwargs) -> Made | None:
        """What is kept for these arguments; None where nothing is. Nothing is computed, and nobody waits."""
        with self._lock:
            found = self._kept.get(self._key_of(*args, **kwargs))
        return None if found is None else found[0]

    def _key_of(self, *args: Given.args, **kwargs: Given.kwargs) -> Hashable:
        return (args, *sorted(kwargs.items())) if self._key is None else self._key(*args, **kwargs)

    def _made(self, key: Hashable, compute: Callable[[], Made], mine: "Future[Made]") -> Made:
        try:
            made = compute()
        except BaseException as error:  # all who wait are told; the next one who asks tries again
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
        """What is kept, by the sizes of the results and of what they are kept by."""
        with self._lock:
            return int(self._kept.currsize)

    @property
    def most_bytes(self) -> int:
        """What may be kept."""
        return int(self._kept.maxsize)

    def clear(self) -> None:
        """Forgets what is kept."""
        with self._lock:
            self._kept.clear()


def shared_cache(
    most_bytes: int,
    *,
    size: Callable[[Any], int] | None = None,
    key: Callable[..., Hashable] | None = None,
    lasting: bool = False,
) -> Callable[[Callable[Given, Made]], SharedCache[Given, Made]]:
    """Decorates a function of hashable arguments. Equal calls at the same time wait for the one that computes, and get its
    result, or its error, which is not kept. Results are shared: nobody may change them.

    Args:
        most_bytes: of all that is kept, keys included; a result that is larger is not.
        size: of a result, in bytes; None for `bytes_of`.
        key: what determines the result; None for all arguments, as they are given.
        lasting: whether results took so long that they are worth their memory even while nobody is there.
    """
    return lambda compute: SharedCache(compute, most_bytes, size or bytes_of, key, lasting)


def forget_all() -> None:
    """Forgets what all these functions keep, but for those whose results are lasting."""
    for each in list(_all):
        if not each.lasting:
            each.clear()


def kept_by_all() -> tuple[int, int]:
    """The bytes that all these functions keep together, and those that they may keep."""
    found = list(_all)
    return sum(each.nbytes for each in found), sum(each.most_bytes for each in found)


def bytes_of(made: Any) -> int:
    """About how much memory a result takes: its arrays and tensors, and what holds them."""
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
    if isinstance(made, Vocabulary):  # one for everybody, which takes nothing more here
        return _PLAIN
    if is_dataclass(made):
        return _PLAIN + sum(bytes_of(getattr(made, field.name)) for field in fields(made))
    return _PLAIN // 2
