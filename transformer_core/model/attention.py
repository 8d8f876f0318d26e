"""Attention: compare a query with every key, turn the scores into weights, average the values by them.

`@fused` has torch's fused kernel compute the same, without storing the weights, where it can and is faster; never while a stage
is recorded or edited, or weights are dropped (kernels.py). In all other cases the lines below are what runs.
"""

import torch
from torch import Tensor, nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.dropout import Dropout
from transformer_core.model.initialisation import Linear
from transformer_core.model.kernels import fused, masked_softmax
from transformer_core.model.relative_position import DistancePenalty, Rotation
from transformer_core.model.scores import Score, make_score, scaled_dot
from transformer_core.model.trace import stage


@fused  # while no stage is recorded, torch's kernel computes the same faster
def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    dropout: Dropout | None = None,
    score: Score = scaled_dot,
    penalties: Tensor | None = None,
) -> Tensor:
    """Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V (section 3.2.1, equation 1).

    A query that may attend to no key at all gets weights of 0 and a context of 0: there is nothing to average. (With a plain
    softmax, masking with -inf would give NaN, and with a large negative number a uniform row that looks like real attention.)

    Shape: q (batch, head, query, d_k), k (batch, head, key, d_k), v (batch, head, key, d_v),
        mask boolean, True = may attend, broadcastable to (batch, head, query, key), penalties (head, query, key), added to the
        scores -> (batch, head, query, d_v)
    """
    scores = score(q, k) if penalties is None else score(q, k) + penalties
    scores = stage("scores", scores)  # `stage` returns what it is given, and lets a `Trace` record it
    masked = scores if mask is None else scores + torch.where(mask, 0.0, float("-inf"))
    masked = stage("masked_scores", masked)
    weights = stage("weights", masked_softmax(masked))  # recorded before dropout, so that each row adds up to 1
    if dropout is not None:
        weights = dropout(weights)
    return stage("context", weights @ v)


class MultiHeadAttention(nn.Module):
    """n_heads attentions in parallel, each on its own d_model/n_heads dimensions (section 3.2.2, figure 2 right).

    Shape: query (batch, query, d_model), memory (batch, key, d_model) -> (batch, query, d_model)
        memory is what keys and values are computed from: the same sequence in self-attention, the encoder's output in
        cross-attention. `first` is the position of the first query or key, where earlier ones have been computed before.

    Args:
        knows_positions: whether the positions of a configuration that has them in attention count in this one.
    """

    def __init__(self, cfg: TransformerConfig, knows_positions: bool = True):
        super().__init__()
        position = cfg.position if knows_positions else "none"
        self.rotation = Rotation(cfg) if position == "rotary" else None
        self.penalty = DistancePenalty(cfg) if position == "alibi" else None
        self.n_heads = cfg.n_heads
        self.score = make_score(cfg.score, cfg.d_k)  # one for all heads
        self.w_q = Linear(cfg.d_model, cfg.d_model, cfg.attention_bias)
        self.w_k = Linear(cfg.d_model, cfg.d_model, cfg.attention_bias)
        self.w_v = Linear(cfg.d_model, cfg.d_model, cfg.attention_bias)
        self.w_o = Linear(cfg.d_model, cfg.d_model, cfg.attention_bias)
        self.dropout = Dropout(cfg.dropout)

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.attend(self.queries(query), *self.keys_and_values(memory), mask)

    def queries(self, x: Tensor, first: int = 0) -> Tensor:
        """Shape: (batch, query, d_model) -> (batch, head, query, d_k)"""
        q = self._split(self.w_q(x))
        return stage("q", q if self.rotation is None else self.rotation(stage("unrotated_q", q), first))

    def keys_and_values(self, memory: Tensor, first: int = 0) -> tuple[Tensor, Tensor]:
        """Shape: (batch, key, d_model) -> twice (batch, head, key, d_k)"""
        k = self._split(self.w_k(memory))
        k = stage("k", k if self.rotation is None else self.rotation(stage("unrotated_k", k), first))
        v = stage("v", self._split(self.w_v(memory)))
        return k, v

    def attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, first: int = 0) -> Tensor:
        """All heads' attention, joined. Shape: (batch, head, query or key, d_k) -> (batch, query, d_model)"""
        penalties = None if self.penalty is None else stage("penalties", self.penalty(q.size(-2), k.size(-2), first))
        context = attention(q, k, v, mask, self.dropout, self.score, penalties)
        concat = stage("concat", context.transpose(1, 2).flatten(2))
        return stage("output", self.w_o(concat))

    def _split(self, x: Tensor) -> Tensor:
        """Shape: (batch, length, d_model) -> (batch, head, length, d_k)"""
        heads: Tensor = x.unflatten(-1, (self.n_heads, -1))  # (batch, length, head, d_k)
        return heads.transpose(1, 2)  # (batch, head, length, d_k)
