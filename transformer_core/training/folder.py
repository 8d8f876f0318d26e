"""A folder of learned models: each in a file named by its key, written whole or not at all, within a limit of bytes.

The folder may be at an address that fsspec knows, such as s3://…: then there is a folder on this machine in front of it.
"""

import os
import secrets
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from transformer_core.errors import InputError
from transformer_core.training import learned
from transformer_core.training.files import Connection, Disk, Files, Unreachable
from transformer_core.training.learned import Learned
from transformer_core.training.whole_file import PART

SUFFIX = ".safetensors"
_OLD = 3600  # seconds, after which nobody writes a file any more that is not a model


def default_folder() -> Path:
    """The place where this machine keeps models: EXPLORER_MODELS, unless that is an address, or else a folder of the user's
    cache; in the temporary folder where the user has no home. Raises InputError for an EXPLORER_MODELS at home then."""
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
    """True for an fsspec address, such as s3://bucket/models or file:///models, rather than a path."""
    return "://" in where


def _given() -> str:
    return os.environ.get("EXPLORER_MODELS", "").strip()


def open_folder(where: str | None = None, most_bytes: int | None = None) -> "ModelFolder":
    """The folder of models at a path or an address; None: that of EXPLORER_MODELS, or of the user's cache.

    Raises:
        InputError: for an address that nothing installed here can open, and for a path at home where there is no home.
    """
    address = default_address() if where is None else where if is_address(where) else None
    path = default_folder() if where is None or address is not None else as_path(where)
    return ModelFolder(path, most_bytes, None if address is None else Files(Connection(address)))


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
        self._local, self._remote = Files(Disk(path)), remote
        self.shared = self._local if remote is None else remote

    def __contains__(self, key: str) -> bool:
        name = key + SUFFIX
        return name in self._local or (self._remote is not None and name in self._remote)

    def get(self, key: str) -> Learned | None:
        """The model of this key; None where there is none. Raises CheckpointError for a file that is damaged."""
        data = self.read(key)
        return None if data is None else replace(learned.from_bytes(data), key=key)

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
        """Keeps a model that has a key. Raises OSError where the folder cannot be written."""
        assert model.key, "a file that has been opened by itself is in no folder"
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
        """Puts a model that this machine alone has where all see it; True if it is there afterwards. Raises OSError where that
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

    def subfolder(self, folder: str, most_bytes: int | None = None) -> "ModelFolder":
        """A folder in this one, with a limit of its own."""
        return ModelFolder(self.path / folder, most_bytes, None if self._remote is None else self._remote.subfolder(folder))

    def _fetched(self, name: str, remote: Files) -> bytes | None:
        """A file that this machine lacks."""
        data = remote.read(name) if name in remote else None
        if data is not None:
            with suppress(OSError):  # what has been read counts, whatever comes of this
                self._keep(name, data, self._local)
            with suppress(OSError):
                remote.use(name)
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
