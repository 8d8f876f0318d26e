"""Workers, which compute the steps of runs, and places, which are the cores that train.

A worker is a process of this machine, a Ray actor on another one (`ray_workers`), or, without processes, the thread that asks.
It may end at any time; a place of this machine then starts another one.
"""

import itertools
import os
import pickle
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

from explorer.i18n import N_
from explorer.learning import priority, wire
from explorer.learning.engine import Order, Progress
from explorer.learning.engines import Engines, WorkerOrder
from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Packed

_ROOT = Path(__file__).parents[2]
_PIPE_BYTES = 2**20  # size of a pipe's buffer on Linux: a message in fewer pieces waits less often for the interpreter's lock


class WorkerEnded(Exception):
    """A worker has ended before it could answer."""

    def __init__(self, worker: "Worker | None") -> None:
        """`worker`: the one that has ended; None at a place that is closed."""
        super().__init__("a worker has ended")
        self.worker = worker


class Worker(ABC):
    """Something that computes for runs.

    Attributes:
        ended_message: template of the message that a run's page shows when its worker has ended: the run had reached step `n`
            and goes on from step `m`.
    """

    ended_message = N_("The worker process of this run ended at step {n:,}; the run goes on from step {m:,}.")

    def __init__(self, ended: Callable[["Worker"], None]) -> None:
        """`ended` is called once, when the end of the worker is noticed, before `ask` raises WorkerEnded."""
        self._ended, self._lost, self._losing = ended, False, threading.Lock()
        self._turn = _InTurn()
        self._numbers = itertools.count()
        self._engines: WeakSet[RunEngine] = WeakSet()

    @property
    def alive(self) -> bool:
        return not self._lost

    def engine(self, plan: TrainingPlan, state: Packed | None) -> "RunEngine":
        """Makes an engine, which goes on from a state, or (None) from the plan's beginning."""
        return RunEngine(self, next(self._numbers), plan, state)

    def ask(self, engine: "RunEngine", order: Order, beginning: tuple[TrainingPlan, Packed | None] | None) -> Progress:
        """Has an engine follow an order. Threads that ask at the same time take turns. Raises WorkerEnded."""
        with self._turn:
            self._engines.add(engine)
            needed = frozenset(each.number for each in self._engines)
            try:
                if self._lost:
                    raise EOFError
                return self._answer(WorkerOrder(engine.number, order, needed, beginning))
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self.lose()
                self._close()
                raise WorkerEnded(self) from error

    def lose(self) -> None:
        """Marks it as ended and calls `ended`; does nothing the second time."""
        with self._losing:
            if not self._lost:
                self._lost = True
                self._ended(self)

    def end(self) -> None:
        """Ends it, also in the middle of an order: all that is worth keeping is with the server."""
        with self._turn:  # after those who wait for an answer: they get WorkerEnded first
            self._close()
        self.lose()

    @abstractmethod
    def _answer(self, question: WorkerOrder) -> Progress:
        """Called by one thread at a time. Raises OSError, EOFError or UnpicklingError where it has ended."""

    @abstractmethod
    def _close(self) -> None:
        """Frees what the server holds for it, such as its pipes. May be called twice."""


class RunEngine:
    """The server's handle on an `Engine` that a worker has."""

    def __init__(self, worker: Worker, number: int, plan: TrainingPlan, state: Packed | None) -> None:
        self.worker, self.number = worker, number
        self._beginning: tuple[TrainingPlan, Packed | None] | None = (plan, state)

    def advance(self, order: Order) -> Progress:
        """Follows an order. Raises WorkerEnded when the worker has ended; the engine is lost then."""
        beginning, self._beginning = self._beginning, None
        return self.worker.ask(self, order, beginning)


class ThreadWorker(Worker):
    """Computes in the thread that asks, one step for each order, so that a run can be paused after every step."""

    def __init__(self, ended: Callable[[Worker], None]) -> None:
        super().__init__(ended)
        self._here = Engines()

    def _answer(self, question: WorkerOrder) -> Progress:
        return self._here.follow(replace(question, order=replace(question.order, seconds=0.0)))

    def _close(self) -> None:
        self._here = Engines()


class WorkerProcess(Worker):
    """A process of this machine.

    It is started with `subprocess`, not with `multiprocessing`, which would run the main module once more in it: under
    Streamlit, that is the script of the page.
    """

    def __init__(self, ended: Callable[[Worker], None]) -> None:
        """Raises OSError when it cannot be started."""
        super().__init__(ended)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from explorer.learning.engines import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=_PIPE_BYTES,
            env=environment(),
            creationflags=priority.ON_WINDOWS,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._questions, self._answers = self._process.stdin, self._process.stdout
        for pipe in (self._questions, self._answers):
            _widen(pipe.fileno())

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return super().alive and self._process.poll() is None

    def _answer(self, question: WorkerOrder) -> Progress:
        self._questions.write(wire.dumps(question))
        self._questions.flush()
        progress: Progress = pickle.load(self._answers)
        return progress

    def end(self) -> None:
        self._process.kill()
        super().end()

    def _close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._answers.close()
        with suppress(BrokenPipeError):  # what was still to be written has no reader
            self._questions.close()


class Place:
    """A core that trains. It has one worker at a time, and starts another one when that has ended.

    Attributes:
        is_remote: on another machine: questions take longer to arrive, and the place is gone when its worker ends.
    """

    def __init__(
        self,
        make: Callable[[Callable[[Worker], None]], Worker],
        ended: Callable[["Place", Worker], None] = lambda place, worker: None,
        is_remote: bool = False,
    ) -> None:
        """`make(then)` starts a worker that calls `then` when it has ended. `ended` is called with this place and that worker,
        also within a call of `worker`."""
        self._make, self._ended, self.is_remote = make, ended, is_remote
        self._worker: Worker | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def started(self) -> bool:
        """Returns whether a worker is there already, so that a run need not wait until it has started."""
        return self.is_remote or self._worker is not None

    def worker(self) -> Worker:
        """The worker of this place; starts one where there is none, or where it has ended. Raises OSError if it cannot be
        started, and WorkerEnded if the place is closed."""
        with self._lock:
            if self._closed:
                raise WorkerEnded(None)
            former = self._worker
            if former is None or not (former.alive or self.is_remote):
                self._worker = self._make(partial(self._ended, self))
            worker = self._worker
        assert worker is not None
        if former is not None and former is not worker:
            former.end()
        return worker

    def rest(self) -> None:
        """Ends the worker; another one follows when it is needed."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def close(self) -> None:
        """Ends the worker for good."""
        with self._lock:
            self._closed = True
        self.rest()


CALLING_THREAD = Place(ThreadWorker)  # advances a run in the thread that asks, where it has no place


def environment() -> dict[str, str]:
    """The environment variables with which a new process can import our modules."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def _widen(pipe: int) -> None:
    """Lets a pipe hold large messages, where the system knows how."""
    if sys.platform == "linux":
        import fcntl

        with suppress(PermissionError):  # where this user's pipes hold as much as they may, it is only slower
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _InTurn:
    """A lock that is given in the order of asking. An ordinary one often goes to the thread that has just released it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._numbers, self._now = itertools.count(), 0

    def __enter__(self) -> None:
        with self._changed:
            mine = next(self._numbers)
            self._changed.wait_for(lambda: self._now == mine)

    def __exit__(self, *_: Any) -> None:
        with self._changed:
            self._now += 1
            self._changed.notify_all()
