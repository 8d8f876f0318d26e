"""Refuses to be one of several processes of one server, as `uvicorn --workers 2` starts them.

Each would have runs and rooms of its own, and a visitor would now be at one, now at another. `python -m explorer.serve` starts
copies behind nginx, where everybody stays with one.
"""

import sys
from types import FrameType
from typing import Any

_NOT_STARTED = 3  # as uvicorn ends where an app does not start: it starts no process in its place
_WORDS = (
    "Transformer Explorer cannot be one of {n} processes behind one port: a visitor's run is in one of them, and the next "
    "press would go to another. Start one process (--workers 1), or several copies with which everybody stays: "
    "python -m explorer.serve --workers {n}"
)


def check() -> None:
    """Ends the process, after one sentence, if the uvicorn that imports the app starts several. Call it in that import."""
    if (n := _processes(sys._getframe())) > 1:
        sys.stderr.write(_WORDS.format(n=n) + "\n")
        sys.exit(_NOT_STARTED)


def _processes(frame: FrameType | None) -> int:
    """Returns how many processes the uvicorn has in whose import a frame stands; 1 where there is none."""
    while frame is not None:
        config: Any = frame.f_locals.get("self")
        if type(config).__module__ == "uvicorn.config":
            return 1 if config.reload else int(config.workers)
        frame = frame.f_back
    return 1
