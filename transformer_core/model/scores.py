"""Ways to compare a query with a key (section 3.2.1).

Shape of each: q (batch, head, query, d_k), k (batch, head, key, d_k) -> (batch, head, query, key)
"""

import math
from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.initialisation import Linear
from transformer_core.model.trace import stage

Score = Callable[[Tensor, Tensor], Tensor]  # of queries and keys


def scaled_dot(q: Tensor, k: Tensor) -> Tensor:
    """q · k / √d_k"""
    products = stage("products", q @ k.mT)
    return products / math.sqrt(q.size(-1))


def dot(q: Tensor, k: Tensor) -> Tensor:
    """q · k"""
    return stage("products", q @ k.mT)


class AdditiveScore(nn.Module):
    """The sum over all dimensions of tanh(W [q; k] + b): a small network compares q and k (Bahdanau et al., 2015).

    W is split into one half for q and one for k, so that each is applied once per token, not once per pair.
    """

    def __init__(self, d_k: int):
        super().__init__()
        self.w = Linear(2 * d_k, d_k)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        for_q, for_k = self.w.weight.chunk(2, dim=1)
        pairs = F.linear(q, for_q).unsqueeze(3) + F.linear(k, for_k, self.w.bias).unsqueeze(2)  # (batch, head, query, key, d_k)
        return pairs.tanh().sum(dim=-1)


class ConcatLinearScore(nn.Module):
    """w · [q; k] + b. A query adds the same number to all its scores, and the softmax cancels it: it has no influence."""

    def __init__(self, d_k: int):
        super().__init__()
        self.w = Linear(2 * d_k, 1)

    def forward(self, q: Tensor, k: Tensor) -> Tensor:
        for_q, for_k = self.w.weight.chunk(2, dim=1)
        return F.linear(q, for_q) + F.linear(k, for_k, self.w.bias).mT


def make_score(name: str, d_k: int) -> Score:
    """The function that `TransformerConfig.score` names, or the module, where it has weights of its own."""
    match name:
        case "additive":
            return AdditiveScore(d_k)
        case "concat_linear":
            return ConcatLinearScore(d_k)
    return {"scaled_dot": scaled_dot, "dot": dot}[name]
