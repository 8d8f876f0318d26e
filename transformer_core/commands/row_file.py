"""The file of a sweep: rows that are added line by line, by one process at a time."""

import errno
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import IO

from transformer_core.errors import InputError
from transformer_core.training.sweep_rows import SweepRow, read_rows, to_line

_TAKEN = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)  # how systems say that another process holds a lock
_FAR = 2**31 - 2  # a byte that no such file has: on Windows, what is locked cannot be read by others


class RowFile:
    """A file of rows that grows line by line. One whose last line was cut off loses that line when it is opened. As long as it
    is open, no other process can open it so: the system holds a lock on it, and ends that when this process ends, however
    that happens.
    """

    def __init__(self, path: Path) -> None:
        """Raises OSError where it cannot be written, InputError for a file of something else, or one that another process has
        open."""
        self._file = path.open("a+b")
        try:
            if not _locked(self._file):
                raise InputError(
                    "Another sweep is writing {file}; wait until it has finished, or name another file with --out.",
                    file=path.name,
                )
            self._rows = {row.identity: row for row in self._read()}
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "RowFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()

    def rows(self) -> list[SweepRow]:
        return list(self._rows.values())

    def append(self, row: SweepRow) -> None:
        """Writes a row through to the disk, at once."""
        self._rows[row.identity] = row  # first: after a Ctrl-C while the disk is waited for, the table has what the file has
        self._write(to_line(row))

    def _read(self) -> tuple[SweepRow, ...]:
        self._file.seek(0)
        data = self._file.read()
        rows, size = read_rows(data)
        self._file.truncate(size)
        if size and data[size - 1 : size] != b"\n":
            self._write(b"\n")
        return rows

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())


def _locked(file: IO[bytes]) -> bool:
    """Locks the file for this process; False if another has it. A file system that knows no locks lets everybody have it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True
