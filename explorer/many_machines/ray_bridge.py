"""A process beside the server that is connected to Ray, and passes questions on to actors at other machines' cores.

The server itself is not connected: where a cluster has been away for a minute, Ray ends the processes that are.
"""

import itertools
import logging
import os
import signal
import sys
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from typing import Any

from explorer import limits
from explorer.learning.engines import Engines, Identity

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerJoined:
    """A worker is ready. The handle of its connection is sent next."""

    worker: int


@dataclass(frozen=True)
class WorkerLeft:
    """A worker that had come has ended."""

    worker: int


@dataclass(frozen=True)
class Polled:
    """The cluster has told which machines there are. While its head node is dead it does not answer, for a minute."""


@dataclass(frozen=True)
class ClusterLost:
    """The cluster cannot be reached, and the reason. It is the last message."""

    why: str


News = WorkerJoined | WorkerLeft | Polled | ClusterLost


class Bridge:
    """Keeps an actor at every core of the other machines, as they come and go."""

    def __init__(self, ray: Any, news: "Connection[Any, Any]") -> None:
        """`ray`: the module, connected to a cluster; `news`: to the server."""
        self._ray, self._news = ray, news
        self._own = ray.get_runtime_context().get_node_id()  # its cores train in worker processes
        self._identity = Identity.of_this_machine()
        self._actors = ray.remote(Engines)
        self._numbers = itertools.count()
        self._nodes: dict[str, str] = {}  # the other machines that are there, and what they are called
        self._taken: Counter[str] = Counter()  # how many cores of each have a thread here
        self._refused: set[str] = set()  # nodes that cannot train with us
        self._warned: set[str] = set()
        self._lock = threading.Lock()  # around these four
        self._telling = threading.Lock()  # a handle follows its message

    def look(self) -> None:
        """Starts an actor at each core that has none, and lets go of those whose machine is gone."""
        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"] and node["NodeID"] != self._own}
        with self._lock:
            self._nodes = {node: facts["NodeManagerHostname"] for node, facts in nodes.items()}
            free = [
                node
                for node, facts in nodes.items()
                for _ in range(int(facts["Resources"].get("CPU", 0)) - self._taken[node])
                if node not in self._refused
            ][: limits.CLUSTER_WORKERS - self._taken.total()]
            self._taken.update(free)
        for node in free:
            threading.Thread(target=self._work, args=(node, self._nodes[node]), name="ray-core", daemon=True).start()
        self._tell(Polled())

    def _work(self, node: str, host: str) -> None:
        """Waits for a core, then passes questions on to it, as long as both it and the server are there."""
        where = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        actor = self._actors.options(num_cpus=1, max_restarts=0, scheduling_strategy=where).remote(limits.SAVE_EVERY)
        try:
            # Waits as long as other work has the core.
            if self._is_like_here(node, host, self._ray.get(actor.identity.remote())):
                self._serve(node, host, actor)
        except self._ray.exceptions.RayError as error:
            if isinstance(error, self._ray.exceptions.RayTaskError) or getattr(error, "actor_init_failed", False):
                self._refuse(node, f"{host} does not train here, for our code fails there: {_last_line(error)}")
        finally:
            with self._lock:
                self._taken[node] -= 1
            self._ray.kill(actor)

    def _serve(self, node: str, host: str, actor: Any) -> None:
        number, (ours, theirs) = next(self._numbers), Pipe()
        _log.info("A core of %s trains as well.", host)
        with theirs:
            self._tell(WorkerJoined(number), theirs)
        try:
            while node in self._nodes:
                if ours.poll(limits.CLUSTER_EVERY):
                    answer = actor.answer.remote(ours.recv_bytes())
                    ours.send_bytes(self._ray.get(answer, timeout=limits.CLUSTER_SILENCE))
        except self._ray.exceptions.GetTimeoutError:  # an OSError, too
            _log.warning("A core of %s is lost: it has not answered for %g seconds", host, limits.CLUSTER_SILENCE)
        except self._ray.exceptions.RayError as error:
            _log.warning("A core of %s is lost: %s", host, _last_line(error))
        except (EOFError, OSError):
            pass  # the server needs it no more
        finally:
            ours.close()
            self._tell(WorkerLeft(number))

    def _is_like_here(self, node: str, host: str, there: Identity) -> bool:
        """Returns whether a machine has the same code as this one. Refuses it if not; warns where its rounding may differ."""
        here = self._identity
        if (there.code, there.torch) != (here.code, here.torch):
            self._refuse(
                node,
                f"{host} does not train here, for its code is another one: {there.code} with torch {there.torch}, not "
                f"{here.code} with torch {here.torch}",
            )
            return False
        if there.processor != here.processor:
            self._warn(
                f"{host} computes with {there.processor}, this machine with {here.processor}: a run that moves between "
                "them is the same to rounding only."
            )
        return True

    def _refuse(self, node: str, why: str) -> None:
        """Uses a machine no more, until Ray is started there again and has another node id."""
        with self._lock:
            self._refused.add(node)
        self._warn(f"{why.rstrip('.')}. Install there what this server has, and start Ray there again.")

    def _warn(self, words: str) -> None:
        """Warns once, however many cores a machine has."""
        with self._lock:
            new = words not in self._warned
            self._warned.add(words)
        if new:
            _log.warning(words)

    def _tell(self, news: News, connection: "Connection[Any, Any] | None" = None) -> None:
        """Tells the server, and hands a connection over to it."""
        with self._telling, suppress(OSError):  # the server has gone, and so will this process
            self._news.send(news)
            if connection is not None:
                send_handle(self._news, connection.fileno(), None)


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1].strip()


def main() -> None:
    """Connects the server at a socket to the cluster at an address: the arguments with which this process is started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is for the server, which then ends this process
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    address, socket = sys.argv[1], int(sys.argv[2])
    os.set_inheritable(socket, False)
    news: Connection[Any, Any] = Connection(socket)
    try:
        import ray
        import ray.util.scheduling_strategies

        ray.init(address=address, logging_level=logging.WARNING, log_to_driver=False)
        bridge = Bridge(ray, news)
    except Exception as error:  # whatever it is, it is told in one place
        news.send(ClusterLost(str(error).strip().splitlines()[0]))
        return
    threading.Thread(target=_look, args=(bridge,), name="look", daemon=True).start()
    with suppress(EOFError, OSError):
        news.recv()  # the server says nothing: this is its end
    os._exit(0)  # threads may wait for a cluster that is gone as well; Ray then ends the actors


def _look(bridge: Bridge) -> None:
    try:
        while True:
            bridge.look()
            threading.Event().wait(limits.CLUSTER_EVERY)
    except Exception:  # the cluster does not answer any more; the server tries again later
        _log.exception("the cluster cannot be looked at")
        os._exit(1)
