"""Other machines that train for this server, where `EXPLORER_CLUSTER` says so: their cores are places that come and go.

The scheduler stays here, and so does all that is known of a run. What is there may be lost at any time, like a worker process.
"""

import importlib.util
import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import IO, Any, Protocol, cast

from explorer.i18n import N_
from explorer.training import limits, wire
from explorer.training.bridge import Answer, Away, Came, Looked, Message, Went
from explorer.training.places import AtHost, Place
from explorer.training.worker_process import Worker, WorkerEnded, environment

_log = logging.getLogger(__name__)
_LONGEST = 600.0  # seconds between two tries to find a cluster that is away
_ALL_GONE = N_(
    "The other machines do not answer any more. This run had come to step {n:,} there; it goes on here, from step {m:,}."
)

News = Came | Answer | Went | Looked | Away


@cache
def wanted() -> str | None:
    """The address of the cluster that the environment names; None: all training stays on this machine. Where Ray is missing,
    that is said in the log."""
    address = os.environ.get("EXPLORER_CLUSTER", "").strip() or None
    if address is not None and importlib.util.find_spec("ray") is None:
        _log.error(
            "EXPLORER_CLUSTER is set, but Ray is not installed (pip install -r requirements-cluster.txt): all training stays "
            "on this machine."
        )
        return None
    return address


class Link(Protocol):
    """The process that is connected to the cluster, see `bridge`."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def kill(self) -> None: ...

    def wait(self) -> int: ...


def connect(address: str) -> Link:
    """Starts it. Raises OSError."""
    command = [sys.executable, "-c", "from explorer.training.bridge import main; main()", address]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    return cast(Link, process)


class HostWorker(Worker):
    """A worker at another machine, as the server has it."""

    def __init__(self, send: Callable[[bytes], None], silent: Callable[[], None]) -> None:
        """`send` passes a request on; `silent` is called where no answer comes. Neither may raise."""
        super().__init__()
        self._send, self._silent = send, silent
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._ended = False

    def put(self, answer: bytes | None) -> None:
        """An answer has come; None: there will be no other."""
        self._answers.put(answer)

    def _answer(self, message: bytes) -> Any:
        if self._ended:
            raise WorkerEnded(self)
        self._send(message)
        try:
            found = self._answers.get(timeout=limits.CLUSTER_SILENCE)
        except queue.Empty:
            self._silent()
            found = None
        if found is None:
            self._ended = True
            raise WorkerEnded(self)
        return pickle.loads(found)


class Cluster:
    """Tells of the places at other machines that come and go. Where the cluster is away, it is looked for now and then."""

    def __init__(
        self,
        address: str,
        came: Callable[[Place], None],
        went: Callable[[Place, Worker], None],
        link: Callable[[str], Link] = connect,
    ) -> None:
        """`address` as Ray knows it; `came` and `went` are called from a thread of its own, or from one that asks."""
        self._address, self._came, self._went, self._connect = address, came, went, link
        self._workers: dict[int, tuple[Place, HostWorker]] = {}
        self._link: Link | None = None
        self._lock = threading.Lock()  # around these two
        self._sending = threading.Lock()
        self._closing = threading.Event()
        self._away = False  # and it has been said
        self._thread = threading.Thread(target=self._work, name="training-cluster", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Ends it for good. Whoever waits for an answer is told."""
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
        """One link, from its beginning to its end, and why it ended. Raises OSError."""
        why = "the connection ended"
        with self._lock:
            if self._closing.is_set():
                return why
            link = self._link = self._connect(self._address)
        news: queue.SimpleQueue[News | None] = queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(link.stdout, news), name="training-link", daemon=True)
        reader.start()
        why = self._follow(news, link) or why
        for number in list(self._workers):
            self._drop(number, _ALL_GONE)
        link.kill()
        reader.join()
        link.wait()
        link.stdout.close()
        with suppress(OSError):  # what was still to be written has no reader
            link.stdin.close()
        return why

    def _follow(self, news: "queue.SimpleQueue[News | None]", link: Link) -> str | None:
        """Takes in what comes through a link, as long as the cluster answers. Returns why it ended, where that is known."""
        why: str | None = None
        until: float | None = None  # from its first answer on: to connect may take long
        while True:
            try:
                each = news.get(timeout=None if until is None else max(0.0, until - time.monotonic()))
            except queue.Empty:
                return f"it has not answered for {limits.CLUSTER_LOOK:g} seconds"
            if each is None:
                return why
            if isinstance(each, Away):
                why = each.why
            elif isinstance(each, Looked):
                until = time.monotonic() + limits.CLUSTER_EVERY + limits.CLUSTER_LOOK
            else:
                self._take(each, link)

    def _take(self, news: Came | Answer | Went, link: Link) -> None:
        number = news.worker
        with self._lock:
            _place, worker = self._workers.get(number, (None, None))
        if isinstance(news, Came):
            self._away = False
            worker = HostWorker(partial(self._send, link, number), partial(self._silent, link, number))
            place = AtHost(worker)
            with self._lock:
                self._workers[number] = (place, worker)
            self._came(place)
        elif isinstance(news, Went):
            self._drop(number)
        elif worker is not None:
            worker.put(news.data)

    def _drop(self, number: int, loss: str | None = None) -> None:
        """A worker is no more. First nobody is sent there any longer; then who waits for it is told. `loss`: see `Worker`."""
        with self._lock:
            place, worker = self._workers.pop(number, (None, None))
        if place is not None and worker is not None:
            worker.loss = loss or worker.loss
            self._went(place, worker)
            worker.put(None)

    def _send(self, link: Link, number: int, data: bytes | None) -> None:
        message = wire.dumps(Message(number, data))
        with self._sending, suppress(OSError, ValueError):  # where nobody reads any more, its end is noticed in the other pipe
            wire.send(link.stdin, message)

    def _silent(self, link: Link, number: int) -> None:
        _log.warning("a core of the cluster has not answered for %g seconds and is given up", limits.CLUSTER_SILENCE)
        self._send(link, number, None)
        self._drop(number)


def _read(pipe: IO[bytes], news: "queue.SimpleQueue[News | None]") -> None:
    """Passes on what comes; None at its end."""
    with suppress(EOFError):
        while True:
            news.put(wire.receive(pipe))
    news.put(None)
