"""Readings taken from recorded tensors: what a picture shows, as numbers. All on numpy arrays of one sequence pair."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F

from transformer_core.attention import AdditiveScore, ConcatLinearScore, attention
from transformer_core.embedding import sinusoidal_encoding, wavelengths
from transformer_core.masks import causal_mask, padding_mask
from transformer_core.trace import Trace
from transformer_core.transformer import Transformer


def norms(vectors: np.ndarray) -> np.ndarray:
    """Euclidean lengths. Shape: (token, d_model) -> (token,)"""
    return np.linalg.norm(vectors, axis=-1)


@torch.inference_mode()
def embedded(model: Transformer, ids: Sequence[int]) -> dict[str, np.ndarray]:
    """What the encoder's embedding makes of token ids: "tokens", "scaled", "positions" (where it has them), "sum".

    Shape: each (len(ids), d_model)

    Raises:
        ValueError: for an id outside the vocabulary, or more ids than positions.
    """
    trace = Trace()
    model.src_embedding(torch.tensor([list(ids)]), "src", trace)
    return {name: stage.value.numpy().reshape(len(ids), -1) for name, stage in trace.stages.items() if stage.value is not None}


def encoding(length: int, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """`sinusoidal_encoding` as an array. Shape: -> (length, d_model)"""
    return sinusoidal_encoding(length, d_model, base).numpy()


def wave_lengths(d_model: int, base: float = 10_000.0) -> np.ndarray:
    """`wavelengths` as an array, in positions. Shape: -> (ceil(d_model / 2),)"""
    return wavelengths(d_model, base).numpy()


def similarity(vectors: np.ndarray) -> np.ndarray:
    """Cosine of the angle between every two vectors; not a number for one of length 0, which points nowhere.

    Shape: (n, d) -> (n, n)
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit = vectors / np.where(lengths > 0, lengths, np.nan)
    return unit @ unit.T


def binary_digits(numbers: int, digits: int) -> np.ndarray:
    """0, 1, 2... in binary, the ones last. Shape: -> (numbers, digits)"""
    return (np.arange(numbers)[:, None] >> np.arange(digits)[::-1]) & 1


def entropy(weights: np.ndarray) -> np.ndarray:
    """How widely a head looks, in bits, averaged over its queries: 0 is one token only, log2(keys) all alike.

    Shape: (head, query, key) -> (head,)
    """
    logs = np.log2(np.where(weights > 0, weights, 1.0))
    return -(weights * logs).sum(axis=-1).mean(axis=-1)


def mean_distance(weights: np.ndarray) -> np.ndarray:
    """How far away a head looks, in positions, averaged over its queries.

    Shape: (head, query, key) -> (head,)
    """
    queries, keys = np.ogrid[: weights.shape[1], : weights.shape[2]]
    return (weights * np.abs(queries - keys)).sum(axis=-1).mean(axis=-1)


def token_kind(token: str) -> str:
    """What a token is, by its look: "special" (<pad>, <start>...), "number", "sign" or "word"."""
    if len(token) > 2 and token[0] == "<" and token[-1] == ">":
        return "special"
    return "number" if token.isdigit() else "word" if any(letter.isalnum() for letter in token) else "sign"


def relations(
    query_ids: Sequence[int], key_ids: Sequence[int], tokens: Sequence[str], pad_id: int, same_sequence: bool
) -> dict[str, np.ndarray]:
    """Which keys stand in which relation to which query, by place, by word and by kind of token.

    Args:
        tokens: the vocabulary, that an id looks its token up in.
        same_sequence: self-attention. A token is then not counted as a repetition of itself; across sequences any equal id is.

    Returns:
        "same place", "place before", "place after", "first", "same word", "padding", and "special", "number", "sign", "word"
        as `token_kind` says, padding left out; each (query, key) booleans.
    """
    queries, keys = np.ogrid[: len(query_ids), : len(key_ids)]
    everywhere = np.ones((len(query_ids), len(key_ids)), dtype=bool)
    ids = np.asarray(key_ids)
    kinds, padding = np.array([token_kind(tokens[i]) for i in key_ids]), ids == pad_id
    equal = np.asarray(query_ids)[:, None] == ids
    found = {
        "same place": queries == keys,
        "place before": keys == queries - 1,
        "place after": keys == queries + 1,
        "first": (keys == 0) & everywhere,
        "same word": equal & (queries != keys) & ~padding if same_sequence else equal & ~padding,
        "padding": padding & everywhere,
    }
    return found | {kind: (kinds == kind) & ~padding & everywhere for kind in ("special", "number", "sign", "word")}


def attended(weights: np.ndarray, related: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The share of its attention that each head gives to related keys, averaged over the queries that may see such a key;
    NaN where no query may.

    Shape: weights (head, query, key), related and allowed (query, key) booleans -> (head,)
    """
    asks = (related & allowed).any(axis=-1)
    if not asks.any():
        return np.full(len(weights), np.nan)
    return (weights * related).sum(axis=-1)[:, asks].mean(axis=-1)


def first_pointing(weights: np.ndarray, places: np.ndarray, least: float = 0.5) -> tuple[int, int] | None:
    """The first moment at which a head gives at least the share `least` of its attention to the places named, on average over
    the queries that have one; and which head, the one that gives most then. None where it never happens.

    Shape: weights (moment, head, query, key), places (query, key) booleans -> (moment, head)
    """
    moments, heads = weights.shape[:2]
    everywhere = np.ones_like(places)
    shares = attended(weights.reshape(-1, *places.shape).astype(np.float32), places, everywhere).reshape(moments, heads)
    found = np.flatnonzero((shares >= least).any(axis=1))
    return (int(found[0]), int(shares[found[0]].argmax())) if len(found) else None


def even_weights(allowed: np.ndarray) -> np.ndarray:
    """The weights of a head that looks at all it may see alike: what a head's readings are compared with.

    Shape: (query, key) booleans -> (1, query, key)
    """
    return (allowed / np.maximum(allowed.sum(axis=-1, keepdims=True), 1))[None]


@dataclass(frozen=True)
class ScoreTerms:
    """What a head's scores are sums of, before anything is divided: one term per dimension for each pair of tokens.

    `join` says how a number of the query's side and one of the key's become a term: "times" left · right, "tanh"
    tanh(left + right), "plus" left + right. `rest` is added to every sum.

    Shape: left (query, d_k), right (key, d_k)
    """

    join: Literal["times", "tanh", "plus"]
    left: np.ndarray
    right: np.ndarray
    rest: float = 0.0


@torch.inference_mode()
def score_terms(q: np.ndarray, k: np.ndarray, score: AdditiveScore | ConcatLinearScore | None = None) -> ScoreTerms:
    """The terms behind q · k (section 3.2.1), or behind what `score` of a MultiHeadAttention makes of the two.

    Shape: q (query, d_k), k (key, d_k)
    """
    if score is None:
        return ScoreTerms("times", q, k)
    queries, keys = (torch.from_numpy(np.array(x)) for x in (q, k))
    for_q, for_k = score.w.weight.chunk(2, dim=1)
    if isinstance(score, AdditiveScore):
        return ScoreTerms("tanh", F.linear(queries, for_q).numpy(), F.linear(keys, for_k, score.w.bias).numpy())
    return ScoreTerms("plus", (queries * for_q).numpy(), (keys * for_k).numpy(), float(score.w.bias))


@dataclass(frozen=True)
class Blocked:
    """One query under one way to block keys. `masked` is None where the kernel does not say what it works with.

    Shape: each (key,)
    """

    masked: np.ndarray | None
    weights: np.ndarray


def ways_to_block(scores: Sequence[float] | np.ndarray, allowed: Sequence[bool] | np.ndarray) -> dict[str, Blocked]:
    """The usual ways to block keys, and what each makes of the same scores of one query (section 3.2.3).

    Shape: scores, allowed (key,), True = may attend
    """
    row = torch.tensor(np.asarray(scores), dtype=torch.float32)
    mask = torch.tensor(np.asarray(allowed), dtype=torch.bool)
    # With the identity as values, the context is the weights; with the scores as one query's products with unit keys.
    q = (row * math.sqrt(len(row)))[None, None, None]
    identity = torch.eye(len(row))[None, None]
    large, infinite = (row.masked_fill(~mask, value) for value in (-1e9, float("-inf")))
    fused = F.scaled_dot_product_attention(q, identity, identity, attn_mask=mask[None, None, None])
    trace = Trace()
    own = attention(q, identity, identity, mask[None, None, None], trace=trace)
    return {
        "−1e9": Blocked(large.numpy(), large.softmax(dim=-1).numpy()),
        "−inf": Blocked(infinite.numpy(), infinite.softmax(dim=-1).numpy()),
        "fused": Blocked(None, fused[0, 0, 0].numpy()),
        "this model": Blocked(trace["masked_scores"][0, 0, 0].numpy(), own[0, 0, 0].numpy()),
    }


def blocked_row(scores: Sequence[float] | np.ndarray) -> dict[str, np.ndarray]:
    """The weights of a query that may see nothing, under the usual ways to block.

    Shape: scores (key,) -> each (key,)
    """
    return {name: way.weights for name, way in ways_to_block(scores, np.zeros(len(scores), dtype=bool)).items()}


def mask_tiles(src: Sequence[int], tgt: Sequence[int], pad_id: int, causal: bool) -> dict[str, np.ndarray]:
    """The masks of one pair of sequences, spread out to (query, key) so that they can be drawn.

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


def lower_triangle(size: int) -> np.ndarray:
    """The causal mask as the model builds it, as 0 and 1: row i may see columns 0 to i. Shape: -> (size, size)"""
    return causal_mask(size)[0, 0].numpy().astype(np.int64)


def upper_triangle(rows: int, columns: int, k: int) -> np.ndarray:
    """torch's `triu` of a matrix of ones: 1 on and above the k-th diagonal. Shape: -> (rows, columns)"""
    return torch.ones(rows, columns).triu(k).numpy()
