"""A worker process, as the server has it: started, asked, and noticed at once when it ends.

It is started with `subprocess`, not with `multiprocessing`, which would run the main module once more in it: under Streamlit,
that is the script of the page.
"""

import itertools
import os
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from explorer.i18n import N_
from explorer.training import wire
from explorer.training.engine import Progress
from explorer.training.worker import Request

_ROOT = Path(__file__).parents[2]
_PIPE_BYTES = (
    2**20
)  # of a pipe, where that can be chosen: for each part of a message, a thread waits for the interpreter's lock


class WorkerEnded(Exception):
    """The worker has ended, before it could answer."""

    def __init__(self, worker: "Worker | None") -> None:
        """`worker`: None where there is to be none any more."""
        super().__init__("a worker process has ended")
        self.worker = worker


class Worker(ABC):
    """What has the engines of some runs, and may end at any time.

    Attributes:
        dropped: the numbers of its engines that are no longer needed.
        loss: what the page of a run that was lost with it says: a sentence's template, of the steps `n` and `m`.
    """

    def __init__(self) -> None:
        self.loss = N_("The worker process of this run ended at step {n:,}; the run goes on from step {m:,}.")
        self.dropped: deque[int] = deque()
        self._numbers = itertools.count()
        self._turn = _InTurn()

    def new_number(self) -> int:
        """For an engine."""
        return next(self._numbers)

    def ask(self, request: Request) -> Progress:
        """What comes of a request. Several threads may ask: each has its turn.

        Raises:
            WorkerEnded: when it has ended.
        """
        message = wire.dumps(request)
        with self._turn:
            found = self._answer(message)
        assert isinstance(found, Progress)
        return found

    @abstractmethod
    def _answer(self, message: bytes) -> Any:
        """Called by one thread at a time. Raises WorkerEnded."""


class WorkerProcess(Worker):
    """One process of the operating system.

    Attributes:
        answered: whether it got so far.
    """

    def __init__(self, ended: Callable[["WorkerProcess"], None]) -> None:
        """`ended` is called once the process has ended for whatever reason, from a thread of its own.

        Raises:
            OSError: when it cannot be started.
        """
        super().__init__()
        self.answered = self._broken = False
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from explorer.training.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # on Windows; elsewhere it makes itself nice
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout
        for pipe in (self._requests, self._answers):
            _widen(pipe.fileno())
        self._waits = threading.Thread(target=self._wait, args=(ended,), name="training-process", daemon=True)
        self._waits.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.returncode is None and not self._broken

    def _answer(self, message: bytes) -> Any:
        try:
            wire.send(self._requests, message)
            found = wire.receive(self._answers)
        except (OSError, EOFError, ValueError) as error:  # ValueError: the pipe was closed on our side
            self._broken = True
            raise WorkerEnded(self) from error
        self.answered = True
        return found

    def kill(self) -> None:
        """Ends it wherever it is: all that is worth keeping is with the server."""
        self._process.kill()

    def end(self) -> None:
        """The same, and waits until it has gone."""
        self.kill()
        if threading.current_thread() is not self._waits:
            self._waits.join()

    def _wait(self, ended: Callable[["WorkerProcess"], None]) -> None:
        self._process.wait()
        with self._turn:  # whoever was waiting for an answer has seen that there will be none
            self._answers.close()
            with suppress(BrokenPipeError):  # what was still to be written has no reader
                self._requests.close()
        ended(self)


def environment() -> dict[str, str]:
    """Of a process that finds our modules."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def _widen(pipe: int) -> None:
    """Lets a pipe hold large messages, where the system knows how."""
    if sys.platform == "linux":
        import fcntl

        with suppress(PermissionError):  # where this user's pipes hold as much as they may, it is only slower
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _InTurn:
    """A lock that is given in the order of asking. With an ordinary one, a thread that takes it again and again leaves it to
    nobody."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()

    def __enter__(self) -> None:
        mine = threading.Event()
        with self._lock:
            self._line.append(mine)
            first = self._line[0] is mine
        if not first:
            mine.wait()

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._line.popleft()
            if self._line:
                self._line[0].set()
