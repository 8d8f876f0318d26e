"""Messages between the server and its worker processes: pickled objects, each after its length, through a pair of pipes.

Only processes of ours talk through these pipes; nothing that comes from a visitor is ever unpickled.
"""

import copyreg
import io
import pickle
import struct
from typing import IO, Any

import torch
from torch import Tensor

from explorer.training.snapshots import Keyframe, Packed, State

_LENGTH = struct.Struct("<Q")


class _Pickler(pickle.Pickler):
    """Tensors travel as arrays: torch's own way, through a file for each, takes twenty times as long."""

    dispatch_table = copyreg.dispatch_table.copy()
    dispatch_table[Tensor] = lambda tensor: (torch.from_numpy, (tensor.detach().cpu().numpy(),))


def dumps(thing: Any) -> bytes:
    written = io.BytesIO()
    _Pickler(written, pickle.HIGHEST_PROTOCOL).dump(thing)
    return written.getvalue()


def packed(keyframe: Keyframe) -> Packed:
    return Packed(keyframe.step, dumps(keyframe))


def opened(state: State) -> Keyframe:
    if isinstance(state, Keyframe):
        return state
    found = pickle.loads(state.data)
    assert isinstance(found, Keyframe)
    return found


def send(pipe: IO[bytes], message: bytes) -> None:
    """Raises OSError where nobody reads any more."""
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next message. Raises EOFError where there will be none, for the other end is closed."""
    (length,) = _LENGTH.unpack(_read(pipe, _LENGTH.size))
    return pickle.loads(_read(pipe, length))


def _read(pipe: IO[bytes], count: int) -> bytes:
    found = pipe.read(count)
    if len(found) < count:
        raise EOFError
    return found
