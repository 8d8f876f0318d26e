"""The streams of rooms: each window is told the whole state when it connects, then what has changed (server-sent events)."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from explorer.rooms.room import Room
from explorer.rooms.rooms import Rooms

_TOGETHER = 0.03  # seconds that changes wait for each other: forty votes are one event
_ALIVE = 15  # seconds after which a silent stream says that it is there
_LISTENERS = 300  # streams of one room
_ONE = 12  # streams of one browser in a room
AGAIN = 10_000  # milliseconds after which a browser asks again for a stream that it could not have


@dataclass(frozen=True)
class Window:
    """Who listens. `leads`: whether it is told what the host knows; browser: of a phone, None for others."""

    language: str
    leads: bool = False
    browser: str | None = None


Sign = tuple[int, bool]  # of a state: the room's version, and whether a host's window is open


class Streams:
    """All streams of a server."""

    def __init__(self, rooms: Rooms):
        self._rooms = rooms
        self._news: dict[str, asyncio.Event] = {}  # by room: set when it has changed
        self._listeners: dict[str, int] = {}
        self._hosts: dict[str, int] = {}  # streams of the hosts' windows
        self._states: dict[tuple[str, bool, str], tuple[Sign, dict[str, Any]]] = {}  # the newest
        self._texts: dict[tuple[str, bool, str], tuple[Sign | None, Sign, str]] = {}  # the newest step from one to the next

    def is_full(self, room: Room, browser: str | None) -> bool:
        return self._listeners.get(room.code, 0) >= _LISTENERS or room.here.get(browser or "", 0) >= _ONE

    def announce(self, room: Room) -> None:
        """Wakes all who listen."""
        if (news := self._news.pop(room.code, None)) is not None:
            news.set()

    async def tell(self, room: Room, window: Window) -> AsyncIterator[str]:
        """Yields events for a window until the room is over."""
        counts = [self._listeners, *([self._hosts] if window.leads else [])]
        for each in counts:
            each[room.code] = each.get(room.code, 0) + 1
        room.opened(window.browser, 1)
        room.touch()
        self.announce(room)
        sent: tuple[Sign, dict[str, Any]] | None = None
        try:
            while self._rooms.get(room.code) is room:
                if sent is None or sent[0] != self._sign(room):
                    sent, text = self._next(room, window, sent)
                    yield f"data: {text}\n\n"
                    continue
                news = self._news.setdefault(room.code, asyncio.Event())
                try:
                    await asyncio.wait_for(news.wait(), _ALIVE)
                    await asyncio.sleep(_TOGETHER)
                except TimeoutError:
                    yield 'data: {"alive": true}\n\n'
            yield 'data: {"over": true}\n\n'
        finally:
            for each in counts:
                each[room.code] -= 1
            room.opened(window.browser, -1)
            self._forget(room.code)
            if not room.over:
                room.version += 1  # fewer are here; nobody has touched it
                self.announce(room)

    def _forget(self, code: str) -> None:
        if self._hosts.get(code) == 0:
            del self._hosts[code]
        if self._listeners.get(code) == 0:
            for known in (self._listeners, self._news):
                known.pop(code, None)
            for table in (self._states, self._texts):
                for key in [key for key in table if key[0] == code]:
                    del table[key]

    def _sign(self, room: Room) -> Sign:
        return room.version, self._hosts.get(room.code, 0) > 0

    def _next(
        self, room: Room, window: Window, sent: tuple[Sign, dict[str, Any]] | None
    ) -> tuple[tuple[Sign, dict[str, Any]], str]:
        """Returns the state now, and what is new in it as text; most windows have been sent the same before."""
        key, now = (room.code, window.leads, window.language), self._sign(room)
        known = self._states.get(key)
        if known is None or known[0] != now:
            state = room.seen(window.language) | (room.led() if window.leads else {}) | {"host": now[1]}
            known = self._states[key] = now, state
        before = sent[0] if sent is not None else None
        text = self._texts.get(key)
        if text is None or text[:2] != (before, now):
            news = known[1] | {"all": True} if sent is None else changes(sent[1], known[1])
            written = json.dumps(news, ensure_ascii=False).encode("utf-8", "replace").decode()
            text = before, now, written
            if before is not None:  # those who come anew are few
                self._texts[key] = text
        return known, text[2]


def changes(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Returns what is new in a state. Curves that have grown are sent as their new points, "more"."""
    new = {name: value for name, value in now.items() if name not in before or before[name] != value}
    old, curves = before.get("curves"), new.get("curves")
    if (
        old
        and curves
        and len(old) == len(curves)
        and all(one == other[: len(one)] for one, other in zip(old, curves, strict=True))
    ):
        del new["curves"]
        new["more"] = [other[len(one) :] for one, other in zip(old, curves, strict=True)]
    return new
