"""Pins: memory is given back when windows have been closed, and not while none is."""

import asyncio
import ctypes
import gc
import weakref

import pytest

from explorer.server import memory, tidying


@pytest.mark.parametrize(
    ("seen", "times"),
    [
        ([(0, 0), (0, 0)], 0),
        ([(3, 3), (5, 5), (5, 5)], 0),
        ([(5, 5), (2, 5), (2, 5)], 1),  # closed, but may come back
        ([(5, 5), (2, 5), (2, 2), (2, 2)], 2),  # ... and forgotten
        ([(5, 5), (5, 6), (6, 6), (5, 5)], 1),
    ],
)
def test_memory_is_given_back_when_windows_or_sessions_are_fewer_than_before(seen, times):
    looks, given = iter(seen), []

    def windows() -> tuple[int, int]:
        try:
            return next(looks)
        except StopIteration:
            raise asyncio.CancelledError from None

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(tidying.go_on(0, windows, lambda: given.append(True)))
    assert len(given) == times


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
        asyncio.run(tidying.go_on(0, windows, give_back))
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
