"""One attention of one layer on one pair of sequences: its weights, what the mask allows, and its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from transformer_core.model.stages import ATTENTION_KINDS, AttentionKind, attention_path


class Stages(Protocol):
    """Recorded tensors of one forward pass by name, without the batch axis unless a function says otherwise."""

    def __getitem__(self, name: str, /) -> np.ndarray: ...


class Link(NamedTuple):
    """The share of its attention that one query gives to one key; both are positions."""

    query: int
    key: int
    weight: float


def token_labels(tokens: Sequence[str]) -> list[str]:
    """Position and token: `3 the`, `3 · 8`. The position distinguishes equal tokens."""
    return [f"{i} · {token}" if token.isdigit() else f"{i} {token}" for i, token in enumerate(tokens)]


def allowed_pairs(masked_scores: np.ndarray) -> np.ndarray:
    """The mask, read from masked scores (-inf is masked): what some head may attend to. It is the same for every head, unless
    links were cut in single ones.

    Shape: (head, query, key) -> (query, key) booleans, True = may attend
    """
    allowed: np.ndarray = np.isfinite(masked_scores).any(axis=0)
    return allowed


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The data of a picture of attention. Where weights change in training, each step has a map of its own.

    Shape: weights (head, query, key), each row adding up to 1, or to 0 where a query may attend to nothing;
        allowed (query, key) booleans, True = may attend

    Attributes:
        layer: counted from 0.
        next_tokens: of a decoder's queries: what is to be written after each; none where the queries are the encoder's, or
            that is not known.

    Raises:
        ValueError: for weights, a mask and tokens that do not fit together.
    """

    kind: AttentionKind
    layer: int
    weights: np.ndarray
    allowed: np.ndarray
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    next_tokens: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ATTENTION_KINDS or self.layer < 0:
            raise ValueError(f"there is no attention of the kind {self.kind!r} in a layer {self.layer}")
        pairs = len(self.query_tokens), len(self.key_tokens)
        if self.weights.ndim != 3 or self.weights.shape[1:] != pairs:
            raise ValueError(f"weights {self.weights.shape} do not fit {pairs[0]} query tokens and {pairs[1]} key tokens")
        if self.allowed.shape != pairs or self.allowed.dtype != np.bool_:
            mask = f"{self.allowed.shape} of {self.allowed.dtype}"
            raise ValueError(f"a mask {mask} does not fit {pairs[0]} query tokens and {pairs[1]} key tokens")
        if self.next_tokens and len(self.next_tokens) != len(self.query_tokens):
            raise ValueError(f"{len(self.query_tokens)} query tokens are not followed by {len(self.next_tokens)} others")

    @classmethod
    def from_stages(
        cls,
        stages: Stages,
        kind: AttentionKind,
        layer: int,
        src_tokens: Sequence[str],
        tgt_tokens: Sequence[str],
        labels: Sequence[str] = (),
    ) -> "AttentionMap":
        """The attention that a forward pass recorded.

        Args:
            src_tokens, tgt_tokens: the source's, and those of the decoder's input, padding included.
            labels: what is to be written after each of the latter.
        """
        path = attention_path(kind, layer)
        return cls(
            kind,
            layer,
            stages[path.stage("weights")],
            allowed_pairs(stages[path.stage("masked_scores")]),
            tuple(src_tokens if kind == "encoder" else tgt_tokens),
            tuple(tgt_tokens if kind == "decoder" else src_tokens),
            () if kind == "encoder" else tuple(labels),
        )

    @property
    def n_heads(self) -> int:
        return len(self.weights)

    @property
    def query_names(self) -> list[str]:
        """A decoder's query by both of its words, the one it has read and the one to be written: `le → chat`."""
        return self._with_next(self.query_tokens)

    @property
    def query_labels(self) -> list[str]:
        """The same with their positions: `3 le → chat`."""
        return self._with_next(token_labels(self.query_tokens))

    def _with_next(self, read: Sequence[str]) -> list[str]:
        if not self.next_tokens:
            return list(read)
        return [f"{each} → {next_token}" for each, next_token in zip(read, self.next_tokens, strict=True)]

    @property
    def key_labels(self) -> list[str]:
        return token_labels(self.key_tokens)

    @property
    def max_entropy(self) -> float:
        """The entropy of uniform attention over the allowed keys, in bits, averaged over the queries."""
        return float(np.log2(np.maximum(self.allowed.sum(axis=1), 1)).mean())

    def mean(self) -> np.ndarray:
        """The mean over the heads. Shape: -> (query, key)"""
        mean: np.ndarray = self.weights.mean(axis=0)
        return mean

    def strongest(self, head: int) -> Link:
        """The largest weight of a head; the first of equal ones."""
        query, key = map(int, np.unravel_index(self.weights[head].argmax(), self.allowed.shape))
        return Link(query, key, float(self.weights[head, query, key]))
