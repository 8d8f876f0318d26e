"""Attention in numbers: how widely a head spreads its attention, how far it looks, and at what. Numpy in and out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F

from transformer_core.model.scores import AdditiveScore, ConcatLinearScore, Score


def entropy(weights: np.ndarray) -> np.ndarray:
    """The entropy of each head's attention in bits, averaged over its queries: 0 is one key, log2(keys) is uniform.

    Shape: (head, query, key) -> (head,)
    """
    logs = np.log2(np.where(weights > 0, weights, 1.0))
    bits: np.ndarray = -(weights * logs).sum(axis=-1).mean(axis=-1)
    return bits


def mean_distance(weights: np.ndarray) -> np.ndarray:
    """The mean distance from query to key, in positions, weighted by attention and averaged over the queries.

    Shape: (head, query, key) -> (head,)
    """
    queries, keys = np.ogrid[: weights.shape[1], : weights.shape[2]]
    distance: np.ndarray = (weights * np.abs(queries - keys)).sum(axis=-1).mean(axis=-1)
    return distance


def token_kind(token: str) -> str:
    """The kind of a token, judged by its characters: "special" (<pad>, <start>...), "number", "sign" or "word"."""
    if len(token) > 2 and token[0] == "<" and token[-1] == ">":
        return "special"
    return "number" if token.isdigit() else "word" if any(letter.isalnum() for letter in token) else "sign"


def relations(
    query_ids: Sequence[int], key_ids: Sequence[int], tokens: Sequence[str], pad_id: int, same_sequence: bool
) -> dict[str, np.ndarray]:
    """The relations of keys to queries: by position, by word, and by kind of token.

    Args:
        tokens: the vocabulary, by id.
        same_sequence: self-attention. A token then does not count as its own repetition; across sequences every equal id does.

    Returns:
        "same place", "place before", "place after", "first", "same word", "padding", and "special", "number", "sign", "word"
        as in `token_kind`, without padding; each (query, key) booleans.
    """
    queries, keys = np.ogrid[: len(query_ids), : len(key_ids)]
    everywhere = np.ones((len(query_ids), len(key_ids)), dtype=bool)
    ids = np.asarray(key_ids)
    kinds, padding = np.array([token_kind(tokens[i]) for i in key_ids]), ids == pad_id
    equal = np.asarray(query_ids)[:, None] == ids
    by_place = {
        "same place": queries == keys,
        "place before": keys == queries - 1,
        "place after": keys == queries + 1,
        "first": (keys == 0) & everywhere,
        "same word": equal & (queries != keys) & ~padding if same_sequence else equal & ~padding,
        "padding": padding & everywhere,
    }
    return by_place | {kind: (kinds == kind) & ~padding & everywhere for kind in ("special", "number", "sign", "word")}


def mean_attention_to(weights: np.ndarray, related: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The share of its attention that each head gives to related keys, averaged over the queries that may attend to such a
    key; NaN where no query may.

    Shape: weights (head, query, key), related and allowed (query, key) booleans -> (head,)
    """
    asks = (related & allowed).any(axis=-1)
    if not asks.any():
        return np.full(len(weights), np.nan)
    share: np.ndarray = (weights * related).sum(axis=-1)[:, asks].mean(axis=-1)
    return share


def attention_ahead(weights: np.ndarray) -> np.ndarray:
    """The share of its attention that each head gives to keys behind the query's own place, averaged over the queries.

    Shape: (head, query, key) -> (head,)
    """
    share: np.ndarray = np.triu(weights, 1).sum(axis=(1, 2)) / weights.shape[1]
    return share


def attention_to_next(weights: np.ndarray) -> float:
    """The share of attention on what comes next in a source that is to be repeated, averaged over heads and queries.

    Shape: (head, query, key): query i is to predict what stands in place i + 1, and there is such a place for each.
    """
    places = np.arange(weights.shape[1])
    return float(weights[:, places, places + 1].mean())


def first_aligned(weights: np.ndarray, places: np.ndarray, least: float = 0.5) -> tuple[int, int] | None:
    """The first moment at which a head gives at least the share `least` of its attention to the given places, on average over
    the queries that have one, and the head that gives the most then. None where that never happens.

    Shape: weights (moment, head, query, key), places (query, key) booleans -> (moment, head)
    """
    moments, heads = weights.shape[:2]
    everywhere = np.ones_like(places)
    shares = mean_attention_to(weights.reshape(-1, *places.shape).astype(np.float32), places, everywhere).reshape(
        moments, heads
    )
    aligned = np.flatnonzero((shares >= least).any(axis=1))
    return (int(aligned[0]), int(shares[aligned[0]].argmax())) if len(aligned) else None


def even_weights(allowed: np.ndarray) -> np.ndarray:
    """Uniform attention over the allowed keys: the baseline that heads are compared with.

    Shape: (query, key) booleans -> (1, query, key)
    """
    weights: np.ndarray = allowed / np.maximum(allowed.sum(axis=-1, keepdims=True), 1)
    return weights[None]


@dataclass(frozen=True)
class ScoreTerms:
    """The terms whose sums are a head's scores, before any scaling: one term per dimension for each pair of tokens.

    `join` says how a number of the query and one of the key become a term: "times" left · right, "tanh"
    tanh(left + right), "plus" left + right. `rest` is added to every sum.

    Shape: left (query, d_k), right (key, d_k)
    """

    join: Literal["times", "tanh", "plus"]
    left: np.ndarray
    right: np.ndarray
    rest: float = 0.0


@torch.inference_mode()
def score_terms(q: np.ndarray, k: np.ndarray, score: Score | None = None) -> ScoreTerms:
    """The terms of q · k (section 3.2.1), or of the `score` of a MultiHeadAttention.

    Shape: q (query, d_k), k (key, d_k)
    """
    if not isinstance(score, (AdditiveScore, ConcatLinearScore)):
        return ScoreTerms("times", q, k)
    queries, keys = (torch.from_numpy(np.array(x)) for x in (q, k))
    for_q, for_k = score.w.weight.chunk(2, dim=1)
    if isinstance(score, AdditiveScore):
        return ScoreTerms("tanh", F.linear(queries, for_q).numpy(), F.linear(keys, for_k, score.w.bias).numpy())
    return ScoreTerms("plus", (queries * for_q).numpy(), (keys * for_k).numpy(), float(score.w.bias))
