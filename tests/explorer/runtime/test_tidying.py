"""Pins: memory is given back when windows have been closed, and not while none is; the app rests while there are none."""

import asyncio
import ctypes
import gc
import weakref

import pytest

from explorer.runtime import memory, tidying


@pytest.mark.parametrize(
    ("seen", "does"),
    [
        ([(0, 0), (0, 0)], ["rest", "rest"]),  # something may have been under way
        ([(3, 3), (5, 5), (5, 5)], []),
        ([(5, 5), (2, 5), (2, 5)], ["give back"]),  # closed, but may come back
        ([(5, 5), (2, 5), (2, 2), (2, 2)], ["give back", "give back"]),  # ... and forgotten
        ([(5, 5), (5, 6), (6, 6), (5, 5)], ["give back"]),
        ([(1, 1), (0, 1), (0, 0)], ["give back", "rest", "give back"]),  # what is freed by the rest as well
    ],
)
def test_memory_is_given_back_when_windows_or_sessions_are_fewer_than_before(seen, does):
    looks, done = iter(seen), []

    def windows() -> tuple[int, int]:
        try:
            return next(looks)
        except StopIteration:
            raise asyncio.CancelledError from None

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(
            tidying.free_memory_as_windows_close(lambda: done.append("rest"), 0, windows, lambda: done.append("give back"))
        )
    assert done == does


def test_what_fails_is_said_and_tried_again(caplog):
    looks, given = iter([(5, 5), (4, 4), (3, 3)]), []

    def windows() -> tuple[int, int]:
        if (look := next(looks, None)) is None:
            raise asyncio.CancelledError
        return look

    def give_back() -> None:
        given.append(True)
        if len(given) == 1:
            raise OSError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(tidying.free_memory_as_windows_close(lambda: None, 0, windows, give_back))
    assert len(given) == 2 and "could not be given back" in caplog.text


def test_what_nothing_needs_is_freed_and_the_c_library_is_asked_once(monkeypatch):
    class Node:
        pass

    asked = []
    node = Node()
    node.itself = node
    there = weakref.ref(node)
    gc.disable()
    try:
        del node
        assert there() is not None
        monkeypatch.setattr(ctypes, "CDLL", lambda _name: type("Library", (), {"malloc_trim": asked.append}))
        memory.give_back()
    finally:
        gc.enable()
    assert there() is None and asked == [0]
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    memory.give_back()  # another C library
    memory.few_arenas()
