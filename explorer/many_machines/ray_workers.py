"""Workers on other machines, where `EXPLORER_CLUSTER` names a cluster of Ray's: each is an actor at a core.

The scheduler stays here, and so does all that is known of a run. Such a worker may be lost at any time, like a worker process.
"""

import importlib.util
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any, Protocol

from explorer import limits
from explorer.i18n import N_
from explorer.learning import wire
from explorer.learning.engine import Progress
from explorer.learning.engines import WorkerOrder
from explorer.learning.workers import Place, Worker, environment
from explorer.many_machines.ray_bridge import ClusterLost, News, Polled, WorkerJoined, WorkerLeft

_log = logging.getLogger(__name__)
_LONGEST = 600.0  # seconds between two tries to find a cluster that is away


@cache
def cluster_address() -> str | None:
    """The address in EXPLORER_CLUSTER; None: all training stays on this machine. Logs an error if Ray is not installed."""
    address = os.environ.get("EXPLORER_CLUSTER", "").strip() or None
    if address is not None and importlib.util.find_spec("ray") is None:
        _log.error(
            "EXPLORER_CLUSTER is set, but Ray is not installed (pip install -r requirements-cluster.txt): all training stays "
            "on this machine."
        )
        return None
    return address


class Link(Protocol):
    """The process that is connected to the cluster, see `ray_bridge`."""

    def kill(self) -> None: ...

    def wait(self) -> int: ...


def connect(address: str, its_end: "Connection[Any, Any]") -> Link:
    """Starts the process of the bridge, with its end of a connection to this one. Raises OSError."""
    socket = its_end.fileno()
    code = "from explorer.many_machines.ray_bridge import main; main()"
    command = [sys.executable, "-c", code, address, str(socket)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[socket], env=environment())


class RayWorker(Worker):
    """An actor on another machine, asked through the bridge."""

    ended_message = N_(
        "Another machine does not answer any more. This run had come to step {n:,} there; it goes on here, from step {m:,}."
    )

    def __init__(self, connection: "Connection[Any, Any]", ended: Callable[[Worker], None]) -> None:
        super().__init__(ended)
        self._connection = connection

    def _answer(self, question: WorkerOrder) -> Progress:
        self._connection.send_bytes(wire.dumps(question))
        progress: Progress = pickle.loads(self._connection.recv_bytes())
        return progress

    def _close(self) -> None:
        self._connection.close()


class Cluster:
    """Reports the places on other machines as they come and go. While the cluster is away, tries now and then to reach it."""

    def __init__(
        self,
        address: str,
        came: Callable[[Place], None],
        went: Callable[[Place, Worker], None],
        link: Callable[[str, "Connection[Any, Any]"], Link] = connect,
    ) -> None:
        """`address` as Ray knows it; `came` and `went` are called by the cluster's own thread, or by one that asks a worker."""
        self._address, self._came, self._went, self._connect = address, came, went, link
        self._workers: dict[int, Worker] = {}
        self._link: Link | None = None
        self._lock = threading.Lock()  # around the link
        self._closing = threading.Event()
        self._away = False  # and the log says so
        self._thread = threading.Thread(target=self._work, name="training-cluster", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Ends the link for good. Threads that wait for an answer get WorkerEnded."""
        with self._lock:
            self._closing.set()
            link = self._link
        if link is not None:
            link.kill()  # Ray then ends what it had started
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        pause = limits.CLUSTER_EVERY
        while not self._closing.is_set():
            began = time.monotonic()
            try:
                why = self._linked()
            except OSError as error:
                why = str(error)
            if not self._away and not self._closing.is_set():
                _log.warning("the cluster at %s is away, all training stays on this machine: %s", self._address, why)
                self._away = True
            pause = limits.CLUSTER_EVERY if time.monotonic() - began > _LONGEST else min(2 * pause, _LONGEST)
            self._closing.wait(pause)

    def _linked(self) -> str:
        """Opens a link, and follows it to its end. Returns why it ended. Raises OSError."""
        news, its_end = Pipe()
        with news:
            with its_end, self._lock:
                if self._closing.is_set():
                    return ""
                link = self._link = self._connect(self._address, its_end)
            why = self._follow(news)
            for worker in self._workers.values():
                worker.lose()  # before those who wait for an answer are told
            link.kill()
            link.wait()
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()
        return why

    def _follow(self, news: "Connection[News, Any]") -> str:
        """Handles the messages of a link, as long as the cluster answers. Returns why it ended."""
        why = "the connection ended"
        until: float | None = None  # set by the first answer: until then it may take long to connect
        while news.poll(None if until is None else max(0.0, until - time.monotonic())):
            try:
                each = news.recv()
            except (EOFError, OSError):
                return why
            if isinstance(each, ClusterLost):
                why = each.why
            elif isinstance(each, Polled):
                until = time.monotonic() + limits.CLUSTER_EVERY + limits.CLUSTER_LOOK
            elif isinstance(each, WorkerJoined):
                self._take(each.worker, Connection(recv_handle(news)))
            elif isinstance(each, WorkerLeft):
                self._workers.pop(each.worker).end()
        return f"it has not answered for {limits.CLUSTER_LOOK:g} seconds"

    def _take(self, number: int, connection: "Connection[Any, Any]") -> None:
        """Makes a place for a worker that has come, and reports it."""
        self._away = False
        place = Place(partial(RayWorker, connection), self._went, is_remote=True)
        self._workers[number] = place.worker()
        self._came(place)
