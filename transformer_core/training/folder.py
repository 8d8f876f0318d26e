"""A folder of learned models: each in a file named by its key, written whole or not at all, within a limit of bytes.

The folder may be at an address that fsspec knows, such as s3://…: then there is a folder on this machine in front of it.
"""

import os
import secrets
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from transformer_core.errors import InputError
from transformer_core.training import learned
from transformer_core.training.learned import Learned
from transformer_core.training.whole_file import PART, write_whole

SUFFIX = ".safetensors"
_OLD = 3600  # seconds, after which nobody writes a file any more that is not a model


def default_folder() -> Path:
    """Where this machine keeps models: EXPLORER_MODELS, unless that is an address, or else a folder of the user's cache; in the
    temporary folder where the user has no home. Raises InputError for an EXPLORER_MODELS at home then."""
    given = _given()
    if given and not is_address(given):
        return as_path(given)
    named, usual = ("LOCALAPPDATA", "~/AppData/Local") if os.name == "nt" else ("XDG_CACHE_HOME", "~/.cache")
    return _cache(os.environ.get(named) or usual) / "transformer-explorer" / "models"


def _cache(where: str) -> Path:
    try:
        return as_path(where)
    except InputError:  # some containers give their user no home
        return Path(tempfile.gettempdir())


def as_path(where: str) -> Path:
    """The path that a person means. Raises InputError for one at home where there is no home."""
    try:
        return Path(where).expanduser()
    except RuntimeError:
        raise InputError("{path} cannot be found: whoever runs this has no home folder here", path=where) from None


def default_address() -> str | None:
    """The address in EXPLORER_MODELS; None where there is none, or a path."""
    return given if is_address(given := _given()) else None


def is_address(where: str) -> bool:
    """Whether this is an fsspec address, such as s3://bucket/models or file:///models, rather than a path."""
    return "://" in where


def _given() -> str:
    return os.environ.get("EXPLORER_MODELS", "").strip()


class Unreachable(OSError):
    """Files at an address cannot be reached. It has been said in the log."""


class Entry(NamedTuple):
    """A file: when it was last used, in seconds since 1970, its bytes, and its name."""

    used: float
    size: int
    name: str


class Files(Protocol):
    """Files of one folder, by name: on this machine, or at an address (`remote.RemoteFiles`). All may raise OSError."""

    @property
    def is_away(self) -> bool:
        """Whether they could not be reached when they were last asked for."""
        ...

    def __contains__(self, name: str) -> bool: ...

    def read(self, name: str) -> bytes | None:
        """What is in a file; None where there is none."""

    def write(self, name: str, data: bytes) -> None:
        """Writes a file whole or not at all."""

    def remove(self, name: str) -> None:
        """Removes a file, if it is there."""

    def use(self, name: str) -> None:
        """A file that is there counts as used now, where that can be noted."""

    def entries(self) -> list[Entry]: ...

    def look_again(self) -> None:
        """What is known of which files there are may be out of date."""

    def within(self, folder: str) -> "Files":
        """Those of a folder in this one."""


class LocalFiles:
    """Those of a folder of this machine, or one that it mounts."""

    is_away = False

    def __init__(self, path: Path):
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def __contains__(self, name: str) -> bool:
        try:
            return (self._path / name).is_file()
        except OSError:  # of a folder that must not be looked into
            return False

    def read(self, name: str) -> bytes | None:
        try:
            return (self._path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        write_whole(self._path / name, data)

    def remove(self, name: str) -> None:
        (self._path / name).unlink(missing_ok=True)

    def use(self, name: str) -> None:
        with suppress(OSError):  # a folder that can only be read keeps no order of use
            os.utime(self._path / name)

    def entries(self) -> list[Entry]:
        found = []
        for file in self._path.glob("*.*"):
            with suppress(FileNotFoundError):  # another process has just removed it
                said = file.stat()
                found.append(Entry(said.st_mtime_ns / 1e9, said.st_size, file.name))
        return found

    def look_again(self) -> None:
        pass  # the folder is asked every time

    def within(self, folder: str) -> "LocalFiles":
        return LocalFiles(self._path / folder)


class ModelFolder:
    """Shared by processes and machines: files appear at once and never change. When there are too many bytes, the models that
    have not been used for longest go first.

    Attributes:
        path: on this machine.
        shared: the files that all see: those at `path`, or else the ones at an address, of which `path` has what was used here.
    """

    def __init__(self, path: Path, most_bytes: int | None = None, remote: Files | None = None):
        """`most_bytes`: of each of both; None for no limit."""
        self.path, self._most = path, most_bytes
        self._local, self._remote = LocalFiles(path), remote
        self.shared: Files = self._local if remote is None else remote

    def __contains__(self, key: str) -> bool:
        name = key + SUFFIX
        return name in self._local or (self._remote is not None and name in self._remote)

    def get(self, key: str) -> Learned | None:
        """The model of this key; None where there is none. Raises CheckpointError for a file that is damaged."""
        data = self.read(key)
        return None if data is None else learned.from_bytes(data)

    def read(self, key: str) -> bytes | None:
        """The file of this key as it is; None where there is none."""
        name = key + SUFFIX
        data = self._local.read(name)
        if data is not None:
            self._local.use(name)
        if self._remote is not None:
            with suppress(Unreachable):
                data = self._fetched(name, self._remote) if data is None else self._shared(name, data, self._remote)
        return data

    def check(self) -> None:
        """Raises OSError where nothing can be put; whoever works for hours on what is to be kept here asks before."""
        trial = secrets.token_hex(4) + PART
        try:
            self.shared.write(trial, b"")
        finally:
            self.shared.remove(trial)

    def put(self, model: Learned, *, small: bool = False) -> None:
        """Keeps a model. Raises OSError where the folder cannot be written."""
        self.write(model.key, learned.to_bytes(model, small=small))

    def write(self, key: str, data: bytes) -> None:
        """Keeps a file. Raises OSError where the folder cannot be written."""
        name = key + SUFFIX
        if self._remote is not None:
            try:
                self._keep(name, data, self._remote)
            finally:
                with suppress(OSError):  # here it would only be at hand sooner
                    self._keep(name, data, self._local)
        else:
            self._keep(name, data, self._local)

    def share(self, key: str) -> bool:
        """Whether a model is where all see it; if it is on this machine alone, it is put there. Raises OSError where that
        cannot be."""
        name = key + SUFFIX
        if name not in self.shared and (data := self._local.read(name)) is not None:
            self._keep(name, data, self.shared)
        return name in self.shared

    def remove(self, key: str) -> None:
        """Forgets a model, if it is there."""
        self._local.remove(key + SUFFIX)
        if self._remote is not None:
            self._remote.remove(key + SUFFIX)

    def within(self, folder: str, most_bytes: int | None = None) -> "ModelFolder":
        """A folder in this one, with a limit of its own."""
        return ModelFolder(self.path / folder, most_bytes, None if self._remote is None else self._remote.within(folder))

    def _fetched(self, name: str, remote: Files) -> bytes | None:
        """A file that this machine lacks."""
        data = remote.read(name) if name in remote else None
        if data is not None:
            for note in (lambda: self._keep(name, data, self._local), lambda: remote.use(name)):
                with suppress(OSError):  # what has been read counts, whatever comes of this
                    note()
        return data

    def _shared(self, name: str, data: bytes, remote: Files) -> bytes:
        """A file that this machine has is used: so it is for all, also where the address could not be reached before."""
        if name in remote:
            remote.use(name)
        else:
            self._keep(name, data, remote)
        return data

    def _keep(self, name: str, data: bytes, files: Files) -> None:
        files.write(name, data)
        if self._most is not None:
            shrink(files, self._most)


def shrink(files: Files, most: int) -> None:
    """Removes models from a folder, those first that have not been used for longest, until all take so many bytes at most; the
    newest one stays."""
    entries = sorted(files.entries())
    for each in entries:
        if each.name.endswith(PART) and time.time() - each.used > _OLD:  # of a process that was killed
            with suppress(OSError):
                files.remove(each.name)
    models = [each for each in entries if each.name.endswith(SUFFIX)]
    total = sum(each.size for each in models)
    for each in models[:-1]:
        if total <= most:
            return
        files.remove(each.name)
        total -= each.size
