"""What a worker does: it has the engines of some runs, and follows one order of the server after another.

To a worker process, orders come in through its standard input. It ends when the server does, however that ends: nothing can
come in any more.
"""

import os
import pickle
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import torch

from explorer.training import limits, wire
from explorer.training.engine import Engine, Order, Progress
from explorer.training.snapshots import State

_GROUP = Path("/proc/self/autogroup")
_TRIES, _AGAIN = 50, 0.1  # seconds


@dataclass(frozen=True)
class Request:
    """An order for an engine.

    Attributes:
        engine: its number.
        plan, state: where it is a new one: the pickled plan, and what it goes on from, if that is not the plan's beginning.
        dropped: the numbers of engines that are no longer needed.
    """

    engine: int
    order: Order
    plan: bytes | None = None
    state: State | None = None
    dropped: tuple[int, ...] = ()


class Engines:
    """The engines of some runs, by their numbers."""

    def __init__(self, save_every: float) -> None:
        """`save_every`: see `Engine`."""
        self._save_every = save_every
        self._engines: dict[int, Engine] = {}

    def follow(self, request: Request) -> Progress:
        for number in request.dropped:
            self._engines.pop(number, None)
        if request.plan is not None:
            state = wire.opened(request.state) if request.state is not None else None
            self._engines[request.engine] = Engine(pickle.loads(request.plan), state, self._save_every, wire.packed)
        return self._engines[request.engine].advance(request.order)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Follows the orders that come in, until no more can come."""
    engines = Engines(limits.SAVE_EVERY)
    while True:
        try:
            request: Request = wire.receive(requests)
        except EOFError:
            return
        wire.send(answers, wire.dumps(engines.follow(request)))


def _be_nice() -> None:
    """Pages come first, of every copy of the app, and so do all other programs, such as the browser that shows them."""
    if not hasattr(os, "nice"):
        return  # on Windows, the server sees to that
    os.nice(limits.WORKER_NICE)
    if not _GROUP.exists():
        return
    os.setsid()  # Linux shares the processor out among sessions first, and only then, within each, by niceness
    for _ in range(_TRIES):
        try:
            _GROUP.write_text(str(min(limits.WORKER_NICE, 19)), encoding="ascii")
            return
        except BlockingIOError:  # only so many may do so in a second
            time.sleep(_AGAIN)
        except OSError:  # not here: in a container, say, which has a share of its own
            return


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C at the terminal is for the server, which then ends this process
    if limits.WORKER_NICE:
        _be_nice()
    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever is printed goes to the server's log
    try:
        serve(sys.stdin.buffer, answers)
    except BrokenPipeError:  # the server is gone while it was waited for
        os._exit(0)  # without another try to write what nobody reads
