"""What the bridge uses of Ray, in threads of this process, with machines that come, hang and go as a test says."""

import os
import pickle
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from explorer.training import wire
from explorer.training.bridge import Away, Bridge

OWN = "own"


class RayError(Exception):
    pass


class RayTaskError(RayError):
    pass


class Actor:
    def __init__(self, ray: "FakeRay", node: str, made: Any) -> None:
        self._ray, self.node, self._made = ray, node, made
        self.killed = threading.Event()
        self.identity, self.follow = self._method("identity"), self._method("follow")

    def _method(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(remote=lambda *args: lambda: self._call(name, args))

    def _call(self, name: str, args: tuple[Any, ...]) -> Any:
        if self.node in self._ray.hanging:
            self.killed.wait()
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

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
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

    def get(self, ref: Callable[[], Any]) -> Any:
        return ref()

    def kill(self, actor: Actor) -> None:
        actor.killed.set()


class FakeLink:
    """A bridge in a thread, in place of a process; it looks when a test says so."""

    def __init__(self, ray: FakeRay | None) -> None:
        """`ray`: None where there is no cluster."""
        self._messages, self.stdin = pipe()
        self.stdout, self._answers = pipe()
        self.killed = threading.Event()
        self._ray = ray
        if ray is None:
            wire.send(self._answers, wire.dumps(Away("nobody is there")))
            self.kill()
        self.bridge = Bridge(ray, self._answers) if ray is not None else None
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        if self.bridge is not None:
            self.bridge.serve(self._messages)

    def kill(self) -> None:
        """As the system would: what is still written goes nowhere, and the reader is told that there is no more."""
        if not self.killed.is_set():
            self.killed.set()
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), self._answers.fileno())
            for actor in self._ray.actors if self._ray is not None else ():
                actor.killed.set()

    def wait(self) -> int:
        return 0

    def close(self) -> None:
        """At the end of a test."""
        self._thread.join()
        for worker in list(self.bridge._workers.values()) if self.bridge is not None else ():
            worker.orders.put(None)
        while self.bridge is not None and self.bridge._workers:
            time.sleep(0.001)
        self._messages.close()
        self._answers.close()


def pipe() -> tuple[IO[bytes], IO[bytes]]:
    read, write = os.pipe()
    return os.fdopen(read, "rb"), os.fdopen(write, "wb")
