"""Files that are written whole or not at all: beside their place first, then moved there."""

import secrets
import time
from contextlib import suppress
from pathlib import Path

PART = ".part"  # the ending of a file that is being written
_WAITS = (0.1, 0.2, 0.4, 0.8, 1.6)  # seconds; on Windows a virus scanner holds a new file for moments, and no one can move it


def part_of(file: Path) -> Path:
    """A new name beside a file: two processes may write the same, and what one could not move is no other's to replace."""
    return file.with_name(f"{file.name}.{secrets.token_hex(4)}{PART}")


def write_part(file: Path, data: bytes) -> Path:
    """Writes what a file is to hold beside it. Raises OSError, and leaves nothing, where that cannot be."""
    part = part_of(file)
    try:
        part.write_bytes(data)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    return part


def move(part: Path, file: Path) -> None:
    """Moves what is written to its place, trying for some seconds. Raises OSError where that cannot be: the part stays."""
    for wait in (*_WAITS, None):
        try:
            part.replace(file)
            return
        except PermissionError:
            if wait is None:
                raise
        time.sleep(wait)


def write_whole(file: Path, data: bytes) -> None:
    """Writes a file whole or not at all. Raises OSError where that cannot be."""
    part = write_part(file, data)
    try:
        move(part, file)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
