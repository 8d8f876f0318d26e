"""A few workers step all runs of the server in turn, in short slices.

Measured against a thread or a process per run, this keeps pages at their idle pace with sixty people training, and gives every
run its share. The workers are started with the first run and stopped with the server.
"""

import queue
import threading
import time

import torch
from streamlit import runtime

from explorer.runs import limits
from explorer.runs.run import Run
from explorer.words import _

_TICK = 5.0  # seconds between two looks for runs whose browsers are gone


class Scheduler:
    """Owns the runs of the server."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()

    def add(self, run: Run) -> Run:
        """Takes a run on and starts it. Raises ValueError when the server is full."""
        with self._lock:
            if sum(not other.over for other in self._runs.values()) >= limits.MAX_RUNS:
                message = _("{n} runs are under way on this server, as many as it takes. Try again in a minute.")
                raise ValueError(message.format(n=limits.MAX_RUNS))
            self._runs[run.id] = run
            if not self._threads:
                self._start()
        self.wake(run)
        return run

    def get(self, run_id: str, viewer: str) -> Run | None:
        """The run with this id, if it is still there; the viewer's tab from now on keeps it alive."""
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None:
                if run.owner != viewer and not _is_open(run.owner):
                    run.owner = viewer  # a reloaded page is a new session: it takes its run over
                run.viewers.add(viewer)
                run.last_seen = time.monotonic()
            return run

    def remove(self, run: Run) -> None:
        """Ends a run and forgets it."""
        run.stop()
        with self._lock:
            self._runs.pop(run.id, None)

    def wake(self, run: Run) -> None:
        """Call after turning a switch of the run: puts it into the workers' queue unless it is there already."""
        with self._lock:
            if run.scheduled or not run.wants_work():
                return
            run.scheduled = True
        self._queue.put(run)

    def stop(self) -> None:
        """Ends all runs and waits for the workers; torch must not be at work while the interpreter shuts down."""
        self._closing.set()
        with self._lock:
            for run in self._runs.values():
                run.stop()
            threads, self._threads = self._threads, []
        for _thread in threads:
            self._queue.put(None)
        for thread in threads:
            thread.join()
        self._runs.clear()

    def _start(self) -> None:
        self._closing.clear()
        self._queue = queue.SimpleQueue()  # the last one still holds the words that ended its workers
        for i in range(limits.WORKERS):
            self._threads.append(threading.Thread(target=self._work, name=f"training-{i}", daemon=True))
        self._threads.append(threading.Thread(target=self._watch, name="training-watch", daemon=True))
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        torch.set_num_threads(1)
        while (run := self._queue.get()) is not None:
            run.advance(limits.SLICE)
            with self._lock:
                run.scheduled = run.wants_work() and not self._closing.is_set()
            if run.scheduled:
                self._queue.put(run)

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
