"""The memory of this process, and the free memory of the machine or container, as Linux tells them."""

import ctypes
import gc
import os
from collections.abc import Callable
from pathlib import Path

_ARENA_MAX, _ARENAS = -8, 2  # an option of glibc (M_ARENA_MAX), and what it is set to
_PROC, _GROUP = Path("/proc"), Path("/sys/fs/cgroup")


def used(proc: Path = _PROC) -> int | None:
    """Returns the bytes of this process that are in memory; None on a system that does not tell."""
    try:
        return int((proc / "self" / "statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def few_arenas() -> None:
    """Makes glibc keep few heaps. Call it before there are threads.

    Otherwise threads get heaps of their own, up to eight for each core, and memory freed in one is of no use to the others.
    """
    if (option := _of_libc("mallopt")) is not None:
        option(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Frees unused memory, and makes glibc return it to the system instead of keeping it for later."""
    gc.collect()
    if (trim := _of_libc("malloc_trim")) is not None:
        trim(0)


def _of_libc(name: str) -> Callable[..., int] | None:
    """Returns a function of glibc; None where another C library lacks it."""
    return getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None


def free_and_total(proc: Path = _PROC, group: Path = _GROUP) -> tuple[int, int] | None:
    """Returns the free bytes and all bytes, of the machine or of a container that may have less."""
    found = [each for each in (_of_machine(proc), _of_container(group)) if each is not None]
    return min(found) if found else None


def _of_machine(proc: Path) -> tuple[int, int] | None:
    try:
        lines = (proc / "meminfo").read_text(encoding="ascii").splitlines()
        sizes = {name: int(rest.split()[0]) * 1024 for name, rest in (line.split(":", 1) for line in lines)}
        return sizes["MemAvailable"], sizes["MemTotal"]
    except (OSError, ValueError, KeyError, IndexError):
        return None


def _of_container(group: Path) -> tuple[int, int] | None:
    """Returns the same for a control group. Cached pages of files count as free, since they can be dropped at any time."""
    try:
        most, now = (int((group / f"memory.{name}").read_text(encoding="ascii")) for name in ("max", "current"))
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
        files = sum(int(size) for name, size in map(str.split, lines) if name == "inactive_file")
    except (OSError, ValueError):  # no such group, or "max": no limit
        return None
    return max(0, most - now + files), most
