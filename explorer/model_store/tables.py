"""Tables of sweeps that visitors have opened, in the folder that copies of the app share, so that their links work at every
copy and after a restart.
"""

import hashlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path

from cachetools import LRUCache

from explorer import limits
from transformer_core.training.files import Unreachable
from transformer_core.training.folder import ModelFolder

_log = logging.getLogger(__name__)
_ID = 16  # hexadecimal digits
_NAME = 100  # letters of a file name that are kept


class Tables:
    """A folder of tables. Each file begins with a line that is the name by which it was opened. A table's id is a digest of the
    whole file, which nobody can guess: whoever has the link can open it.
    """

    def __init__(self, folder: ModelFolder) -> None:
        """`folder`: has a size limit of its own."""
        self._folder = folder
        self._memory: LRUCache[str, bytes] = LRUCache(limits.TABLE_BYTES, getsizeof=len)
        self._lock = threading.Lock()
        self._fails = False

    def keep(self, name: str, data: bytes) -> str:
        """Keeps a table that has been read without an error, and returns its id."""
        kept = " ".join(Path(name).name.split())[:_NAME].encode() + b"\n" + data
        id = hashlib.sha256(kept).hexdigest()[:_ID]
        self._remember(id, kept)
        self._try(lambda: self._folder.write(id, kept))
        return id

    def get(self, id: str) -> tuple[str, bytes] | None:
        """Returns the name and the content of a table; None if there is none, or if its file is not the one that was opened."""
        if len(id) != _ID or not set(id) <= set("0123456789abcdef"):  # it comes from a link
            return None
        with self._lock:
            kept = self._memory.get(id)
        if kept is None:
            kept = self._try(lambda: self._folder.read(id))
            if kept is None or hashlib.sha256(kept).hexdigest()[:_ID] != id:
                return None
            self._remember(id, kept)
        name, _newline, data = kept.partition(b"\n")
        return name.decode(errors="replace"), data

    def _remember(self, id: str, kept: bytes) -> None:
        with self._lock:
            if len(kept) <= self._memory.maxsize:
                self._memory[id] = kept

    def _try(self, use: Callable[[], bytes | None]) -> bytes | None:
        try:
            return use()
        except Unreachable:  # the log says so; the data is kept on this machine
            return None
        except OSError as error:  # the data is kept in memory alone
            if not self._fails:
                _log.warning("tables of sweeps cannot be kept in %s, only in memory: %s", self._folder.shared, error)
            self._fails = True
            return None
