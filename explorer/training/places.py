"""Where runs are computed: in the thread that asks, in a worker process, or at another machine. The latter two may
end at any time."""

import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from explorer.training import wire
from explorer.training.engine import Engine, Order, Progress
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import State
from explorer.training.worker import Request
from explorer.training.worker_process import Worker, WorkerEnded, WorkerProcess

_log = logging.getLogger(__name__)


class Seat(Protocol):
    """A run's engine, in its place."""

    @property
    def place(self) -> "Place": ...

    @property
    def worker(self) -> Worker | None:
        """What it is lost with."""
        ...

    def advance(self, order: Order) -> Progress:
        """Raises WorkerEnded when its worker has ended; the engine is lost then."""
        ...


class Place(Protocol):
    """Where engines are."""

    @property
    def started(self) -> bool:
        """Whether it need not be waited for."""
        ...

    @property
    def away(self) -> bool:
        """Whether it is at another machine: an order takes its time to get there, and the place goes when its worker ends."""
        ...

    def seat(self, plan: "PackedPlan", state: State | None) -> Seat:
        """A new engine, that goes on from a state, or begins where the plan does. Raises WorkerEnded, OSError."""
        ...

    def prepare(self) -> None:
        """Starts what takes its time, and does not wait for it. Raises OSError."""

    def rest(self) -> None:
        """Gives back what memory it can, until something is to be computed again; what engines there are may be lost."""

    def close(self) -> None:
        """Ends what is under way, for good."""


class PackedPlan:
    """A plan, and what a process is sent of it: pickled once, for after its code has been loaded anew it can no longer be."""

    def __init__(self, plan: TrainingPlan) -> None:
        self.plan = plan
        self._data: bytes | None = None

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = wire.dumps(self.plan)
        return self._data


class Here:
    """The thread that asks. An engine takes one step at a time here: in between, the run is told to pause."""

    started, away = True, False

    def seat(self, plan: PackedPlan, state: State | None) -> Seat:
        return _SeatHere(self, Engine(plan.plan, wire.opened(state) if state is not None else None))

    def prepare(self) -> None:
        pass

    def rest(self) -> None:
        pass

    def close(self) -> None:
        pass


class _SeatHere:
    worker = None

    def __init__(self, place: Place, engine: Engine) -> None:
        self.place, self._engine = place, engine

    def advance(self, order: Order) -> Progress:
        return self._engine.advance(replace(order, seconds=0.0))


HERE = Here()


def come_last(place: Place) -> None:
    """A thread that computes itself comes after those that serve pages, where threads can have priorities."""
    if place is HERE and sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)


class InProcess:
    """A worker process, and after its end another one."""

    away = False

    def __init__(self, ended: Callable[[WorkerProcess], None] = lambda process: None) -> None:
        """`ended` is called when a process has ended, unless the place is closed."""
        self._ended = ended
        self._process: WorkerProcess | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def started(self) -> bool:
        return self._process is not None

    @property
    def process(self) -> WorkerProcess | None:
        """The process there is now."""
        return self._process

    def seat(self, plan: PackedPlan, state: State | None) -> Seat:
        return _SeatAtWorker(self, self._running(), plan.data, state)

    def prepare(self) -> None:
        self._running()

    def rest(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            process.end()

    def _running(self) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise WorkerEnded(None)
            if self._process is None or not self._process.alive:
                self._process = WorkerProcess(self._after)
            return self._process

    def _after(self, process: WorkerProcess) -> None:
        if self._closed:
            return
        self._ended(process)
        # None follows one that was told to end, and one that ends before it can do anything, for it would do so again.
        if process is self._process and process.answered:
            try:
                self.prepare()
            except (OSError, WorkerEnded):  # it is tried again when a run needs it, which can tell then
                _log.exception("no new worker process")


class AtHost:
    """A worker at another machine. The place is there as long as its worker is."""

    started, away = True, True

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def seat(self, plan: PackedPlan, state: State | None) -> Seat:
        return _SeatAtWorker(self, self._worker, plan.data, state)

    def prepare(self) -> None:
        pass

    def rest(self) -> None:
        pass

    def close(self) -> None:
        pass


class _SeatAtWorker:
    def __init__(self, place: Place, worker: Worker, plan: bytes, state: State | None) -> None:
        self.place, self.worker = place, worker
        self._number = worker.new_number()
        self._new: tuple[bytes | None, State | None] = (plan, state)

    def advance(self, order: Order) -> Progress:
        (plan, state), self._new = self._new, (None, None)
        dropped = tuple(self.worker.dropped.popleft() for _ in range(len(self.worker.dropped)))
        return self.worker.ask(Request(self._number, order, plan, state, dropped))

    def __del__(self) -> None:
        self.worker.dropped.append(self._number)
