"""Four scoring functions on the same queries and keys (section 3.2.1 and the work it compares with)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from transformer_core.errors import InputError
from transformer_core.model.attention import attention
from transformer_core.model.config import CHOICES
from transformer_core.model.initialisation import draw_weights, uninitialised
from transformer_core.model.scores import make_score
from transformer_core.model.trace import Trace

SCORES = CHOICES["score"]


@dataclass(frozen=True)
class Scoring:
    """One head under one scoring function. Shape: scores, weights (query, key); scores are those before the mask."""

    scores: np.ndarray
    weights: np.ndarray


def drawn_score(name: str, d_k: int, seed: int) -> nn.Module | None:
    """The extra matrices of "additive" and "concat_linear", drawn with a seed (Xavier uniform; biases 0); None for scores that
    need none.

    Raises:
        InputError: for a name that is not one of SCORES.
    """
    if name not in SCORES:
        raise InputError("score must be one of {choices}, not {value}", choices=", ".join(SCORES), value=repr(name))
    if name in ("scaled_dot", "dot"):
        return None
    with uninitialised():
        score = make_score(name, d_k)
    assert isinstance(score, nn.Module)
    draw_weights(score, torch.Generator().manual_seed(seed))
    return score.eval()


@torch.inference_mode()
def score_head(
    q: np.ndarray,
    k: np.ndarray,
    allowed: np.ndarray,
    name: str,
    score: nn.Module | None = None,
    penalties: np.ndarray | None = None,
) -> Scoring:
    """One head through the model's own `attention`, scored by `name`; `score` holds the extra matrices, if any.

    Shape: q (query, d_k), k (key, d_k), allowed (query, key) booleans, True = may attend; penalties (query, key) of ALiBi
    """
    queries, keys = (torch.from_numpy(np.array(x, dtype=np.float32))[None, None] for x in (q, k))
    mask = torch.from_numpy(np.array(allowed))[None, None]
    added = None if penalties is None else torch.from_numpy(np.array(penalties))[None]
    with Trace() as trace:
        attention(queries, keys, keys, mask, score=score or make_score(name, q.shape[1]), penalties=added)
    return Scoring(*(trace[stage][0, 0].numpy() for stage in ("scores", "weights")))


def scorings(
    q: np.ndarray,
    k: np.ndarray,
    allowed: np.ndarray,
    seed: int,
    own: Mapping[str, nn.Module] | None = None,
    penalties: np.ndarray | None = None,
) -> dict[str, Scoring]:
    """The same head under each of SCORES. `own` holds the extra matrices that exist already, by name; the others are drawn.

    Shape: q (query, d_k), k (key, d_k), allowed (query, key) booleans, True = may attend; penalties (query, key) of ALiBi
    """
    extra = {name: drawn_score(name, q.shape[-1], seed) for name in SCORES} | dict(own or {})
    return {name: score_head(q, k, allowed, name, extra[name], penalties) for name in SCORES}


def total_variation(weights: np.ndarray, others: np.ndarray) -> float:
    """Total variation distance of two weight matrices, averaged over the queries: half the sum of |a - b| of a row.

    Shape: (query, key), (query, key)
    """
    return float(0.5 * np.abs(weights.astype(np.float64) - others).sum(axis=-1).mean())


def row_difference(weights: np.ndarray, allowed: np.ndarray) -> float:
    """The largest difference between two rows of weights: 0 where all queries have the same weights.

    Two queries are compared on the keys that both may attend to, with each row's weights there normalised to a sum of 1: the
    rows of a causal mask differ in their keys, and this must not count as a difference.

    Shape: weights (query, key), allowed (query, key) booleans
    """
    largest = 0.0
    weights = weights.astype(np.float64)
    for i in range(1, len(weights)):
        both = allowed[i] & allowed[:i]  # (i, key): the keys that query i and each earlier one may attend to
        one, other = weights[i] * both, weights[:i] * both
        sums = one.sum(axis=-1, keepdims=True), other.sum(axis=-1, keepdims=True)
        seen = (sums[0] > 0) & (sums[1] > 0)
        gap = np.where(seen, np.abs(one / np.where(seen, sums[0], 1) - other / np.where(seen, sums[1], 1)), 0.0)
        largest = max(largest, float(gap.max()))
    return largest
