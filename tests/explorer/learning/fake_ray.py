"""What the bridge uses of Ray, in threads of this process, with machines that come, hang and go as a test says."""

import os
import pickle
import threading
from collections.abc import Callable
from contextlib import nullcontext
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

from explorer.many_machines.ray_bridge import Bridge, ClusterLost

OWN = "own"


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class GetTimeoutError(RayError, TimeoutError):
    pass


class Actor:
    def __init__(self, ray: "FakeRay", node: str, made: Any) -> None:
        self._ray, self.node, self._made = ray, node, made
        self.killed, self.hangs = threading.Event(), threading.Event()
        self.identity, self.answer = self._method("identity"), self._method("answer")

    def _method(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(remote=lambda *args: lambda timeout: self._call(name, args, timeout))

    def _call(self, name: str, args: tuple[Any, ...], timeout: float | None) -> Any:
        if self.node in self._ray.hanging:
            self.hangs.set()
            if not self.killed.wait(timeout):
                raise GetTimeoutError("Get timed out: some object(s) not ready.")
        if self.killed.is_set() or self.node not in self._ray.machines:
            raise RayError("The actor died.\nits node has died")
        found = self._ray.says.get((self.node, name)) or getattr(self._made, name)
        return pickle.loads(pickle.dumps(found(*args)))


class FakeRay:
    """The module, connected.

    Attributes:
        machines: cores by node.
        hanging: those of them that do not answer.
        says: (node, method) -> what it does there in place of ours.
    """

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, GetTimeoutError=GetTimeoutError)
    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: SimpleNamespace(node=node))
    )

    def __init__(self, **machines: int) -> None:
        self.machines = {OWN: 4, **machines}
        self.hanging: set[str] = set()
        self.says: dict[tuple[str, str], Callable[..., Any]] = {}
        self.actors: list[Actor] = []

    def get_runtime_context(self) -> SimpleNamespace:
        return SimpleNamespace(get_node_id=lambda: OWN)

    def nodes(self) -> list[dict[str, Any]]:
        alive = {"Alive": True}
        return [
            {"NodeID": node, "NodeManagerHostname": f"host {node}", "Resources": {"CPU": float(cores)} if cores else {}} | alive
            for node, cores in self.machines.items()
        ] + [{"NodeID": "long gone", "Alive": False}]

    def remote(self, made: Any) -> SimpleNamespace:
        def options(num_cpus: int, max_restarts: int, scheduling_strategy: Any) -> SimpleNamespace:
            assert (num_cpus, max_restarts) == (1, 0)
            return SimpleNamespace(remote=lambda *args: self._actor(scheduling_strategy.node, made(*args)))

        return SimpleNamespace(options=options)

    def _actor(self, node: str, made: Any) -> Actor:
        self.actors.append(Actor(self, node, made))
        return self.actors[-1]

    def get(self, ref: Callable[[float | None], Any], timeout: float | None = None) -> Any:
        return ref(timeout)

    def kill(self, actor: Actor) -> None:
        actor.killed.set()


class FakeLink:
    """A bridge in this process, in place of one of its own; it looks when a test says so."""

    def __init__(self, ray: FakeRay | None, its_end: Connection) -> None:
        """`ray`: None where there is no cluster."""
        self._news = Connection(os.dup(its_end.fileno()))
        self.killed = threading.Event()
        self._ray = ray
        self.bridge = Bridge(ray, self._news) if ray is not None else None
        if ray is None:
            self._news.send(ClusterLost("nobody is there"))
            self.kill()

    def kill(self) -> None:
        """As the system would: the server is told that nothing more comes, and Ray ends the actors."""
        if not self.killed.is_set():
            self.killed.set()
            with self.bridge._telling if self.bridge is not None else nullcontext():
                self._news.close()
            for actor in self._ray.actors if self._ray is not None else ():
                actor.killed.set()
            if self._ray is not None:
                self._ray.machines.clear()

    def wait(self) -> int:
        return 0
