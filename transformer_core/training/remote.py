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
from typing import Any, cast

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

_log = logging.getLogger(__name__)
_SEEN = 1.0  # seconds for which it is remembered which files there are
_PAUSE = 30.0  # seconds after a failure in which nobody waits for the address again
_SILENCE = 5.0  # seconds without an answer, after which an address counts as one that cannot be reached
_SLOWEST = 200_000  # bytes a second: what is sent or fetched may take so much longer
_PUTS_WHOLE = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci"}  # a file appears when all of it is there
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")  # as file systems call it
_OF_FILES = (FileNotFoundError, FileExistsError, NotImplementedError)  # what file systems say of files; all else is a failure


def open_folder(where: str | None = None, most_bytes: int | None = None) -> ModelFolder:
    """The folder of models at a path or an address; None: that of EXPLORER_MODELS, or of the user's cache.

    Raises:
        InputError: for an address that nothing installed here can open, and for a path at home where there is no home.
    """
    address = default_address() if where is None else where if is_address(where) else None
    path = default_folder() if where is None or address is not None else as_path(where)
    return ModelFolder(path, most_bytes, None if address is None else RemoteFiles(Connection(address)))


class Connection:
    """A file system of fsspec. Where it cannot be reached, or does not answer in time, that is said once in the log, and every
    question raises Unreachable at once for a while: pages do not wait for what does not answer.

    Attributes:
        name: its address, without a password.
        fails: whether it could not be reached when it was asked last.
    """

    def __init__(self, address: str):
        """Raises InputError for an address that nothing installed here can open."""
        self.name = re.sub(r"//[^/@]*@", "//…@", address)
        self.fails = False
        self._address, self._again = address, 0.0
        self._found: tuple[Any, str] | None = None
        self._unanswered, self._counting = 0, threading.Lock()
        with suppress(Unreachable):  # to open some file systems is to connect to them; then it is tried again when it is used
            self._file_system()

    @property
    def root(self) -> str:
        """The folder that the address names."""
        return self._file_system()[1].rstrip("/")

    @property
    def puts_whole(self) -> bool:
        """Whether a file appears there when all of it is there."""
        return bool(self._kinds & _PUTS_WHOLE)

    def ask(self, method: str, *words: Any, size: int = 0, **options: Any) -> Any:
        """What the file system answers. Raises Unreachable, and what file systems say of files: that there is one, or none.
        `size`: bytes that are sent or fetched for it."""
        found, _root = self._file_system()
        return self._in_time(lambda: getattr(found, method)(*words, **options), size)

    def listed(self, folder: str) -> list[dict[str, Any]]:
        """What is in a folder now; else as `ask`."""
        found, _root = self._file_system()

        def look() -> list[dict[str, Any]]:
            found.invalidate_cache(folder)
            return cast(list[dict[str, Any]], found.ls(folder, detail=True))

        return cast(list[dict[str, Any]], self._in_time(look))

    @property
    def _kinds(self) -> set[str]:
        kinds = self._file_system()[0].protocol
        return {kinds} if isinstance(kinds, str) else {*kinds}

    def _file_system(self) -> tuple[Any, str]:
        """It, and the path of the folder in it. Raises Unreachable, InputError."""
        if self._found is None:
            self._found = cast(tuple[Any, str], self._in_time(self._open))
        return self._found

    def _open(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs  # takes a while, and is needed for addresses alone

        try:
            return url_to_fs(self._address, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise InputError(
                "{address} is no folder that can be opened here: {error}; install what is missing, or name a folder of this "
                "machine in EXPLORER_MODELS", address=self.name, error=str(error),
            ) from error  # fmt: skip

    def _in_time(self, call: Callable[[], Any], size: int = 0) -> Any:
        """What a call returns or raises. One that takes too long is left to itself, in a thread of its own."""
        if time.monotonic() < self._again:
            raise Unreachable(f"{self.name} could not be reached a moment ago")
        answer: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()
        threading.Thread(target=self._answer, args=(call, answer), name="model-folder", daemon=True).start()
        longest = _SILENCE + size / _SLOWEST
        try:
            found, error = answer.get(timeout=longest)
        except queue.Empty:
            found, error = None, TimeoutError(f"no answer within {longest:.0f} seconds")
        if error is not None and not isinstance(error, (*_OF_FILES, InputError)):  # every file system has kinds of its own
            self._again = time.monotonic() + _PAUSE * (1 + self._unanswered)  # the more wait, the rarer it is tried
            if not self.fails:
                _log.warning("%s cannot be reached, and learned models are kept on this machine alone: %r", self.name, error)
            self.fails = True
            raise Unreachable(f"{self.name} cannot be reached: {error}") from error
        if self.fails:
            _log.warning("%s can be reached again", self.name)
        self.fails = False
        if error is not None:
            raise error
        return found

    def _answer(self, call: Callable[[], Any], answer: "queue.SimpleQueue[tuple[Any, Exception | None]]") -> None:
        self._count(1)
        try:
            found: tuple[Any, Exception | None] = call(), None
        except Exception as error:
            found = None, error
        self._count(-1)
        answer.put(found)

    def _count(self, more: int) -> None:
        with self._counting:
            self._unanswered += more


class RemoteFiles:
    """Those of a folder at an address (see `folder.Files`)."""

    def __init__(self, connection: Connection, folder: str = ""):
        self._connection, self._ask, self._folder = connection, connection.ask, folder
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
        """As of a moment ago: pages ask often, and for many."""
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
        try:
            return self._ask("cat_file", self._file(name), size=self._sizes.get(name, 0))
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        if self._connection.puts_whole:
            self._put(name, data)
        else:
            partial = f"{name}.{secrets.token_hex(4)}{PART}"
            try:
                self._put(partial, data)
                self._ask("mv", self._file(partial), self._file(name))
            except OSError:
                with suppress(OSError):
                    self._ask("rm_file", self._file(partial))
                raise
        self._sizes = self._sizes | {name: len(data)}

    def remove(self, name: str) -> None:
        self._sizes = {other: size for other, size in self._sizes.items() if other != name}
        with suppress(FileNotFoundError):
            self._ask("rm_file", self._file(name))

    def use(self, name: str) -> None:
        if self._notes_use and not self._connection.puts_whole:  # stores of objects note when one is written, and no more
            try:
                self._ask("touch", self._file(name), truncate=False)
            except NotImplementedError:  # then those written first go first
                self._notes_use = False

    def entries(self) -> list[Entry]:
        try:
            found = self._connection.listed(self._root)
        except FileNotFoundError:  # nothing has been put there yet
            return []
        return [Entry(_used(each), each["size"] or 0, Path(each["name"]).name) for each in found if each["type"] == "file"]

    def _put(self, name: str, data: bytes) -> None:
        try:
            self._ask("pipe_file", self._file(name), data, size=len(data))
        except FileNotFoundError:  # nor is there the folder
            self._ask("makedirs", self._root, exist_ok=True)
            self._ask("pipe_file", self._file(name), data, size=len(data))

    @property
    def _root(self) -> str:
        return f"{self._connection.root}/{self._folder}".rstrip("/")

    def _file(self, name: str) -> str:
        return f"{self._root}/{name}"


def _used(entry: dict[str, Any]) -> float:
    """When a file was last used, or else written, in seconds since 1970; 0 where a file system does not say it."""
    said = next((entry[name] for name in _TIMES if entry.get(name) is not None), 0.0)
    if isinstance(said, str):
        said = datetime.fromisoformat(said)
    return said.timestamp() if isinstance(said, datetime) else float(said)
