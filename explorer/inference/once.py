"""Caches for everybody: within a bound in bytes, and with one computation for all who ask for the same at the same moment."""

import threading
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import fields, is_dataclass
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import torch
from cachetools import LRUCache

Given = ParamSpec("Given")
Made = TypeVar("Made")
_PLAIN = 64  # bytes of an object, about, besides what it holds


class _Ended(Exception):
    """Who was computing was ended from outside, as a page is that is not wanted any more: somebody else computes."""


class Once(Generic[Given, Made]):
    """A function whose results are kept, the least recently used for the shortest; see `once`."""

    def __init__(
        self,
        compute: Callable[Given, Made],
        most_bytes: int,
        size: Callable[[Made], int],
        key: Callable[Given, Hashable] | None,
    ) -> None:
        self.__doc__, self.__wrapped__ = compute.__doc__, compute
        self._compute, self._key = compute, key
        self._kept: LRUCache[Hashable, Made] = LRUCache(most_bytes, getsizeof=lambda made: size(made) + _PLAIN)
        self._under_way: dict[Hashable, tuple[int, Future[Made]]] = {}  # with the thread that computes it
        self._lock = threading.Lock()  # never held while computing: one function of this kind may call another, or itself

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Made:
        return self.otherwise(lambda: self._compute(*args, **kwargs), *args, **kwargs)

    def otherwise(self, compute: Callable[[], Made], *args: Given.args, **kwargs: Given.kwargs) -> Made:
        """The same, where it has to be computed in another way. Raises what that does."""
        key = (args, *sorted(kwargs.items())) if self._key is None else self._key(*args, **kwargs)
        while True:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
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

    def _made(self, key: Hashable, compute: Callable[[], Made], mine: "Future[Made]") -> Made:
        try:
            made = compute()
        except BaseException as error:  # all who wait are told; the next one who asks tries again
            with self._lock:
                del self._under_way[key]
            mine.set_exception(error if isinstance(error, Exception) else _Ended())
            raise
        with self._lock:
            del self._under_way[key]
            if self._kept.getsizeof(made) <= self._kept.maxsize:
                self._kept[key] = made
        mine.set_result(made)
        return made

    @property
    def nbytes(self) -> int:
        """What is kept, by the sizes of the results."""
        with self._lock:
            return int(self._kept.currsize)

    def clear(self) -> None:
        """Forgets what is kept."""
        with self._lock:
            self._kept.clear()


def once(
    most_bytes: int, *, size: Callable[[Any], int] | None = None, key: Callable[..., Hashable] | None = None
) -> Callable[[Callable[Given, Made]], Once[Given, Made]]:
    """Decorates a function of hashable arguments. Equal calls at the same time wait for the one that computes, and get its
    result, or its error, which is not kept. Results are shared: nobody may change them.

    Args:
        most_bytes: of all that is kept; a result that is larger is not.
        size: of a result, in bytes; None for `bytes_of`.
        key: what determines the result; None for all arguments, as they are given.
    """
    return lambda compute: Once(compute, most_bytes, size or bytes_of, key)


def bytes_of(made: Any) -> int:
    """About how much memory a result takes: its arrays and tensors, and what holds them."""
    if isinstance(made, np.ndarray | torch.Tensor):
        return _PLAIN + int(made.nbytes)
    if isinstance(made, torch.nn.Module):
        return sum(parameter.nbytes for parameter in made.parameters())
    if isinstance(made, str | bytes):
        return _PLAIN + len(made)
    if isinstance(made, Mapping):
        return _PLAIN + sum(bytes_of(each) for pair in made.items() for each in pair)
    if isinstance(made, list | tuple | set | frozenset):
        return _PLAIN + sum(map(bytes_of, made))
    if is_dataclass(made):
        return _PLAIN + sum(bytes_of(getattr(made, field.name)) for field in fields(made))
    return _PLAIN // 2
