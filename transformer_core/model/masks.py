"""Masks: the keys that each query may attend to, as booleans, True = may attend, always (batch, head, query, key), 1 for a
shared axis.

Masks combine with `&`. In `torch.nn.Transformer` True means the opposite (may not); convert only where the two meet.
"""

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Every query may attend to every token that is not padding: columns are masked, not rows.

    Shape: (batch, length) -> (batch, 1, 1, length)
    """
    return (ids != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """Position i may attend to positions 0..i: the lower triangle (section 3.2.3).

    Shape: -> (1, 1, length, length)
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]
