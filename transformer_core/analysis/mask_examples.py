"""The usual ways to mask keys."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from transformer_core.model.attention import attention
from transformer_core.model.trace import Trace


@dataclass(frozen=True)
class Blocked:
    """One query under one way to mask keys. `masked` is None where the kernel does not return it.

    Shape: each (key,)
    """

    masked: np.ndarray | None
    weights: np.ndarray


def ways_to_block(scores: Sequence[float] | np.ndarray, allowed: Sequence[bool] | np.ndarray) -> dict[str, Blocked]:
    """The usual ways to mask keys, and what each does to the same scores of one query (section 3.2.3).

    Shape: scores, allowed (key,), True = may attend
    """
    row = torch.tensor(np.asarray(scores), dtype=torch.float32)
    mask = torch.tensor(np.asarray(allowed), dtype=torch.bool)
    # With the identity as values, the context is the weights; with the scores as one query's products with unit keys.
    q = (row * math.sqrt(len(row)))[None, None, None]
    identity = torch.eye(len(row))[None, None]
    large, infinite = (row.masked_fill(~mask, value) for value in (-1e9, float("-inf")))
    fused = F.scaled_dot_product_attention(q, identity, identity, attn_mask=mask[None, None, None])
    with Trace() as trace:
        own = attention(q, identity, identity, mask[None, None, None])
    return {
        "−1e9": Blocked(large.numpy(), large.softmax(dim=-1).numpy()),
        "−inf": Blocked(infinite.numpy(), infinite.softmax(dim=-1).numpy()),
        "fused": Blocked(None, fused[0, 0, 0].numpy()),
        "this model": Blocked(trace["masked_scores"][0, 0, 0].numpy(), own[0, 0, 0].numpy()),
    }
