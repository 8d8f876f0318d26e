"""Where runs are computed: in the thread that asks, or in a worker process, which may end at any time."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from explorer.training import wire
from explorer.training.engine import Engine, Order, Progress
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import State
from explorer.training.worker import Request
from explorer.training.worker_process import WorkerEnded, WorkerProcess

_log = logging.getLogger(__name__)


class Seat(Protocol):
    """A run's engine, in its place."""

    @property
    def place(self) -> "Place": ...

    @property
    def process(self) -> WorkerProcess | None:
        """The process that it is lost with."""
        ...

    def advance(self, order: Order) -> Progress:
        """Raises WorkerEnded when its process has ended; the engine is lost then."""
        ...


class Place(Protocol):
    """Where engines are."""

    @property
    def started(self) -> bool:
        """Whether it need not be waited for."""
        ...

    def seat(self, plan: "PackedPlan", state: State | None) -> Seat:
        """A new engine, that goes on from a state, or begins where the plan does. Raises WorkerEnded, OSError."""
        ...

    def prepare(self) -> None:
        """Starts what takes its time, and does not wait for it. Raises OSError."""

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

    started = True

    def seat(self, plan: PackedPlan, state: State | None) -> Seat:
        return _SeatHere(self, Engine(plan.plan, wire.opened(state) if state is not None else None))

    def prepare(self) -> None:
        pass

    def close(self) -> None:
        pass


class _SeatHere:
    process = None

    def __init__(self, place: Place, engine: Engine) -> None:
        self.place, self._engine = place, engine

    def advance(self, order: Order) -> Progress:
        return self._engine.advance(replace(order, seconds=0.0))


HERE = Here()


class InProcess:
    """A worker process, and after its end another one."""

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
        return _SeatInProcess(self, self._running(), plan.data, state)

    def prepare(self) -> None:
        self._running()

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
        if process.answered:  # one that ends before it can do anything would do so again
            try:
                self.prepare()
            except (OSError, WorkerEnded):  # it is tried again when a run needs it, which can tell then
                _log.exception("no new worker process")


class _SeatInProcess:
    def __init__(self, place: Place, process: WorkerProcess, plan: bytes, state: State | None) -> None:
        self.place: Place = place
        self.process = process
        self._number = process.new_number()
        self._new: tuple[bytes | None, State | None] = (plan, state)

    def advance(self, order: Order) -> Progress:
        (plan, state), self._new = self._new, (None, None)
        dropped = tuple(self.process.dropped.popleft() for _ in range(len(self.process.dropped)))
        return self.process.ask(Request(self._number, order, plan, state, dropped))

    def __del__(self) -> None:
        self.process.dropped.append(self._number)
