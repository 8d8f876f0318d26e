"""A folder of learned models: each in a file named by its key, written whole or not at all, within a limit of bytes."""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from transformer_core.training import learned
from transformer_core.training.learned import Learned

SUFFIX = ".safetensors"
_OLD = 3600  # seconds, after which nobody is writing a file any more


def default_folder() -> Path:
    """Where the models that are learned on this machine are kept: EXPLORER_MODELS, or else a folder of the user's cache."""
    if given := os.environ.get("EXPLORER_MODELS", "").strip():
        return Path(given).expanduser()
    if os.name == "nt":
        cache = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "transformer-explorer" / "models"


class ModelFolder:
    """Shared by processes and machines: files appear at once and never change. When there are too many bytes, the models that
    have not been used for longest go first."""

    def __init__(self, path: Path, most_bytes: int | None = None):
        """`most_bytes`: None for no limit."""
        self.path, self._most = path, most_bytes

    def _file(self, key: str) -> Path:
        return self.path / f"{key}{SUFFIX}"

    def __contains__(self, key: str) -> bool:
        return self._file(key).is_file()

    def get(self, key: str) -> Learned | None:
        """The model of this key; None where there is none. Raises CheckpointError for a file that is damaged."""
        file = self._file(key)
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            return None
        with suppress(OSError):  # a folder that can only be read keeps no order of use
            os.utime(file)
        return learned.from_bytes(data)

    def check(self) -> None:
        """Raises OSError where nothing can be put; whoever works for hours on what is to be kept here asks before."""
        self.path.mkdir(parents=True, exist_ok=True)
        trial = self.path / f"{secrets.token_hex(4)}.part"
        try:
            trial.touch()
        finally:
            trial.unlink(missing_ok=True)

    def put(self, model: Learned, *, small: bool = False) -> None:
        """Keeps a model. Raises OSError where the folder cannot be written."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self._file(model.key), learned.to_bytes(model, small=small))
        if self._most is not None:
            shrink(self.path, self._most)

    def remove(self, key: str) -> None:
        """Forgets a model, if it is there."""
        self._file(key).unlink(missing_ok=True)


def write_whole(file: Path, data: bytes) -> None:
    """Writes a file whole or not at all. Raises OSError where that cannot be."""
    partial = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")  # two processes may write the same
    try:
        partial.write_bytes(data)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def shrink(folder: Path, most: int) -> None:
    """Removes models from a folder, those first that have not been used for longest, until all take so many bytes at most; the
    newest one stays."""
    for left in folder.glob("*.part"):  # by a process that was killed while it wrote
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _OLD:
                left.unlink()
    used = []
    for file in folder.glob(f"*{SUFFIX}"):
        with suppress(FileNotFoundError):  # another process has just removed it
            used.append((file.stat().st_mtime_ns, file.stat().st_size, file))
    used.sort()
    total = sum(size for _time, size, _file in used)
    for _time, size, file in used[:-1]:
        if total <= most:
            return
        file.unlink(missing_ok=True)
        total -= size
