"""A few workers train the active runs of the server in turn, in short slices; other runs wait in a queue.

Measured against a thread or a process per run, this keeps pages as fast as on an idle server while sixty people train, and
gives every run its share. Each worker is a thread with a place to compute at: a process of its own, or just itself. A run stays
at its place, unless another has less to do. The workers start with the first run and stop with the server.
"""

import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable

import torch

from explorer.training import limits
from explorer.training.past_runs import PastRun, PastRuns
from explorer.training.places import HERE, InProcess, Place
from explorer.training.run import TrainingRun
from explorer.training.worker_process import WorkerProcess
from transformer_core.errors import InputError

_LONG = 0.5  # seconds of a turn, after which a run lets the others have as much each
_PREPARED = 2  # worker processes at most that are started before there is a run: each takes the memory that torch takes


class Scheduler:
    """Owns the runs of the server.

    A run has one owner, a browser known by its token, which may control it, and viewers, which are sessions (browser tabs): as
    long as one of these is open, the run is kept.

    A run that is to be trained is either active (with a worker, or next in the workers' rotation) or waits in the queue. A
    paused run gives up its place, and joins the end of the queue when it is resumed.
    """

    def __init__(self, is_open: Callable[[str], bool] = lambda viewer: True, processes: bool = False) -> None:
        """`is_open` tells whether a viewer is still connected; `processes`, whether each worker has a process of its own."""
        self._is_open = is_open
        self._runs: dict[str, TrainingRun] = {}  # the oldest first
        self._active: set[TrainingRun] = set()
        self._line: deque[TrainingRun] = deque()
        self._lock = threading.Lock()
        self._processes = processes
        self._places: list[Place] = []  # of the workers
        self._home: dict[TrainingRun, Place] = {}  # where each active run, or one that was active, is computed
        self._ready: deque[TrainingRun] = deque()  # active, and with no worker now; the next one first
        self._owes: dict[TrainingRun, float] = {}  # seconds that go to other runs first, after a turn that took long
        self._news = threading.Condition(self._lock)  # for workers: a run is ready, or all is over
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._past = PastRuns()

    def add(self, run: TrainingRun, instead_of: TrainingRun | None = None, viewer: str | None = None) -> TrainingRun:
        """Accepts a run, and starts or queues it. `instead_of` makes room for it: that run is ended and forgotten.
        `viewer`, who starts it, keeps it alive from the first moment, however long the page takes to be drawn.

        Raises InputError, and changes nothing, when the server or the owner has as many runs as allowed.
        """
        with self._lock:
            self._check_room(run, instead_of)
            if instead_of is not None:
                self._replace(instead_of)
            self._runs[run.id] = run
            if viewer is not None:
                run.viewers.add(viewer)
            if not self._threads:
                self._start()
            self._wake(run)
        return run

    def prepare(self) -> None:
        """Lets the first run start at once: where there are worker processes, some are started in the background."""
        with self._lock:
            if self._processes and not self._places and not self._closing.is_set():
                self._furnish()
                for place in self._places[:_PREPARED]:
                    place.prepare()

    def get(self, run_id: str, viewer: str) -> TrainingRun | None:
        """The run with this id, if it still exists; from now on this viewer keeps it alive."""
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None:
                run.viewers.add(viewer)
                run.last_seen = time.monotonic()
            return run

    def queue_position(self, run: TrainingRun) -> int | None:
        """A run's position in the queue, counted from 1; None for one that does not wait."""
        with self._lock:
            waiting = [other for other in self._line if self._wants_work(other)]
            return waiting.index(run) + 1 if run in waiting else None

    def compared(self, run: TrainingRun | None, owner: str) -> list[PastRun]:
        """The owner's runs, oldest first: past ones, and `run`, the current one."""
        with self._lock:
            return self._past.with_now(run, owner)

    @property
    def crowd(self) -> int:
        """How many runs share the workers or wait for them."""
        with self._lock:
            return len(self._active) + len(self._line)

    def remove(self, run: TrainingRun) -> None:
        """Ends a run and forgets it."""
        with self._lock:
            self._forget(run)
            self._fill()

    def wake(self, run: TrainingRun) -> None:
        """Call after changing the state of a run: one that is now to be trained joins the queue."""
        with self._lock:
            self._wake(run)
            self._news.notify_all()  # it may be due now

    def rewind(self, run: TrainingRun, step: int, pause: bool = False) -> None:
        """Lets a run go back to a step and resume, or wait there.

        Raises InputError, and changes nothing, when the run was over and there is no room for it.
        """
        with self._lock:
            if run.over:
                self._check_room(run, run)
        run.rewind(step, pause)
        self.wake(run)

    def stop(self) -> None:
        """Ends all runs for good and waits for the workers; torch must not be running while the interpreter shuts down."""
        with self._lock:
            self._closing.set()
            for run in self._runs.values():
                run.stop()
            self._runs.clear()
            self._line.clear()
            threads, self._threads = self._threads, []
            self._news.notify_all()
        for place in self._places:
            place.close()
        for thread in threads:
            thread.join()

    # Everything below is called with the lock held, except for what threads call: _work, _watch, _ended.

    def _check_room(self, run: TrainingRun, instead_of: TrainingRun | None) -> None:
        if self._closing.is_set():
            raise InputError("This server is shutting down. Try again in a minute.")
        others = [other for other in self._runs.values() if other is not instead_of and not other.over]
        if len(others) >= limits.MAX_RUNS:
            raise InputError(
                "Unfinished runs on this server: {n}, which is the limit. Try again in a minute.", n=limits.MAX_RUNS
            )
        if sum(other.owner == run.owner for other in others) >= limits.RUNS_PER_SESSION:
            raise InputError(
                "Unfinished runs of this browser: {n}, which is the limit. Stop one of them, or wait until one is done.",
                n=limits.RUNS_PER_SESSION,
            )

    def _wake(self, run: TrainingRun) -> None:
        if self._wants_work(run) and run not in self._active and run not in self._line:
            self._line.append(run)
        self._fill()

    def _wants_work(self, run: TrainingRun) -> bool:
        """Whether a run is to be trained; one that was forgotten never is."""
        return self._runs.get(run.id) is run and run.wants_work()

    def _fill(self) -> None:
        """Makes runs active, in the order of the queue, as long as there is room."""
        while self._line and (not self._wants_work(self._line[0]) or self._has_room(self._line[0])):
            run = self._line.popleft()
            if self._wants_work(run):
                self._active.add(run)
                self._find_home(run)
                self._ready.append(run)
                self._news.notify_all()

    def _has_room(self, run: TrainingRun) -> bool:
        """Whether there is a place and memory for another active run; finished runs are forgotten for it, oldest first."""
        if len(self._active) >= limits.MAX_ACTIVE:
            return False
        held = [o for o in self._runs.values() if o is not run and (o in self._active or o.has_memory)]
        while sum(other.plan.bytes for other in [run, *held]) > limits.TRAINING_BYTES:
            oldest = next((other for other in held if other.over), None)
            if oldest is None:
                return not held
            held.remove(oldest)
            self._replace(oldest)
        return True

    def _replace(self, run: TrainingRun) -> None:
        """Ends a run that makes room for another; its history is kept for its owner."""
        self._forget(run)
        self._past.add(run)

    def _forget(self, run: TrainingRun) -> None:
        run.stop()
        self._runs.pop(run.id, None)
        self._home.pop(run, None)
        self._owes.pop(run, None)

    def _furnish(self) -> None:
        self._places = [InProcess(self._ended) if self._processes else HERE for _ in range(limits.WORKERS)]

    def _start(self) -> None:
        if not self._places:
            self._furnish()
        for i, place in enumerate(self._places):
            self._threads.append(threading.Thread(target=self._work, args=(place,), name=f"training-{i}", daemon=True))
        self._threads.append(threading.Thread(target=self._watch, name="training-watch", daemon=True))
        for thread in self._threads:
            thread.start()

    def _load(self) -> Counter[Place]:
        """How many active runs each place has."""
        return Counter(self._home[run] for run in self._active if run in self._home)

    def _find_home(self, run: TrainingRun) -> None:
        """Gives an active run the place with the fewest others; among equals, where it was before, or one that has started."""
        before = self._home.pop(run, None)
        load = self._load()
        if self._places:
            self._home[run] = min(self._places, key=lambda place: (load[place], place is not before, not place.started))

    def _next(self, place: Place) -> TrainingRun | None:
        """The run that is trained next at a place; None at the end. Waits for one."""
        with self._news:
            while not self._closing.is_set():
                mine = [run for run in self._ready if self._home.get(run, place) is place and not run.wait()]
                mine.sort(key=lambda run: run in self._owes)  # among equals, in turn
                run = mine[0] if mine and mine[0] not in self._owes else self._relieve(place) or next(iter(mine), None)
                if run is not None:
                    self._ready.remove(run)
                    return run
                self._news.wait(min((run.wait() for run in self._ready), default=None))
        return None

    def _relieve(self, place: Place) -> TrainingRun | None:
        """A run that is better off at this place, for it has two runs less than the other."""
        load = self._load()
        run = next((run for run in self._ready if load[self._home[run]] > load[place] + 1 and not run.wait()), None)
        if run is not None:
            self._home[run] = place
        return run

    def _work(self, place: Place) -> None:
        torch.set_num_threads(1)
        if place is HERE and sys.platform == "linux":  # where threads can have priorities: visitors' actions come first
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)
        while (run := self._next(place)) is not None:
            began = time.perf_counter()
            run.advance(limits.SLICE, place)
            with self._lock:
                self._settle(run, place, time.perf_counter() - began)
                if self._wants_work(run):
                    self._ready.append(run)
                    self._news.notify_all()
                else:
                    self._active.discard(run)
                    self._fill()

    def _settle(self, run: TrainingRun, place: Place, seconds: float) -> None:
        """Notes what a turn took. A run whose single steps take long would otherwise have most of its place's time."""
        others = [other for other in self._active if other is not run and self._home.get(other) is place]
        for other in others:
            if self._owes.get(other, 0.0) <= seconds:
                self._owes.pop(other, None)
            else:
                self._owes[other] -= seconds
        self._owes.pop(run, None)
        if seconds > _LONG and others:
            self._owes[run] = seconds * len(others)

    def _ended(self, process: WorkerProcess) -> None:
        """A worker process has ended, and with it the engines of some runs."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.lost(process)

    def _watch(self) -> None:
        """Forgets runs whose viewers have all been gone for a while."""
        while not self._closing.wait(limits.TICK):
            with self._lock:
                runs = list(self._runs.values())
            for run in runs:
                if any(self._is_open(viewer) for viewer in list(run.viewers)):
                    run.last_seen = time.monotonic()
                elif time.monotonic() - run.last_seen > limits.GRACE:
                    self.remove(run)
