"""Faster implementations with the same results: torch's fused attention, and a softmax for short rows."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.model.dropout import Dropout
from transformer_core.model.scores import Score, dot, scaled_dot
from transformer_core.model.trace import is_observed

# On a CPU, ATen's softmax (fused attention included) is not vectorised for rows shorter than this many floats.
SHORT_ROW = 16

# What the fused kernel multiplies the products by; None is its default, 1/√d_k.
_SCALES: dict[Score, float | None] = {scaled_dot: None, dot: 1.0}


def fused(attention: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Has torch's fused kernel compute `attention` where it can: it never stores the weights.

    It cannot where a stage is recorded or edited, where weights are dropped, and for scores that are no dot products; for short
    rows it is slower.
    """

    @wraps(attention)
    def attend(
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None = None,
        dropout: Dropout | None = None,
        score: Score = scaled_dot,
        penalties: Tensor | None = None,
    ) -> Tensor:
        dropping = dropout is not None and dropout.active
        short = k.size(-2) < SHORT_ROW and k.device.type == "cpu"
        if is_observed() or dropping or short or score not in _SCALES:
            return attention(q, k, v, mask, dropout, score, penalties)
        if penalties is not None:
            mask = penalties.to(q.dtype) if mask is None else penalties.to(q.dtype).where(mask, float("-inf"))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=_SCALES[score])

    return attend


class _MaskedSoftmax(torch.autograd.Function):
    """`masked_softmax` with a backward pass of its own: the softmax's derivative, which is 0 for a row of zeros."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor) -> Tensor:
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        limits = torch.finfo(scores.dtype)
        top = scores.amax(dim=-1, keepdim=True).clamp_min(limits.min)
        powers = (scores - top).exp()
        weights = powers / powers.sum(dim=-1, keepdim=True).clamp_min(limits.tiny)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        weights: Tensor
        (weights,) = ctx.saved_tensors
        weighted = gradients[0] * weights
        return weighted - weights * weighted.sum(dim=-1, keepdim=True)


def masked_softmax(scores: Tensor) -> Tensor:
    """Softmax along the last axis, with -inf for masked scores.

    A row of nothing but -inf becomes 0, not NaN. Half-precision scores are converted first: the weights are at least float32.
    Rows of fewer than 16 numbers are fast, too; torch's own softmax is slow for them on a CPU.
    """
    weights: Tensor = _MaskedSoftmax.apply(scores)  # type: ignore[no-untyped-call]
    return weights
