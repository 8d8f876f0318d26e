"""Processes as others on the same machine know them: these can tell whether one has ended, where there is /proc."""

import os
from pathlib import Path

_PROC = Path("/proc")


def name(pid: int) -> str:
    """What no other process is called: which start of which machine, whose numbers, the number, and when it began; "" for one
    that is not there."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        numbers = (_PROC / "self/ns/pid").readlink()  # a container has its own
        began = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""
    return f"{boot} {numbers} {pid} {began}"


def has_ended(process: str) -> bool:
    """Whether it is known that a process of this name is there no more."""
    here, mine = process.split(), name(os.getpid()).split()
    return len(here) == 4 and here[:2] == mine[:2] and name(int(here[2])) != process
