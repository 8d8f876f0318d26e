"""Files of a folder at an address that fsspec knows: file:///models, s3://bucket/models, sftp://host/models …"""

import logging
import queue
import re
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from transformer_core.errors import InputError
from transformer_core.training.folder import (
    PART,
    Entry,
    ModelFolder,
    Unreachable,
    as_path,
    default_address,
    default_folder,
    is_address,
)

Found = TypeVar("Found")
_log = logging.getLogger(__name__)
_SEEN = 1.0  # seconds for which it is remembered which files there are
_PAUSE, _LONGEST = 30.0, 120.0  # seconds after a failure in which nobody asks; twice as many after each other one
_SILENCE = 5.0  # seconds without an answer, after which an address counts as one that cannot be reached
_SLOWEST = 200_000  # bytes a second: to send or fetch a file may take so much longer
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")  # as file systems call it


def open_folder(where: str | None = None, most_bytes: int | None = None) -> ModelFolder:
    """The folder of models at a path or an address; None: that of EXPLORER_MODELS, or of the user's cache.

    Raises:
        InputError: for an address that nothing installed here can open, and for a path at home where there is no home.
    """
    address = default_address() if where is None else where if is_address(where) else None
    path = default_folder() if where is None or address is not None else as_path(where)
    return ModelFolder(path, most_bytes, None if address is None else RemoteFiles(Connection(address)))


class Connection:
    """A file system of fsspec. If it fails or does not answer in time, the log says so once, and every question raises
    Unreachable at once for a while: pages do not wait for it.

    Attributes:
        name: its address, without a password.
        fails: whether the last question failed.
    """

    def __init__(self, address: str):
        """Raises InputError for an address that nothing installed here can open."""
        self.name = re.sub(r"//[^/@]*@", "//…@", address)
        self.fails = False
        self._address = address
        self._opened: tuple[Any, str] | None = None
        self._again, self._pause = 0.0, _PAUSE
        with suppress(Unreachable):  # to open some file systems is to connect to them; it is tried again when one is used
            self.ask(lambda files, root: None)

    def ask(self, call: Callable[[Any, str], Found], size: int = 0) -> Found:
        """Returns what a call returns that is given the file system, and the path of the folder in it. Raises Unreachable for
        all that the call raises. `size`: bytes that are sent or fetched."""
        if time.monotonic() < self._again:
            raise Unreachable(f"{self.name} could not be reached a moment ago")
        answers: queue.SimpleQueue[Found | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._answer, args=(call, answers), name="model-folder", daemon=True).start()
        longest = _SILENCE + size / _SLOWEST
        try:
            answer = answers.get(timeout=longest)
        except queue.Empty:  # the thread is left to itself
            answer = TimeoutError(f"no answer within {longest:.0f} seconds")
        if isinstance(answer, InputError):
            raise answer
        if isinstance(answer, Exception):
            raise self._failed(answer) from answer
        if self.fails:
            _log.warning("%s can be reached again", self.name)
        self.fails, self._pause = False, _PAUSE
        return answer

    def _answer(self, call: Callable[[Any, str], Found], answers: "queue.SimpleQueue[Found | Exception]") -> None:
        try:
            self._opened = self._opened or self._open()
            answers.put(call(*self._opened))
        except Exception as error:  # every file system has kinds of its own
            answers.put(error)

    def _open(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs  # takes a while, and is needed for addresses alone

        try:
            files, root = url_to_fs(self._address, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise InputError(
                "{address} is no folder that can be opened here: {error}; install what is missing, or name a folder of this "
                "machine in EXPLORER_MODELS", address=self.name, error=str(error),
            ) from error  # fmt: skip
        return files, root.rstrip("/")

    def _failed(self, error: Exception) -> Unreachable:
        if not self.fails:
            _log.warning("%s cannot be reached, and learned models are kept on this machine alone: %r", self.name, error)
        self.fails = True
        self._again, self._pause = time.monotonic() + self._pause, min(2 * self._pause, _LONGEST)
        return Unreachable(f"{self.name} cannot be reached: {error}")


class RemoteFiles:
    """Files of a folder at an address (see `folder.Files`)."""

    def __init__(self, connection: Connection, folder: str = ""):
        self._connection, self._folder = connection, folder
        self._sizes: dict[str, int] = {}  # of the files that are known to be there
        self._seen = -_SEEN
        self._looking = threading.Lock()
        self._notes_use = True

    @property
    def is_away(self) -> bool:
        return self._connection.fails

    def __str__(self) -> str:
        return f"{self._connection.name.rstrip('/')}/{self._folder}".rstrip("/")

    def __contains__(self, name: str) -> bool:
        """Returns whether there was such a file a moment ago: pages ask often, and for many."""
        if time.monotonic() - self._seen >= _SEEN and self._looking.acquire(blocking=False):  # meanwhile others do not wait
            try:
                self._look()
            finally:
                self._looking.release()
        return name in self._sizes

    def look_again(self) -> None:
        with self._looking:
            self._look()

    def _look(self) -> None:
        try:
            self._sizes = {each.name: each.size for each in self.entries()}
        except Unreachable:
            self._sizes = {}
        self._seen = time.monotonic()

    def within(self, folder: str) -> "RemoteFiles":
        return RemoteFiles(self._connection, f"{self._folder}/{folder}".lstrip("/"))

    def read(self, name: str) -> bytes | None:
        def read(files: Any, path: str) -> bytes | None:
            try:
                data: bytes = files.cat_file(f"{path}/{name}")
            except FileNotFoundError:
                return None
            return data

        return self._ask(read, self._sizes.get(name, 0))

    def write(self, name: str, data: bytes) -> None:
        def write(files: Any, path: str) -> None:
            part = f"{path}/{name}.{secrets.token_hex(4)}{PART}"
            try:
                files.pipe_file(part, data)
            except FileNotFoundError:  # nor is there the folder
                files.makedirs(path, exist_ok=True)
                files.pipe_file(part, data)
            files.mv(part, f"{path}/{name}")

        self._ask(write, len(data))
        self._sizes = self._sizes | {name: len(data)}

    def remove(self, name: str) -> None:
        def remove(files: Any, path: str) -> None:
            with suppress(FileNotFoundError):
                files.rm_file(f"{path}/{name}")

        self._sizes = {other: size for other, size in self._sizes.items() if other != name}
        self._ask(remove)

    def use(self, name: str) -> None:
        def use(files: Any, path: str) -> None:
            try:
                files.touch(f"{path}/{name}", truncate=False)
            except (NotImplementedError, ValueError):  # as stores of objects say: then files written first go first
                self._notes_use = False

        if self._notes_use:
            self._ask(use)

    def entries(self) -> list[Entry]:
        def entries(files: Any, path: str) -> list[Entry]:
            files.invalidate_cache(path)
            try:
                found = files.ls(path, detail=True)
            except FileNotFoundError:  # nothing has been put there yet
                return []
            return [Entry(_used(each), each["size"] or 0, Path(each["name"]).name) for each in found if each["type"] == "file"]

        return self._ask(entries)

    def _ask(self, call: Callable[[Any, str], Found], size: int = 0) -> Found:
        """Asks with the path of this folder."""
        return self._connection.ask(lambda files, root: call(files, f"{root}/{self._folder}".rstrip("/")), size)


def _used(entry: dict[str, Any]) -> float:
    """When a file was last used, or else written, in seconds since 1970; 0 where a file system does not say it."""
    said = next((entry[name] for name in _TIMES if entry.get(name) is not None), 0.0)
    if isinstance(said, str):
        said = datetime.fromisoformat(said)
    return said.timestamp() if isinstance(said, datetime) else float(said)
