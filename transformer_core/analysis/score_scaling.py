"""Why scores are divided by √d_k (section 3.2.1): what a head's width does to scores, weights and gradient."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from transformer_core.analysis.attention_metrics import entropy as entropy_of
from transformer_core.errors import InputError

DIVISORS = ("1", "√d_k", "d_k")


@dataclass(frozen=True)
class Scaling:
    """One measurement per width.

    Attributes:
        widths: d_k of each measurement.
        variance: of q·k over all queries and keys.
        entropy: per divisor, of the weights, in bits, averaged over the queries.
        gradient: per divisor, the size (Frobenius norm) of the softmax's Jacobian ∂weights/∂scores, averaged over the queries.

    Shape: each (width,)
    """

    widths: np.ndarray
    variance: np.ndarray
    entropy: dict[str, np.ndarray]
    gradient: dict[str, np.ndarray]


def divisor(name: str, d_k: int) -> float:
    """What the scores are divided by: one of DIVISORS."""
    return {"1": 1.0, "√d_k": math.sqrt(d_k), "d_k": float(d_k)}[name]


def scaling(widths: Sequence[int], keys: int, queries: int = 512, seed: int = 0) -> Scaling:
    """Random queries and keys with components of mean 0 and variance 1, each query with `keys` keys of its own.

    A narrower head takes the first components of the same vectors, so that only the width differs.

    Raises:
        InputError: for no widths, a width below 1, fewer than 2 keys or fewer than 1 query.
    """
    if not widths or min(widths) < 1 or keys < 2 or queries < 1:
        raise InputError(
            "choose at least 1 query, 2 keys and a width of 1; not {queries} queries, {keys} keys and the widths {widths}",
            queries=queries, keys=keys, widths=str(list(widths)),
        )  # fmt: skip
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(queries, 1, max(widths), generator=generator)
    k = torch.randn(queries, keys, max(widths), generator=generator)
    variance = []
    entropy: dict[str, list[float]] = {name: [] for name in DIVISORS}
    gradient: dict[str, list[float]] = {name: [] for name in DIVISORS}
    for d_k in widths:
        products = (q[..., :d_k] @ k[..., :d_k].mT)[:, 0].double()  # (query, key)
        variance.append(float(products.var(correction=0)))
        for name in DIVISORS:
            weights = (products / divisor(name, d_k)).softmax(dim=-1).numpy()
            entropy[name].append(float(entropy_of(weights[None])[0]))
            gradient[name].append(float(jacobian_norm(weights).mean()))
    return Scaling(np.array(widths), np.array(variance), *({n: np.array(v) for n, v in d.items()} for d in (entropy, gradient)))


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Frobenius norm of the softmax's Jacobian, diag(w) - w wᵀ, of each row: how strongly the weights respond to the scores.

    Shape: (..., key) -> (...)
    """
    squares, cubes = (weights**2).sum(axis=-1), (weights**3).sum(axis=-1)
    return np.sqrt(np.maximum(squares - 2 * cubes + squares**2, 0.0))  # Σ w²(1-w)² + Σ_{i≠j} w_i² w_j²


@dataclass(frozen=True)
class HeadScale:
    """The statistics of one head of a model.

    Attributes:
        q, k: variance of the components of its queries and keys (1 in the paper's argument).
        products, scores: variance of q·k, and of the same divided by √d_k.
        entropy, gradient: per divisor, as in `Scaling`, over the keys that each query may attend to.
    """

    q: float
    k: float
    products: float
    scores: float
    entropy: dict[str, float]
    gradient: dict[str, float]


def head_scale(q: np.ndarray, k: np.ndarray, allowed: np.ndarray) -> HeadScale:
    """The same measurements on a head of a model; only pairs that may attend count, and queries that have any.

    Shape: q (query, d_k), k (key, d_k), allowed (query, key) booleans, True = may attend
    """
    products, d_k = q.astype(np.float64) @ k.astype(np.float64).T, q.shape[-1]
    sees = allowed.any(axis=-1)
    pairs = products[allowed] if sees.any() else np.zeros(1)
    entropy, gradient = {}, {}
    for name in DIVISORS:
        scores = np.where(allowed, products / divisor(name, d_k), -np.inf)[sees]
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=np.finfo(np.float64).min))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        entropy[name] = float(entropy_of(weights[None])[0]) if sees.any() else 0.0
        gradient[name] = float(jacobian_norm(weights).mean()) if sees.any() else 0.0
    return HeadScale(float(q.var()), float(k.var()), float(pairs.var()), float(pairs.var() / d_k), entropy, gradient)
