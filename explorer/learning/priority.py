"""Lowers the priority of training, so that the pages that the same machine serves come first."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from explorer import limits

ON_WINDOWS = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # the flag to start a worker process with; 0 elsewhere
_THREAD_NICE = 5
_GROUP = Path("/proc/self/autogroup")
_TRIES, _AGAIN = 50, 0.1  # seconds


def lower_process() -> None:
    """Makes this worker process give way to the pages, and to other programs such as the browser that shows them, and yet get
    a share of a core beside programs that compute all the time.

    `EXPLORER_WORKER_NICE` says by how much; 0: not at all. On Windows the process was started with `ON_WINDOWS`.
    """
    if limits.WORKER_NICE == 0 or not hasattr(os, "nice"):
        return
    os.nice(limits.WORKER_NICE)
    if not _GROUP.exists():
        return
    os.setsid()  # Linux shares the processor out among sessions first, and only then, within each, by niceness
    for _ in range(_TRIES):
        try:
            _GROUP.write_text(str(min(limits.WORKER_NICE, 19)), encoding="ascii")
            return
        except BlockingIOError:  # Linux allows only a few such writes in a second
            time.sleep(_AGAIN)
        except OSError:  # not here: in a container, say, which has a share of its own
            return


def lower_thread() -> None:
    """On Linux, makes this thread give way to the threads that serve pages."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _THREAD_NICE)
