"""What is at a core of another machine: the engines of some runs, in an actor of Ray's, and what that machine says of itself.

Ray is not imported here: it makes an actor of the class.
"""

import hashlib
import pickle
from dataclasses import dataclass
from pathlib import Path

import torch

from explorer.training import wire
from explorer.training.worker import Engines

_ROOT = Path(__file__).parents[2]
_CODE = ("transformer_core", "explorer/training")  # what an engine runs on, with the sentences that it learns from
_KINDS = (".py", ".xz")


@dataclass(frozen=True)
class Identity:
    """What decides whether a run is the same there as here.

    Attributes:
        code: a digest of our source, and of the data that comes with it.
        torch: its version.
        processor: the instructions that torch uses of it. With others it adds up in another order.
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


class Host:
    """Follows orders as a worker process does. Messages are those of `wire`."""

    def __init__(self, save_every: float) -> None:
        """`save_every`: as the server has it, not as the environment of this machine."""
        torch.set_num_threads(1)
        self._engines = Engines(save_every)

    def identity(self) -> Identity:
        return Identity.of_this_machine()

    def follow(self, message: bytes) -> bytes:
        """What comes of a pickled Request: a pickled Progress."""
        return wire.dumps(self._engines.follow(pickle.loads(message)))
