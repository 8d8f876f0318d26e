"""Workers, which compute for runs and may end at any time, and the places that have one of them after another.

A worker is a process of this machine, an actor on another one (`ray_workers`), or, without processes, the thread that asks.
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
from explorer.training import priority, wire
from explorer.training.engine import Order, Progress
from explorer.training.engines import Engines, Question
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import Packed

_ROOT = Path(__file__).parents[2]
_PIPE_BYTES = 2**20  # where that can be chosen: for each part of a message, a thread waits for the interpreter's lock


class WorkerEnded(Exception):
    """A worker has ended before it could answer."""

    def __init__(self, worker: "Worker | None") -> None:
        """`worker`: the one that has ended; None at a place that is closed."""
        super().__init__("a worker has ended")
        self.worker = worker


class Worker(ABC):
    """Something that computes for runs.

    Attributes:
        loss: the sentence that a run's page says when the worker has ended; a template with the steps `n` and `m`.
    """

    loss = N_("The worker process of this run ended at step {n:,}; the run goes on from step {m:,}.")

    def __init__(self, ended: Callable[["Worker"], None]) -> None:
        """`ended` is called once, when it is noticed that the worker has ended, before anybody who waits for it is told."""
        self._ended, self._lost, self._losing = ended, False, threading.Lock()
        self._turn = _InTurn()
        self._numbers = itertools.count()
        self._engines: WeakSet[RunEngine] = WeakSet()

    @property
    def alive(self) -> bool:
        return not self._lost

    def engine(self, plan: TrainingPlan, state: Packed | None) -> "RunEngine":
        """A new engine, which goes on from a state, or (None) begins where the plan does."""
        return RunEngine(self, next(self._numbers), plan, state)

    def ask(self, engine: "RunEngine", order: Order, beginning: tuple[TrainingPlan, Packed | None] | None) -> Progress:
        """Has an engine follow an order. Threads that ask at the same time take turns. Raises WorkerEnded."""
        with self._turn:
            self._engines.add(engine)
            needed = frozenset(each.number for each in self._engines)
            try:
                if self._lost:
                    raise EOFError
                return self._answer(Question(engine.number, order, needed, beginning))
            except (OSError, EOFError, pickle.UnpicklingError) as error:
                self.lose()
                self._close()
                raise WorkerEnded(self) from error

    def lose(self) -> None:
        """Notes that it has ended."""
        with self._losing:
            if not self._lost:
                self._lost = True
                self._ended(self)

    def end(self) -> None:
        """Ends it, whatever it is at: all that is worth keeping is with the server."""
        with self._turn:  # whoever waits for an answer has seen that there will be none
            self._close()
        self.lose()

    @abstractmethod
    def _answer(self, question: Question) -> Progress:
        """Called by one thread at a time. Raises OSError, EOFError or UnpicklingError where it has ended."""

    @abstractmethod
    def _close(self) -> None:
        """Gives back what is held for it, once it has ended. May be called twice."""


class RunEngine:
    """The engine of a run, at a worker."""

    def __init__(self, worker: Worker, number: int, plan: TrainingPlan, state: Packed | None) -> None:
        self.worker, self.number = worker, number
        self._beginning: tuple[TrainingPlan, Packed | None] | None = (plan, state)

    def advance(self, order: Order) -> Progress:
        """Follows an order. Raises WorkerEnded when the worker has ended; the engine is lost then."""
        beginning, self._beginning = self._beginning, None
        return self.worker.ask(self, order, beginning)


class ThreadWorker(Worker):
    """The thread that asks. It takes one step at a time: in between, a run is told to pause."""

    def __init__(self, ended: Callable[[Worker], None]) -> None:
        super().__init__(ended)
        self._here = Engines()

    def _answer(self, question: Question) -> Progress:
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
            [sys.executable, "-c", "from explorer.training.engines import main; main()"],
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

    def _answer(self, question: Question) -> Progress:
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
    """Has one worker after another.

    Attributes:
        away: whether it is on another machine: a question takes its time to get there, and the place goes with its worker.
    """

    def __init__(
        self,
        make: Callable[[Callable[[Worker], None]], Worker],
        ended: Callable[["Place", Worker], None] = lambda place, worker: None,
        away: bool = False,
    ) -> None:
        """`make` makes a worker, and is given what to call when that has ended; `ended` is called then, also from `worker`."""
        self._make, self._ended, self.away = make, ended, away
        self._worker: Worker | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def started(self) -> bool:
        """Returns whether a worker is there, for which no run has to wait."""
        return self.away or self._worker is not None

    def worker(self) -> Worker:
        """The worker that is there, or where there is none a new one. Raises OSError; WorkerEnded where it is closed."""
        with self._lock:
            if self._closed:
                raise WorkerEnded(None)
            former = self._worker
            if former is None or not (former.alive or self.away):
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


HERE = Place(ThreadWorker)


def environment() -> dict[str, str]:
    """The environment of a process that finds our modules."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def _widen(pipe: int) -> None:
    """Lets a pipe hold large messages, where the system knows how."""
    if sys.platform == "linux":
        import fcntl

        with suppress(PermissionError):  # where this user's pipes hold as much as they may, it is only slower
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _InTurn:
    """A lock that is given in the order of asking. An ordinary one goes again and again to the thread that has just had it."""

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
