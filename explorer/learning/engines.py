"""The engines inside a worker, which is a process of this machine or a Ray actor on another one.

A worker process reads messages from its standard input. However the server ends, that input is closed then, and the worker
process ends as well.
"""

import hashlib
import os
import pickle
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import torch

from explorer import limits
from explorer.learning import priority, wire
from explorer.learning.engine import Engine, Order, Progress
from explorer.learning.plan import TrainingPlan
from explorer.learning.race import RaceEngine, RacePlan
from explorer.learning.snapshots import Packed

_ROOT = Path(__file__).parents[2]
_CODE = ("transformer_core", "everyday", "explorer/learning")  # what an engine runs on, with the sentences it learns from
_KINDS = (".py", ".tsv", ".xz")


@dataclass(frozen=True)
class WorkerOrder:
    """An order for one of a worker's engines.

    Attributes:
        engine: its number.
        needed: the numbers of all engines that are still needed; the worker drops the others.
        beginning: for a new engine, the plan and the state to go on from (None: the plan's beginning). None for one that the
            worker has.
    """

    engine: int
    order: Order
    needed: frozenset[int]
    beginning: tuple[TrainingPlan, Packed | None] | None = None


@dataclass(frozen=True)
class Identity:
    """Facts about a machine that decide whether a run is the same there.

    Attributes:
        code: a digest of our source, and of the data that comes with it.
        torch: its version.
        processor: the instruction set that torch uses. With another one, sums are rounded in another order.
    """

    code: str
    torch: str
    processor: str

    @classmethod
    def of_this_machine(cls) -> "Identity":
        digest = hashlib.sha256()
        for path in sorted(path for folder in _CODE for path in (_ROOT / folder).rglob("*") if path.suffix in _KINDS):
            digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return cls(digest.hexdigest()[:16], torch.__version__, torch.backends.cpu.get_cpu_capability())


class Engines:
    """Engines by their numbers, computed on one core."""

    def __init__(self, save_every: float = float("inf")) -> None:
        """`save_every`: see `Engine`. The server passes it: this machine's environment may set another value."""
        self._save_every = save_every
        self._engines: dict[int, Engine] = {}

    def identity(self) -> Identity:
        return Identity.of_this_machine()

    def follow(self, message: WorkerOrder) -> Progress:
        """Follows the order of a message, and drops the engines that are not needed any more."""
        self._engines = {number: engine for number, engine in self._engines.items() if number in message.needed}
        if message.beginning is not None:
            plan, state = message.beginning
            kind = RaceEngine if isinstance(plan, RacePlan) else Engine
            self._engines[message.engine] = kind(plan, state, self._save_every)
        return self._engines[message.engine].advance(message.order)

    def answer(self, message: bytes) -> bytes:
        """Follows a pickled message and returns the pickled progress, for the Ray bridge."""
        return wire.dumps(self.follow(pickle.loads(message)))


def main() -> None:
    """Answers messages in a worker process until no more can come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is for the server, which then ends this process
    priority.lower_process()
    engines = Engines(limits.SAVE_EVERY)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever is printed goes to the server's log
    try:
        while True:
            answers.write(wire.dumps(engines.follow(pickle.load(sys.stdin.buffer))))
            answers.flush()
    except EOFError:
        return
    except BrokenPipeError:  # the server ended while we computed
        os._exit(0)  # an ordinary exit would try to flush the answer once more
