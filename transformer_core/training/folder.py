"""A folder of learned models: each in a file named by its key, written whole or not at all, within a limit of bytes."""

import os
import secrets
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from transformer_core.errors import InputError
from transformer_core.training import learned
from transformer_core.training.learned import Learned
from transformer_core.training.whole_file import PART, write_whole

SUFFIX = ".safetensors"
_OLD = 3600  # seconds, after which nobody writes a file any more that is not a model


def usual_folder() -> Path:
    """A folder of the user's cache; in the temporary folder where the user has no home."""
    named, usual = ("LOCALAPPDATA", "~/AppData/Local") if os.name == "nt" else ("XDG_CACHE_HOME", "~/.cache")
    return _cache(os.environ.get(named) or usual) / "transformer-explorer" / "models"


def default_folder() -> Path:
    """The place where this machine keeps models: EXPLORER_MODELS, or else `usual_folder`. Raises what `as_path` does."""
    given = os.environ.get("EXPLORER_MODELS", "").strip()
    return as_path(given) if given else usual_folder()


def _cache(where: str) -> Path:
    try:
        return as_path(where)
    except InputError:  # some containers give their user no home
        return Path(tempfile.gettempdir())


def as_path(where: str) -> Path:
    """The path that a person means. Raises InputError for an address, and for a path at home where there is no home."""
    if "://" in where:
        raise InputError("{address} is no folder of this machine; mount it, and name the folder where it is", address=where)
    try:
        return Path(where).expanduser()
    except RuntimeError:
        raise InputError("{path} cannot be found: whoever runs this has no home folder here", path=where) from None


def open_folder(where: str | None = None) -> "ModelFolder":
    """The folder of models at a path; None: the default one. Raises what `as_path` does."""
    return ModelFolder(default_folder() if where is None else as_path(where))


class ModelFolder:
    """Shared by processes, and by machines that mount it: files appear at once and never change. When there are too many bytes,
    the models that have not been used for longest go first.
    """

    def __init__(self, path: Path, most_bytes: int | None = None):
        """`most_bytes`: None for no limit."""
        self.path, self._most = path, most_bytes

    def __contains__(self, key: str) -> bool:
        with suppress(PermissionError):  # of a folder that may not be searched
            return self._file(key).is_file()
        return False

    def get(self, key: str) -> Learned | None:
        """The model of this key; None where there is none. Raises CheckpointError for a file that is damaged."""
        data = self.read(key)
        return None if data is None else replace(learned.from_bytes(data), key=key)

    def read(self, key: str) -> bytes | None:
        """The file of this key as it is; None where there is none. It counts as used now."""
        try:
            data = self._file(key).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        with suppress(OSError):  # of what can only be read
            os.utime(self._file(key))
        return data

    def keep(self, key: str) -> bool:
        """Returns whether the file of this key is there. It counts as used now."""
        try:
            os.utime(self._file(key))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:  # of what can only be read
            return key in self
        return True

    def check(self) -> None:
        """Raises OSError where nothing can be put; whoever works for hours on what is to be kept here asks before."""
        self.path.mkdir(parents=True, exist_ok=True)
        trial = self.path / (secrets.token_hex(4) + PART)
        trial.write_bytes(b"")
        trial.unlink()

    def put(self, model: Learned, *, small: bool = False) -> None:
        """Keeps a model that has a key. Raises OSError where the folder cannot be written."""
        assert model.key, "a file that has been opened by itself is in no folder"
        self.write(model.key, learned.to_bytes(model, small=small))

    def write(self, key: str, data: bytes) -> None:
        """Keeps a file. Raises OSError where the folder cannot be written."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self._file(key), data)
        if self._most is not None:
            shrink(self.path, self._most)

    def remove(self, key: str) -> None:
        """Forgets a model, if it is there."""
        self._file(key).unlink(missing_ok=True)

    def subfolder(self, folder: str, most_bytes: int | None = None) -> "ModelFolder":
        """A folder in this one, with a limit of its own."""
        return ModelFolder(self.path / folder, most_bytes)

    def _file(self, key: str) -> Path:
        return self.path / (key + SUFFIX)


def shrink(path: Path, most: int) -> None:
    """Removes models from a folder, those first that have not been used for longest, until all take so many bytes at most; the
    newest one stays."""
    found: list[tuple[float, int, Path]] = []
    for file in path.iterdir():
        with suppress(FileNotFoundError):  # another copy has just removed it
            about = file.stat()
            found.append((about.st_mtime, about.st_size, file))
    found.sort()
    for used, _size, file in found:
        if file.suffix == PART and time.time() - used > _OLD:  # of a process that was killed
            with suppress(OSError):
                file.unlink()
    models = [each for each in found if each[2].suffix == SUFFIX]
    total = sum(size for _used, size, _file in models)
    for _used, size, file in models[:-1]:
        if total <= most:
            return
        file.unlink(missing_ok=True)
        total -= size
