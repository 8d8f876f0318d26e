"""A process beside the server that is connected to Ray, and passes orders and answers on: `EXPLORER_CLUSTER`.

The server itself is not connected: where a cluster has been away for a minute, Ray ends the processes that are.
"""

import itertools
import logging
import os
import queue
import signal
import sys
import threading
from dataclasses import dataclass, field
from typing import IO, Any

from explorer.training import limits, wire
from explorer.training.host import Host, Identity

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Message:
    """From the server, for a worker: a pickled Request; None: it is not needed any more."""

    worker: int
    data: bytes | None


@dataclass(frozen=True)
class Came:
    """To the server: a worker is there, and waits for orders."""

    worker: int


@dataclass(frozen=True)
class Answer:
    """To the server: what came of an order, a pickled Progress."""

    worker: int
    data: bytes


@dataclass(frozen=True)
class Went:
    """To the server: a worker has ended, or never came."""

    worker: int


@dataclass(frozen=True)
class Looked:
    """To the server: the cluster has said which machines there are. Where its head is dead it says nothing, for a minute."""


@dataclass(frozen=True)
class Away:
    """To the server, as the last word: there is no cluster, and why."""

    why: str


@dataclass
class _Worker:
    """A core, from when it is wanted: an actor, and the thread that waits for it."""

    node: str
    host: str
    actor: Any
    orders: "queue.SimpleQueue[bytes | None]" = field(default_factory=queue.SimpleQueue)


class Bridge:
    """Keeps an actor at every core of the other machines, as they come and go."""

    def __init__(self, ray: Any, answers: IO[bytes]) -> None:
        """`ray`: the module, connected to a cluster."""
        self._ray, self._answers = ray, answers
        self._own = ray.get_runtime_context().get_node_id()  # its cores train in worker processes
        self._identity = Identity.of_this_machine()
        self._actors = ray.remote(Host)
        self._numbers = itertools.count()
        self._workers: dict[int, _Worker] = {}
        self._refused: set[str] = set()  # nodes that cannot train with us
        self._warned: set[str] = set()
        self._lock = threading.Lock()  # around these three
        self._telling = threading.Lock()

    def serve(self, messages: IO[bytes]) -> None:
        """Passes messages on until no more can come."""
        while True:
            try:
                message: Message = wire.receive(messages)
            except EOFError:
                return
            with self._lock:
                worker = self._workers.get(message.worker)
            if worker is None:  # it has ended meanwhile, and the server has been told
                continue
            if message.data is None:
                self._ray.kill(worker.actor)  # its thread is told
            else:
                worker.orders.put(message.data)

    def look(self) -> None:
        """Starts an actor for each core that has none, and lets go of those whose machine is gone."""
        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"] and node["NodeID"] != self._own}
        with self._lock:
            workers = list(self._workers.values())
        for worker in workers:
            if worker.node not in nodes:
                worker.orders.put(None)
        taken = [worker.node for worker in workers]
        wanted = [
            (node, facts["NodeManagerHostname"])
            for node, facts in nodes.items()
            for _ in range(int(facts["Resources"].get("CPU", 0)) - taken.count(node))
            if node not in self._refused
        ]
        for node, host in wanted[: limits.CLUSTER_WORKERS - len(taken)]:
            self._start(node, host)
        self._tell(Looked())

    def _start(self, node: str, host: str) -> None:
        where = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        actor = self._actors.options(num_cpus=1, max_restarts=0, scheduling_strategy=where).remote(limits.SAVE_EVERY)
        number, worker = next(self._numbers), _Worker(node, host, actor)
        with self._lock:
            self._workers[number] = worker
        threading.Thread(target=self._work, args=(number, worker), name=f"worker-{number}", daemon=True).start()

    def _work(self, number: int, worker: _Worker) -> None:
        """Waits for a core, then for its answers, as long as it is there."""
        get, actor, came = self._ray.get, worker.actor, False
        try:
            if self._is_like_here(worker, get(actor.identity.remote())):  # where other work has the core, this takes its time
                came = True
                _log.info("A core of %s trains as well.", worker.host)
                self._tell(Came(number))
                while (order := worker.orders.get()) is not None:
                    self._tell(Answer(number, get(actor.follow.remote(order))))
        except self._ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[-1].strip()
            if came:
                _log.warning("A core of %s is lost: %s", worker.host, why)
            elif isinstance(error, self._ray.exceptions.RayTaskError) or getattr(error, "actor_init_failed", False):
                self._refuse(worker, f"{worker.host} does not train here, for our code fails there: {why}")
        finally:
            with self._lock:
                del self._workers[number]
            self._tell(Went(number))
            self._ray.kill(actor)

    def _is_like_here(self, worker: _Worker, there: Identity) -> bool:
        """Whether a run can go on there, which is told where it cannot."""
        here = self._identity
        if (there.code, there.torch) != (here.code, here.torch):
            self._refuse(
                worker,
                f"{worker.host} does not train here, for its code is another one: {there.code} with torch {there.torch}, not "
                f"{here.code} with torch {here.torch}",
            )
            return False
        if there.processor != here.processor:
            self._warn(
                f"{worker.host} computes with {there.processor}, this machine with {here.processor}: a run that moves between "
                "them is the same to rounding only."
            )
        return True

    def _refuse(self, worker: _Worker, why: str) -> None:
        """Tries a machine no more, until Ray is started there again."""
        with self._lock:
            self._refused.add(worker.node)
        self._warn(f"{why.rstrip('.')}. Install there what this server has, and start Ray there again.")

    def _warn(self, words: str) -> None:
        """Once, however many cores a machine has."""
        with self._lock:
            new = words not in self._warned
            self._warned.add(words)
        if new:
            _log.warning(words)

    def _tell(self, news: Came | Answer | Went | Looked) -> None:
        data = wire.dumps(news)
        with self._telling:
            wire.send(self._answers, data)


def main() -> None:
    """Connects to the cluster at the address that it is started with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is for the server, which then ends this process
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever is printed goes to the server's log
    try:
        import ray
        import ray.util.scheduling_strategies

        ray.init(address=sys.argv[1], logging_level=logging.WARNING, log_to_driver=False)
        bridge = Bridge(ray, answers)
    except Exception as error:  # whatever it is, it is told in one place
        wire.send(answers, wire.dumps(Away(str(error).strip().splitlines()[0])))
        return
    threading.Thread(target=_look, args=(bridge,), name="look", daemon=True).start()
    bridge.serve(sys.stdin.buffer)
    os._exit(0)  # the server is gone, and threads may wait for a cluster that is gone as well; Ray then ends the actors


def _look(bridge: Bridge) -> None:
    try:
        while True:
            bridge.look()
            threading.Event().wait(limits.CLUSTER_EVERY)
    except Exception:  # the cluster does not answer any more; the server tries again later
        _log.exception("the cluster cannot be looked at")
        os._exit(1)
