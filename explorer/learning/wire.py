"""Objects as bytes, for other processes of ours. Nothing that comes from a visitor is ever unpickled."""

import copyreg
import io
import pickle
from typing import Any

import torch
from torch import Tensor


class _Pickler(pickle.Pickler):
    """Sends tensors as arrays: torch's own way, through a file for each, takes twenty times as long."""

    dispatch_table = copyreg.dispatch_table.copy()
    dispatch_table[Tensor] = lambda tensor: (torch.from_numpy, (tensor.detach().cpu().numpy(),))


def dumps(thing: Any) -> bytes:
    """Pickles an object, for `pickle.loads`."""
    written = io.BytesIO()
    _Pickler(written, pickle.HIGHEST_PROTOCOL).dump(thing)
    return written.getvalue()
