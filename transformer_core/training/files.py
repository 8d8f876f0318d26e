"""Files of a folder: of this machine, or at an address that fsspec knows, such as s3://bucket/models or sftp://host/models."""

import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fsspec import get_filesystem_class
from fsspec.core import url_to_fs
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from fsspec.utils import get_protocol

from transformer_core.errors import InputError
from transformer_core.training.whole_file import PART, write_whole

Answer = TypeVar("Answer")
_log = logging.getLogger(__name__)
_SEEN = 1.0  # seconds for which it is remembered which files there are at an address
_PAUSE, _LONGEST = 30.0, 120.0  # seconds after a failure in which nobody asks; twice as many after each other one
_SILENCE = 5.0  # seconds without an answer, after which an address counts as one that cannot be reached
_SLOWEST = 200_000  # bytes a second: to send or fetch a file may take so much longer
# Names that file systems give the time of the last change.
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")


class Unreachable(OSError):
    """Files at an address cannot be reached. It has been said in the log."""


class Entry(NamedTuple):
    """A file: when it was last used, in seconds since 1970, its bytes, and its name."""

    used: float
    size: int
    name: str


class Disk:
    """A folder of this machine, or one that it mounts."""

    fails = False

    def __init__(self, path: Path):
        self.name = str(path)

    def ask(self, folder: str, call: Callable[[DirFileSystem], Answer], size: int = 0) -> Answer:
        """The result of a call with the file system of a folder in this one."""
        return call(DirFileSystem(f"{self.name}/{folder}", LocalFileSystem()))


class Connection:
    """A folder at an address. If it fails or does not answer in time, the log says so once, and every question raises
    Unreachable at once for a while: pages do not wait for it.

    Attributes:
        name: its address, without a password.
        fails: whether the last question failed.
    """

    def __init__(self, address: str):
        """Raises InputError for an address that nothing installed here can open."""
        self.name, self.fails = re.sub(r"//[^/@]*@", "//…@", address), False
        self._address = address
        self._opened: tuple[Any, str] | None = None
        self._again, self._pause = 0.0, _PAUSE
        try:
            get_filesystem_class(get_protocol(address))
        except (ImportError, ValueError) as error:
            raise InputError(
                "{address} is no folder that can be opened here: {error}; install what is missing, or name a folder of this "
                "machine in EXPLORER_MODELS", address=self.name, error=str(error),
            ) from error  # fmt: skip
        with suppress(Unreachable):  # to open some file systems is to connect to them; it is tried again when one is used
            self.ask("", lambda files: None)

    def ask(self, folder: str, call: Callable[[DirFileSystem], Answer], size: int = 0) -> Answer:
        """The result of a call with the file system of a folder in this one. Raises Unreachable for all that the call raises.
        `size`: bytes that are sent or fetched."""
        if time.monotonic() < self._again:
            raise Unreachable(f"{self.name} could not be reached a moment ago")
        answer: Future[Answer] = Future()
        threading.Thread(target=self._answer, args=(folder, call, answer), name="model-folder", daemon=True).start()
        longest = _SILENCE + size / _SLOWEST
        try:
            result = answer.result(longest)
        except Exception as error:  # every file system has kinds of its own
            raise self._failed(repr(error) if answer.done() else f"no answer within {longest:.0f} seconds") from error
        if self.fails:
            _log.warning("%s can be reached again", self.name)
        self.fails, self._pause = False, _PAUSE
        return result

    def _answer(self, folder: str, call: Callable[[DirFileSystem], Answer], answer: "Future[Answer]") -> None:
        try:
            self._opened = self._opened or url_to_fs(self._address, use_listings_cache=False)
            files, path = self._opened
            answer.set_result(call(DirFileSystem(f"{path.rstrip('/')}/{folder}", files)))
        except Exception as error:
            answer.set_exception(error)

    def _failed(self, why: str) -> Unreachable:
        if not self.fails:
            _log.warning("%s cannot be reached, and learned models are kept on this machine alone: %s", self.name, why)
        self.fails = True
        self._again, self._pause = time.monotonic() + self._pause, min(2 * self._pause, _LONGEST)
        return Unreachable(f"{self.name} cannot be reached: {why}")


class Files:
    """Files of one folder, by name. All calls may raise OSError."""

    def __init__(self, place: Disk | Connection, folder: str = ""):
        self._place, self._folder = place, folder
        self._sizes: dict[str, int] = {}  # of the files at an address that are known to be there
        self._seen = -_SEEN

    def __str__(self) -> str:
        return f"{self._place.name.rstrip('/')}/{self._folder}".rstrip("/")

    @property
    def is_away(self) -> bool:
        """True if they could not be reached when they were last asked for."""
        return self._place.fails

    def __contains__(self, name: str) -> bool:
        """Whether there is such a file; at an address, whether there was a moment ago: pages ask often."""
        if isinstance(self._place, Disk):
            return self._ask(lambda files: bool(files.isfile(name)))
        if time.monotonic() - self._seen >= _SEEN:
            self.look_again()
        return name in self._sizes

    def look_again(self) -> None:
        """Looks which files there are at an address."""
        self._seen = time.monotonic()  # meanwhile others do not wait
        try:
            self._sizes = {each.name: each.size for each in self.entries()}
        except Unreachable:
            self._sizes = {}

    def subfolder(self, folder: str) -> "Files":
        """The files of a folder in this one."""
        return Files(self._place, f"{self._folder}/{folder}".lstrip("/"))

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if there is no such file."""
        return self._ask(_if_there(lambda files: bytes(files.cat_file(name))), self._sizes.get(name, 0))

    def write(self, name: str, data: bytes) -> None:
        """Writes a file whole or not at all."""

        def write(files: DirFileSystem) -> None:
            if isinstance(files.fs, LocalFileSystem):  # its own move does not replace a file on Windows
                files.makedirs("", exist_ok=True)
                return write_whole(Path(files.path, name), data)
            part = f"{name}.{secrets.token_hex(4)}{PART}"
            try:
                files.pipe_file(part, data)
            except FileNotFoundError:  # nor is there the folder
                files.makedirs("", exist_ok=True)
                files.pipe_file(part, data)
            files.mv(part, name)

        self._ask(write, len(data))
        self._sizes = self._sizes | {name: len(data)}

    def remove(self, name: str) -> None:
        """Removes a file, if it is there."""
        self._sizes = {other: size for other, size in self._sizes.items() if other != name}
        self._ask(_if_there(lambda files: files.rm_file(name)))

    def use(self, name: str) -> None:
        """Notes that a file is used now, where a file system can."""

        def use(files: DirFileSystem) -> None:
            with suppress(OSError, NotImplementedError, ValueError):  # of what can only be read, and of stores of objects
                if isinstance(files.fs, LocalFileSystem):
                    os.utime(Path(files.path, name))  # its own touch would make a file that has just been removed
                else:
                    files.touch(name, truncate=False)

        self._ask(use)

    def entries(self) -> list[Entry]:
        """All files, in no order; none where nothing has been written yet."""
        listed = self._ask(_if_there(lambda files: files.ls("", detail=True))) or []
        return [Entry(_used(each), each["size"] or 0, each["name"]) for each in listed if each["type"] == "file"]

    def _ask(self, call: Callable[[DirFileSystem], Answer], size: int = 0) -> Answer:
        return self._place.ask(self._folder, call, size)


def _if_there(call: Callable[[DirFileSystem], Answer]) -> Callable[[DirFileSystem], Answer | None]:
    """The same call, with None for a file that is not there."""

    def answer(files: DirFileSystem) -> Answer | None:
        with suppress(FileNotFoundError):
            return call(files)
        return None

    return answer


def _used(entry: dict[str, Any]) -> float:
    """The time when a file was last used, or else written, in seconds since 1970; 0 where a file system does not say it."""
    time_used = next((entry[name] for name in _TIMES if entry.get(name) is not None), 0.0)
    if isinstance(time_used, str):
        time_used = datetime.fromisoformat(time_used)
    return time_used.timestamp() if isinstance(time_used, datetime) else float(time_used)
