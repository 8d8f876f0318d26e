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
        gradient: per divisor, the size (Frobenius norm) of ∂weights/∂q, what a query learns from: the median of the queries.

    Shape: each (width,)
    """

    widths: np.ndarray
    variance: np.ndarray
    entropy: dict[str, np.ndarray]
    gradient: dict[str, np.ndarray]


def divisor(name: str, d_k: int) -> float:
    """The divisor of the scores: one of DIVISORS."""
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
            queries=queries,
            keys=keys,
            widths=str(list(widths)),
        )
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(queries, 1, max(widths), generator=generator)
    k = torch.randn(queries, keys, max(widths), generator=generator)
    variance = []
    entropy: dict[str, list[float]] = {name: [] for name in DIVISORS}
    gradient: dict[str, list[float]] = {name: [] for name in DIVISORS}
    for d_k in widths:
        keys_of = k[..., :d_k]
        products = (q[..., :d_k] @ keys_of.mT)[:, 0].double()  # (query, key)
        between = (keys_of @ keys_of.mT).double().numpy()  # (query, key, key)
        variance.append(float(products.var(correction=0)))
        for name in DIVISORS:
            weights = (products / divisor(name, d_k)).softmax(dim=-1).numpy()
            entropy[name].append(float(entropy_of(weights[None])[0]))
            gradient[name].append(float(np.median(query_gradient(weights, between)) / divisor(name, d_k)))
    return Scaling(np.array(widths), np.array(variance), *({n: np.array(v) for n, v in d.items()} for d in (entropy, gradient)))


def query_gradient(weights: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Frobenius norm of ∂weights/∂q, times the divisor: row j of that matrix is w_j (k_j - Σ w k).

    Shape: weights (..., key), `between`, the products of the keys with one another, (..., key, key) -> (...)
    """
    with_mean = (between @ weights[..., None])[..., 0]  # k_j · Σ w k
    mean = (weights * with_mean).sum(axis=-1, keepdims=True)
    distances = np.diagonal(between, axis1=-2, axis2=-1) - 2 * with_mean + mean  # |k_j - Σ w k|²
    norms: np.ndarray = np.sqrt((weights**2 * np.maximum(distances, 0.0)).sum(axis=-1))
    return norms


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
    keys, d_k = k.astype(np.float64), q.shape[-1]
    products = q.astype(np.float64) @ keys.T
    sees = allowed.any(axis=-1)
    pairs = products[allowed] if sees.any() else np.zeros(1)
    entropy, gradient = {}, {}
    for name in DIVISORS:
        scores = np.where(allowed, products / divisor(name, d_k), -np.inf)[sees]
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=np.finfo(np.float64).min))
        weights = powers / powers.sum(axis=-1, keepdims=True)
        entropy[name] = float(entropy_of(weights[None])[0]) if sees.any() else 0.0
        slopes = query_gradient(weights, keys @ keys.T) / divisor(name, d_k)
        gradient[name] = float(np.median(slopes)) if sees.any() else 0.0
    return HeadScale(float(q.var()), float(k.var()), float(pairs.var()), float(pairs.var() / d_k), entropy, gradient)
