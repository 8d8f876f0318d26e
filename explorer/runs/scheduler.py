"""A few workers step the active runs of the server in turn, in short slices; runs beyond those wait in line.

Measured against a thread or a process per run, this keeps pages at their idle pace with sixty people training, and gives every
run its share. The workers are started with the first run and stopped with the server.
"""

import os
import queue
import sys
import threading
import time
from collections import deque

import torch
from streamlit import runtime

from explorer.runs import limits
from explorer.runs.past import Past, PastRun
from explorer.runs.run import Run
from explorer.words import _

_TICK = 5.0  # seconds between two looks for runs whose browsers are gone


class Scheduler:
    """Owns the runs of the server.

    A run that wants to be stepped is active, which means in the workers' queue or in a worker's hands, or it waits in line. One
    that is paused gives its place away, and comes in at the end of the line when it goes on.
    """

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}  # the oldest first
        self._active: set[Run] = set()
        self._line: deque[Run] = deque()
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._past = Past()

    def add(self, run: Run, instead_of: Run | None = None) -> Run:
        """Takes a run on, and starts it or puts it in line. Another one may make room for it: it is ended and forgotten.

        Raises ValueError, and leaves all as it was, when the server or the session has as many runs as it may.
        """
        with self._lock:
            self._check_room(run, instead_of)
            if instead_of is not None:
                self._replace(instead_of)
            self._runs[run.id] = run
            if not self._threads:
                self._start()
            self._wake(run)
        return run

    def get(self, run_id: str, viewer: str) -> Run | None:
        """The run with this id, if it is still there; the viewer's tab from now on keeps it alive."""
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None:
                if run.owner != viewer and not _is_open(run.owner):
                    self._past.hand_over(run.owner, to=viewer)
                    run.owner = viewer  # a reloaded page is a new session: it takes its run over
                run.viewers.add(viewer)
                run.last_seen = time.monotonic()
            return run

    def place(self, run: Run) -> int | None:
        """How far back in line a run waits, the next one being 1; None for one that does not wait."""
        with self._lock:
            waiting = [other for other in self._line if self._wants_work(other)]
            return waiting.index(run) + 1 if run in waiting else None

    def compared(self, run: Run | None, viewer: str) -> list[PastRun]:
        """The viewer's runs, the oldest first: those that have made room for others, and the one that is there now."""
        with self._lock:
            return self._past.with_now(run, viewer)

    @property
    def crowd(self) -> int:
        """How many runs share the workers or wait for them."""
        with self._lock:
            return len(self._active) + len(self._line)

    def remove(self, run: Run) -> None:
        """Ends a run and forgets it."""
        with self._lock:
            self._forget(run)
            self._fill()

    def wake(self, run: Run) -> None:
        """Call after turning a switch of the run: a run that wants work now, and did not before, gets in line for it."""
        with self._lock:
            self._wake(run)

    def rewind(self, run: Run, step: int, pause: bool = False) -> None:
        """Lets a run go back to a step and on from there, or wait there.

        Raises ValueError, and leaves all as it was, when it was over and there is no room for it to be under way again.
        """
        with self._lock:
            if run.over:
                self._check_room(run, run)
        run.rewind(step, pause)
        self.wake(run)

    def stop(self) -> None:
        """Ends all runs for good and waits for the workers; torch must not be at work while the interpreter shuts down."""
        with self._lock:
            self._closing.set()
            for run in self._runs.values():
                run.stop()
            self._runs.clear()
            self._line.clear()
            threads, self._threads = self._threads, []
        for _thread in threads:
            self._queue.put(None)
        for thread in threads:
            thread.join()

    # All below are called with the lock held, but for the threads' own two.

    def _check_room(self, run: Run, instead_of: Run | None) -> None:
        if self._closing.is_set():
            raise ValueError(_("This server is shutting down."))
        others = [other for other in self._runs.values() if other is not instead_of and not other.over]
        if len(others) >= limits.MAX_RUNS:
            message = _("{n} runs are under way on this server, as many as it takes. Try again in a minute.")
            raise ValueError(message.format(n=limits.MAX_RUNS))
        if sum(other.owner == run.owner for other in others) >= limits.RUNS_PER_SESSION:
            message = _("This window has {n} runs under way, as many as it may. Stop one of them, or wait until one is done.")
            raise ValueError(message.format(n=limits.RUNS_PER_SESSION))

    def _wake(self, run: Run) -> None:
        if self._wants_work(run) and run not in self._active and run not in self._line:
            self._line.append(run)
        self._fill()

    def _wants_work(self, run: Run) -> bool:
        """Whether a run of ours is to be stepped; one that was forgotten never is again."""
        return self._runs.get(run.id) is run and run.wants_work()

    def _fill(self) -> None:
        """Makes runs active, the first in line first, as long as there is room for them."""
        while self._line and (not self._wants_work(self._line[0]) or self._has_room(self._line[0])):
            run = self._line.popleft()
            if self._wants_work(run):
                self._active.add(run)
                self._queue.put(run)

    def _has_room(self, run: Run) -> bool:
        """Whether the workers can take a run on, and memory too; runs that are over are forgotten for it, the oldest first."""
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

    def _replace(self, run: Run) -> None:
        """Ends a run that makes room for another one; what became of it is kept for its owner."""
        self._forget(run)
        self._past.add(run)

    def _forget(self, run: Run) -> None:
        run.stop()
        self._runs.pop(run.id, None)

    def _start(self) -> None:
        for i in range(limits.WORKERS):
            self._threads.append(threading.Thread(target=self._work, name=f"training-{i}", daemon=True))
        self._threads.append(threading.Thread(target=self._watch, name="training-watch", daemon=True))
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        torch.set_num_threads(1)
        if sys.platform == "linux":  # where a thread may have a rank of its own: whoever turns a knob comes first
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)
        while (run := self._queue.get()) is not None:
            run.advance(limits.SLICE)
            with self._lock:
                if self._wants_work(run):
                    self._queue.put(run)
                else:
                    self._active.discard(run)
                    self._fill()

    def _watch(self) -> None:
        """Forgets runs that no browser has been looking at for a while."""
        while not self._closing.wait(_TICK):
            with self._lock:
                runs = list(self._runs.values())
            for run in runs:
                if any(_is_open(viewer) for viewer in list(run.viewers)):
                    run.last_seen = time.monotonic()
                elif time.monotonic() - run.last_seen > limits.GRACE:
                    self.remove(run)


def _is_open(session: str) -> bool:
    """Whether a browser tab is connected. Without a server (in a test) nobody ever leaves."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)
