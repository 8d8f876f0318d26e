"""A few workers train the active runs of the server in turn, in short slices; other runs wait in a queue.

Measured against a thread or a process per run, this keeps pages fast while sixty people train, and gives every run its share.
Each place has a thread here, which asks its worker. They start with the first run; those of other machines come and go.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from explorer import limits
from explorer.learning.past_runs import PastRuns
from explorer.learning.placement import Placement
from explorer.learning.priority import lower_thread
from explorer.learning.quotas import outdated, runs_to_evict, runs_to_forget_for_memory, unseen
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory
from explorer.learning.slowness import Slowness
from explorer.learning.workers import Place, ThreadWorker, Worker, WorkerEnded, WorkerProcess
from transformer_core.errors import InputError

_STANDBY = 2  # processes that `prepare` starts before there is a run; few, for torch takes memory in each
_PAGE = 4.0  # seconds before it starts them: until then a browser on this machine is busy with the page it asked for


class OtherMachines(Protocol):
    """Machines that train besides this one, see `explorer/many_machines`: between `start` and `close` they report their places
    as these come and go."""

    def start(self) -> None: ...

    def close(self) -> None: ...


class Scheduler:
    """Owns the runs of the server.

    A run has one owner, a browser known by its token, which may control it, and viewers, which are sessions (browser tabs).
    When all of these are closed it ends, or, if it `lasts`, rests for a while and goes on when somebody views it again.

    A run that is to be trained is either active (with a worker, or next in the workers' rotation) or waits in the queue. A
    paused run gives up its place, and joins the end of the queue when it is resumed. Runs that are `spare`, of which a room
    begins forty at once, wait behind all others, and take no place from them.

    Attributes:
        slowness: how much longer training takes on this machine than if it were idle.
    """

    def __init__(
        self,
        is_open: Callable[[str], bool] = lambda viewer: True,
        processes: bool = False,
        others: Callable[[Callable[[Place], None], Callable[[Place, Worker], None]], OtherMachines] | None = None,
    ) -> None:
        """`is_open` tells whether a viewer is still connected; `processes`, whether each worker has a process of its own;
        `others` makes the other machines, from what is to be called when a place comes, and when its worker ends."""
        self._is_open = is_open
        self._runs: dict[str, TrainingRun] = {}  # the oldest first
        self._active: set[TrainingRun] = set()
        self._line: deque[TrainingRun] = deque()  # the queue
        self._lock = threading.RLock()
        self._processes = processes
        self._standby: threading.Timer | None = None  # starts the first processes, once
        self._placement = Placement(self._active)
        self._others = others(self._came, self._ended) if others is not None else None
        self._ready: deque[TrainingRun] = deque()  # active, and with no worker now; the next one first
        self._news = threading.Condition(self._lock)  # for workers: a run is ready, or all is over
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._past = PastRuns()
        self.slowness = Slowness()

    def add_run(self, run: TrainingRun, instead_of: TrainingRun | None = None, viewer: str | None = None) -> TrainingRun:
        """Starts or queues a run. `instead_of` is ended and makes room for it. `viewer`, who starts it, keeps it alive, however
        long the page takes to be drawn. Raises InputError if there are too many runs already."""
        with self._lock:
            self._make_room(run, instead_of)
            if instead_of is not None:
                self._put_away(instead_of)
            run.number = self._past.next_number(run.owner, self._runs.values())
            self._runs[run.id] = run
            if viewer is not None:
                run.viewers.add(viewer)
            if not self._threads:
                self._start()
            self.wake_run(run)
        return run

    def prepare(self) -> None:
        """Soon starts some worker processes in the background, so that the first run begins at once."""
        with self._lock:
            if self._processes and self._standby is None and not self._closing.is_set():
                self._standby = threading.Timer(_PAGE, self._start_processes)
                self._standby.daemon = True
                self._standby.start()

    def rest(self) -> None:
        """Ends the worker processes if all runs rest; the next run, or `prepare`, starts them again."""
        with self._lock:
            if not all(run.resting for run in self._runs.values()):
                return
            if self._standby is not None:
                self._standby.cancel()
                self._standby = None
        for place in [place for place in self._placement.places if not place.is_remote]:
            place.rest()

    def view_run(self, run_id: str, viewer: str) -> TrainingRun | None:
        """The run with this id, if it still exists; this viewer keeps it alive from now on."""
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None:
                run.viewers.add(viewer)
                run.last_seen = time.monotonic()
                if run.resting:
                    run.rest(False)
                    self.wake_run(run)
            return run

    def queue_position(self, run: TrainingRun) -> int | None:
        """A run's position in the queue, counted from 1; None for one that does not wait."""
        with self._lock:
            waiting = [other for other in self._line if self._wants_work(other)]
            return waiting.index(run) + 1 if run in waiting else None

    def compared(self, run: TrainingRun | None, owner: str) -> list[RunHistory]:
        """The owner's runs, past ones and those that are here, oldest first; and `run`, the one on screen."""
        with self._lock:
            return self._past.with_now(run, owner, self._runs.values())

    @property
    def crowd(self) -> int:
        """The number of runs that share the workers or wait for them."""
        with self._lock:
            return len(self._active) + len(self._line)

    def runs(self) -> list[TrainingRun]:
        """All runs, the oldest first."""
        with self._lock:
            return list(self._runs.values())

    def remove_run(self, run: TrainingRun) -> None:
        """Ends a run and forgets it."""
        with self._lock:
            self._forget(run)
            self._fill()

    def wake_run(self, run: TrainingRun) -> None:
        """Lets a run join the queue if it has steps to take now. To be called after its state has changed."""
        with self._lock:
            if self._wants_work(run) and run not in self._active and run not in self._line:
                self._line = deque(sorted([*self._line, run], key=lambda waiting: waiting.spare))
            self._fill()
            self._news.notify_all()  # it may be due now

    def rewind_run(self, run: TrainingRun, step: int, pause: bool = False) -> None:
        """Goes back to a step of a run, and resumes or waits there. Raises InputError, and changes nothing, if the run was over
        and there is no room for it."""
        with self._lock:
            if run.over:
                self._make_room(run, run)
        run.rewind(step, pause)
        self.wake_run(run)

    def stop(self) -> None:
        """Ends all runs for good and waits for the threads: torch must not be running while the interpreter shuts down."""
        with self._lock:
            self._closing.set()
            for run in self._runs.values():
                run.stop()
            self._runs.clear()
            self._line.clear()
            threads, self._threads = self._threads, []
            if self._standby is not None:
                self._standby.cancel()
            self._news.notify_all()
        if self._others is not None:
            self._others.close()
        for place in self._placement.places:
            place.close()
        for thread in threads:
            thread.join()

    # Below, methods are called with the lock held, but threads call _work, _watch, _look, _ended, _came, _start_processes.

    def _make_room(self, run: TrainingRun, instead_of: TrainingRun | None) -> None:
        if self._closing.is_set():
            raise InputError("This server is shutting down. Try again in a minute.")
        for resting in runs_to_evict(run, [o for o in self._runs.values() if o is not instead_of and not o.over]):
            self._put_away(resting)

    def _wants_work(self, run: TrainingRun) -> bool:
        """Returns whether a run has steps to take now. One that was forgotten never has."""
        return self._runs.get(run.id) is run and run.wants_work()

    def _fill(self) -> None:
        """Makes runs active, in the order of the queue, as long as there is room."""
        while self._line and (not self._wants_work(self._line[0]) or self._has_room(self._line[0])):
            run = self._line.popleft()
            if self._wants_work(run):
                self._active.add(run)
                self._placement.find(run)
                self._ready.append(run)
                self._news.notify_all()

    def _has_room(self, run: TrainingRun) -> bool:
        """Makes room for another active run. Returns False if there is no place or no memory for it."""
        rivals = [other for other in self._active if run.spare or not other.spare]
        if len(rivals) >= limits.MAX_ACTIVE + limits.CLUSTER_ACTIVE * self._placement.remote:
            return False
        held = [o for o in self._runs.values() if o is not run and (o in self._active or o.has_memory)]
        for other in (others := runs_to_forget_for_memory(run, held)) or ():
            self._put_away(other)
        return others is not None

    def _put_away(self, run: TrainingRun) -> None:
        """Ends a run, or drops a resting one, whose file can be resumed. Its history is kept for its owner."""
        (self._drop if run.resting else self._forget)(run)
        self._past.add_run(run)

    def _forget(self, run: TrainingRun) -> None:
        run.stop()
        run.rest(False)  # so that its file is removed, too
        self._drop(run)

    def _drop(self, run: TrainingRun) -> None:
        run.forgotten = True
        self._runs.pop(run.id, None)
        self._placement.forget(run)

    def _create_places(self) -> None:
        if not self._placement.places and not self._closing.is_set():
            make = WorkerProcess if self._processes else ThreadWorker
            self._placement.places = [Place(make, self._ended) for _ in range(limits.WORKERS)]
            if self._others is not None:
                self._others.start()

    def _start_processes(self) -> None:
        with self._lock:
            self._create_places()
        for place in self._placement.places[:_STANDBY]:
            with suppress(WorkerEnded):  # the server stops
                place.worker()

    def _start(self) -> None:
        self._create_places()
        for place in self._placement.places:
            self._begin("worker", self._work, place)
        self._begin("watch", self._watch)

    def _begin(self, name: str, work: Callable[..., None], *given: Place) -> None:
        """Starts a thread, and forgets those that have ended, for places may have gone."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(threading.Thread(target=work, args=given, name=f"training-{name}", daemon=True))
        self._threads[-1].start()

    def _next(self, place: Place) -> TrainingRun | None:
        """Waits for the run to train next at a place; None at the end."""
        with self._news:
            while not self._closing.is_set() and place in self._placement.places:
                waits = {run: run.wait() for run in self._ready}
                run = self._placement.next(place, [run for run, wait in waits.items() if not wait])
                if run is not None:
                    self._ready.remove(run)
                    return run
                self._news.wait(min((wait for wait in waits.values() if wait), default=None))  # runs due now are other places'
        return None

    def _work(self, place: Place) -> None:
        if not self._processes:
            lower_thread()
        while (run := self._next(place)) is not None:
            began, (passed, computed) = time.perf_counter(), run.spent
            run.advance(limits.CLUSTER_SLICE if place.is_remote else limits.SLICE, place)
            if not place.is_remote:
                self.slowness.add(run.spent[0] - passed, run.spent[1] - computed)
            with self._lock:
                self._placement.settle(run, place, time.perf_counter() - began)
                if self._wants_work(run):
                    self._ready.append(run)
                    self._news.notify_all()
                else:
                    self._active.discard(run)
                    self._fill()
            del run  # a thread that waits keeps no run in memory

    def _came(self, place: Place) -> None:
        """Adds a place on another machine."""
        with self._lock:
            if not self._closing.is_set():
                self._placement.places.append(place)
                if self._threads:  # or else it begins with all others, when there is a run
                    self._begin("worker", self._work, place)
                self._fill()

    def _ended(self, place: Place, worker: Worker) -> None:
        """Tells the runs that a worker has ended, perhaps with their engines. On another machine, its place is gone, too."""
        if place.is_remote:
            with self._lock:
                self._placement.leave(place)
                self._news.notify_all()
        for run in self.runs():
            run.lost(worker)

    def _watch(self) -> None:
        while not self._closing.wait(limits.TICK):
            self._look()

    def _look(self) -> None:
        """Forgets runs whose viewers have all been gone for a while; lasting ones rest first."""
        for run in unseen(self.runs(), self._is_open):
            with self._lock:  # somebody may have come back while we waited for it
                if time.monotonic() - run.last_seen > limits.GRACE:
                    (TrainingRun.rest if run.lasts else self._forget)(run)
                    self._fill()
            if run.resting:
                run.leave_place()
        with self._lock:
            for run in outdated(self._runs.values()):
                self._put_away(run)
