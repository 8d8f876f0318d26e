"""Attention: compare a query with every key, turn the scores into weights, average the values by them."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.blank import Linear
from transformer_core.model.dropout import Dropout
from transformer_core.model.trace import NO_TRACE, Tracer

# On a CPU, ATen's softmax (fused attention included) is not vectorised for rows shorter than this many floats.
_SHORT_ROW = 16


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
        (weights,) = ctx.saved_tensors
        weighted = gradients[0] * weights
        return weighted - weights * weighted.sum(dim=-1, keepdim=True)


def masked_softmax(scores: Tensor) -> Tensor:
    """Softmax along the last axis, with -inf for masked scores.

    A row of nothing but -inf becomes 0, not NaN. Half-precision scores are converted first: the weights are at least float32.
    Rows of fewer than 16 numbers are fast, too; torch's own softmax is slow for them on a CPU.
    """
    weights: Tensor = _MaskedSoftmax.apply(scores)
    return weights


class AdditiveScore(nn.Module):
    """The sum over all dimensions of tanh(W [q; k] + b): a small network compares q and k (Bahdanau et al., 2015).

    W is split into one half for q and one for k, so that each is applied once per token, not once per pair.

    Shape: q (batch, head, query, d_k), k (batch, head, key, d_k) -> (batch, head, query, key)
    """

    def __init__(self, d_k: int):
        super().__init__()
        self.w = Linear(2 * d_k, d_k)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        for_q, for_k = self.w.weight.chunk(2, dim=1)
        pairs = F.linear(q, for_q).unsqueeze(3) + F.linear(k, for_k, self.w.bias).unsqueeze(2)  # (batch, head, query, key, d_k)
        return pairs.tanh().sum(dim=-1)


class ConcatLinearScore(nn.Module):
    """w · [q; k] + b. A query adds the same number to all its scores, and the softmax cancels it: the query has no influence.

    Shape: q (batch, head, query, d_k), k (batch, head, key, d_k) -> (batch, head, query, key)
    """

    def __init__(self, d_k: int):
        super().__init__()
        self.w = Linear(2 * d_k, 1)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        for_q, for_k = self.w.weight.chunk(2, dim=1)
        return F.linear(q, for_q) + F.linear(k, for_k, self.w.bias).mT


_SCORES: dict[str, type[AdditiveScore | ConcatLinearScore]] = {"additive": AdditiveScore, "concat_linear": ConcatLinearScore}


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    dropout: Dropout | None = None,
    trace: Tracer = NO_TRACE,
    *,
    scale: float | None = None,
    score: nn.Module | None = None,
) -> Tensor:
    """Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V (section 3.2.1, equation 1).

    A query that may attend to no key at all gets weights of 0 and a context of 0: there is nothing to average. (With a plain
    softmax, masking with -inf would give NaN, and with a large negative number a uniform row that looks like real attention.)

    The scores are dot products times `scale` (None: 1/√d_k), or else `score(q, k)`.

    With nothing to record and no dropout, torch's fused kernel computes the same without ever storing the weights.

    Shape: q (batch, head, query, d_k), k (batch, head, key, d_k), v (batch, head, key, d_v),
        mask boolean, True = may attend, broadcastable to (batch, head, query, key) -> (batch, head, query, d_v)
    """
    dropping = dropout is not None and dropout.active
    short = k.size(-2) < _SHORT_ROW and k.device.type == "cpu"
    if not (trace.active or dropping or short or score):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)

    if score is None:
        products = trace("products", q @ k.mT, "batch head query key")
        scores = products / math.sqrt(q.size(-1)) if scale is None else products * scale
    else:
        scores = score(q, k)
    scores = trace("scores", scores, "batch head query key")
    masked = scores if mask is None else scores + torch.where(mask, 0.0, float("-inf"))
    masked = trace("masked_scores", masked, "batch head query key")
    weights = trace("weights", masked_softmax(masked), "batch head query key")  # before dropout: what attention means
    if dropout is not None:
        weights = dropout(weights)
    return trace("context", weights @ v, "batch head query d_v")


class MultiHeadAttention(nn.Module):
    """n_heads attentions in parallel, each on its own d_model/n_heads dimensions (section 3.2.2, figure 2 right).

    Shape: query (batch, query, d_model), memory (batch, key, d_model) -> (batch, query, d_model)
        memory is what keys and values are computed from: the same sequence in self-attention, the encoder's output in
        cross-attention.
    """

    def __init__(self, d_model: int, n_heads: int, bias: bool, dropout: float, score: str = "scaled_dot"):
        super().__init__()
        self.n_heads = n_heads
        self.scale = 1.0 if score == "dot" else None
        self.score: AdditiveScore | ConcatLinearScore | None = None
        if score in _SCORES:
            self.score = _SCORES[score](d_model // n_heads)  # one for all heads
        self.w_q = Linear(d_model, d_model, bias)
        self.w_k = Linear(d_model, d_model, bias)
        self.w_v = Linear(d_model, d_model, bias)
        self.w_o = Linear(d_model, d_model, bias)
        self.dropout = Dropout(dropout)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor | None = None, trace: Tracer = NO_TRACE) -> Tensor:
        return self.attend(self.queries(query, trace), *self.keys_and_values(memory, trace), mask, trace)

    def queries(self, x: Tensor, trace: Tracer = NO_TRACE) -> Tensor:
        """Shape: (batch, query, d_model) -> (batch, head, query, d_k)"""
        return trace("q", self._split(self.w_q(x)), "batch head query d_k")

    def keys_and_values(self, memory: Tensor, trace: Tracer = NO_TRACE) -> tuple[Tensor, Tensor]:
        """Shape: (batch, key, d_model) -> twice (batch, head, key, d_k)"""
        k = trace("k", self._split(self.w_k(memory)), "batch head key d_k")
        v = trace("v", self._split(self.w_v(memory)), "batch head key d_v")
        return k, v

    def attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, trace: Tracer = NO_TRACE) -> Tensor:
        """All heads' attention, joined. Shape: (batch, head, query or key, d_k) -> (batch, query, d_model)"""
        context = attention(q, k, v, mask, self.dropout, trace, scale=self.scale, score=self.score)
        concat = trace("concat", context.transpose(1, 2).flatten(2), "batch query d_model")
        return trace("output", self.w_o(concat), "batch query d_model")

    def _split(self, x: Tensor) -> Tensor:
        """(batch, length, d_model) -> (batch, head, length, d_k): first split the last axis, then transpose."""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
