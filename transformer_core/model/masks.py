"""Which query may attend to which key: booleans, True = may attend, always (batch, head, query, key), 1 for a shared axis.

Masks combine with `&`. In `torch.nn.Transformer` True means the opposite (may not); convert only where the two meet.
"""

from collections.abc import Sequence

import numpy as np
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


def mask_tiles(src: Sequence[int], tgt: Sequence[int], pad_id: int, causal: bool) -> dict[str, np.ndarray]:
    """The masks of one pair of sequences, expanded to (query, key) so that they can be drawn.

    Returns:
        "source padding" (src, src), "causal" (tgt, tgt), "target" = causal & target padding (tgt, tgt), "cross" (tgt, src);
        booleans, True = may attend.
    """
    src_keep, tgt_keep = (padding_mask(torch.tensor([ids]), pad_id)[0, 0].numpy() for ids in (src, tgt))  # (1, key)
    lower = causal_mask(len(tgt))[0, 0].numpy() if causal else np.ones((len(tgt), len(tgt)), dtype=bool)
    return {
        "source padding": np.broadcast_to(src_keep, (len(src), len(src))),
        "causal": lower,
        "target": lower & tgt_keep,
        "cross": np.broadcast_to(src_keep, (len(tgt), len(src))),
    }
