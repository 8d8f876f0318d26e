"""The rooms of a server: kept in a folder, so that a server that starts again has them, also what is left of those that are
over."""

import json
import logging
import time
from contextlib import suppress
from pathlib import Path

from explorer import resources
from explorer.rooms.room import CODE, LETTERS, Room, RoomError, word

_log = logging.getLogger(__name__)
MOST_ROOMS = 24
HOURS, DAYS = 6.0, 30  # hours after which a room that nobody touches is over; days that what it did can be read
_EMPTY = 600.0  # seconds after which a room with nobody in it gives way to a new one
_MOST_OVER = 500  # rooms that are over, of which something is kept


class Rooms:
    """`path` None: nothing is written down."""

    def __init__(self, path: Path | None = None):
        self._path, self._rooms = path, dict[str, Room]()
        self._over: dict[str, Room] = {}  # rooms that are over: all of them where nothing can be written down

    def made_by(self, browser: str, language: str, short: bool = False, lesson: str = "") -> Room:
        """Returns the room of a host: the one that it has, or a new one. Raises RoomError if there are too many, and
        ScriptError for a lesson, or a script, that cannot be led.
        """
        self._tidy()
        for room in self._rooms.values():
            if browser in room.hosts and room.language == language and (room.short, room.lesson) == (short, lesson):
                return room
        if len(self._rooms) >= MOST_ROOMS:
            self._make_place()
        room = Room(word(CODE), [browser], language, lesson=lesson, short=short)
        self._rooms[room.code] = room
        self.keep(room)
        return room

    def get(self, code: str) -> Room | None:
        """Returns a room by its code, also one that a former server has kept; None if there is none, or if it is over."""
        room = self._find(code)
        return None if room is None or room.over else room

    def kept(self, code: str) -> Room | None:
        """Returns a room by its code, also one that is over."""
        return self._find(code)

    def keep(self, room: Room) -> None:
        """Writes down where a room is. Where nothing can be written it lives in memory alone, and says so."""
        if self._path is None:
            return
        data = json.dumps({"changed": time.time()} | room.as_values())
        try:
            self._path.mkdir(parents=True, exist_ok=True)
            file = self._path / f"{room.code}.json"
            new = file.with_suffix(".new")
            new.write_text(data, encoding="utf-8")
            new.replace(file)
        except OSError as error:
            if not room.unkept:
                _log.warning("rooms cannot be kept in %s, and will not outlive the server: %s", self._path, error)
            room.unkept = True
        else:
            room.unkept = False

    def leave(self, room: Room) -> None:
        """Leaves a new room to the server that its code leads to, of several that share the folder."""
        if not room.unkept:
            self._rooms.pop(room.code, None)

    def end(self, room: Room) -> None:
        """Ends a room. What it did can be read for some days."""
        self._rooms.pop(room.code, None)
        room.over = True
        room.touch()
        self.keep(room)
        self._over[room.code] = room
        while len(self._over) > MOST_ROOMS:
            del self._over[next(iter(self._over))]
        self._shrink()

    def _find(self, code: str) -> Room | None:
        code = code.upper()
        if len(code) != CODE or not set(code) <= set(LETTERS):
            return None
        self._tidy()
        if (known := self._rooms.get(code) or self._over.get(code)) is not None:
            return known
        room = self._read(code)
        if room is not None and not room.over and len(self._rooms) < MOST_ROOMS:
            self._rooms[code] = room
            return room
        return room if room is not None and room.over else None

    def _read(self, code: str) -> Room | None:
        file = self._path / f"{code}.json" if self._path is not None else None
        if file is None:
            return None
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            age = time.time() - values.pop("changed")
            room = Room(code=code, **values)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # none, or none of this version
            return None
        if not room.over and age > 3600 * HOURS:
            self.end(room)
        return room if not room.over or age <= 86_400 * DAYS else None

    def _make_place(self) -> None:
        """Ends the room that has been empty the longest. Raises RoomError if people are in all of them."""
        empty = [room for room in self._rooms.values() if not room.here and time.monotonic() - room.touched > _EMPTY]
        if not empty:
            raise RoomError("too many")
        self.end(min(empty, key=lambda room: room.touched))

    def _tidy(self) -> None:
        for room in [*self._rooms.values()]:
            if time.monotonic() - room.touched > 3600 * HOURS:
                self.end(room)

    def _shrink(self) -> None:
        """Removes files that are too old, or too many."""
        if self._path is None:
            return
        with suppress(OSError):
            files = sorted(self._path.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
            now = time.time()
            for at, file in enumerate(files):
                if file.stem not in self._rooms and (at >= _MOST_OVER or now - file.stat().st_mtime > 86_400 * DAYS):
                    file.unlink(missing_ok=True)


def of_server() -> Rooms:
    """Returns the rooms of this server, as they are kept: another object that is made later reads the same ones."""
    return Rooms(resources.model_store().folder / "rooms")
