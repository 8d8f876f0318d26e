"""Who may look at whom. Boolean, True = may attend, always (batch, head, query, key) with 1 where an axis is shared.

Masks combine with `&`. `torch.nn.Transformer` uses the opposite sense (True = may not); convert at that border only.
"""

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Every query may see every token that is not padding: a mask of columns, not of rows.

    Shape: (batch, length) -> (batch, 1, 1, length)
    """
    return (ids != pad_id)[:, None, None, :]


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """Position i may see positions 0..i: the lower triangle (section 3.2.3).

    Shape: -> (1, 1, length, length)
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]
