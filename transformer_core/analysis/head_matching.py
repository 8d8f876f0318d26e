"""Heads of two models, matched by their patterns of attention.

The heads of two models that began from different random numbers have the same numbers, and nothing else in common. What can be
compared is where they attend to, on the same sentences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_core.analysis.alignment import head_weights
from transformer_core.data.batch import Batch
from transformer_core.model.stages import AttentionKind, attention_kinds
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

HeadRows = Mapping[AttentionKind, np.ndarray]  # (layer · head, row, key) of each kind
Likenesses = Mapping[AttentionKind, tuple[np.ndarray, int]]  # of each kind (head, other head), and over how many rows


@dataclass(frozen=True, eq=False)
class HeadMatch:
    """The heads of one kind of attention in two models of the same sizes, through all layers: those of layer 0 first.

    Attributes:
        to: (head,): the head of the other model that is matched with each; every one is taken once.
        alike: (head, head): the likeness of each head of the one, and each of the other, from 0 to 1, on sentences by which
            they were not matched.
        n_heads: of a layer.
    """

    to: np.ndarray
    alike: np.ndarray
    n_heads: int

    @property
    def matched(self) -> np.ndarray:
        """The likeness of each head and its match. Shape: -> (head,)"""
        matched: np.ndarray = self.alike[np.arange(len(self.to)), self.to]
        return matched

    @property
    def same_number(self) -> np.ndarray:
        """The likeness of heads of the same layer and number. Shape: -> (head,)"""
        same: np.ndarray = self.alike.diagonal()
        return same

    @property
    def other_numbers(self) -> np.ndarray:
        """The likeness of heads of the same layer and different numbers. Shape: -> (pair,), empty where layers have one head"""
        layer = np.arange(len(self.to)) // self.n_heads
        pairs = (layer[:, None] == layer) & ~np.eye(len(self.to), dtype=bool)
        others: np.ndarray = self.alike[pairs]
        return others

    @property
    def same_layer(self) -> np.ndarray:
        """True where each head's match is in the same layer. Shape: -> (head,) booleans"""
        same: np.ndarray = np.arange(len(self.to)) // self.n_heads == self.to // self.n_heads
        return same


@torch.no_grad()
def head_rows(model: Transformer, batch: Batch) -> dict[AttentionKind, np.ndarray]:
    """The attention of every head, row by row: of all queries that are no padding and may attend to two keys or more; with one
    key to choose, all heads do the same.

    Shape: -> (layer · head, row, key), float32, for each kind of attention that the model has
    """
    with Trace(only=["weights"]) as trace:
        model(batch.src, batch.tgt)
    pad = model.cfg.pad_id
    src_mask, tgt_mask = model.src_mask(batch.src), model.tgt_mask(batch.tgt)
    masks: dict[AttentionKind, tuple[Tensor, Tensor]] = {  # what may be attended to, and which queries are no padding
        "encoder": (src_mask, batch.src != pad),
        "decoder": (tgt_mask, batch.labels != pad),
        "cross": (src_mask, batch.labels != pad),
    }
    by_kind: dict[AttentionKind, np.ndarray] = {}
    for kind in attention_kinds(model.cfg):
        mask, real = masks[kind]
        asks = real & (mask[:, 0].sum(dim=-1) > 1)  # (batch, query)
        weights = head_weights(trace, kind, model.cfg.n_layers)
        by_kind[kind] = weights[:, :, asks].flatten(0, 1).numpy()
    return by_kind


def likeness(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The similarity of the rows of heads: 1 - the total variation distance of the two distributions, ½ ∑ |a - b|, averaged
    over the rows. 1: the same attention everywhere; 0: never to the same key.

    Shape: (head, row, key), (other head, row, key) -> (head, other head). NaN where there are no rows.
    """
    if one.shape[1:] != other.shape[1:]:
        raise ValueError(f"rows {one.shape[1:]} and {other.shape[1:]} cannot be compared")
    if not one.shape[1]:
        return np.full((len(one), len(other)), np.nan)
    far = [np.abs(head - other).sum(axis=-1, dtype=np.float64).mean(axis=-1) / 2 for head in one]
    return 1 - np.stack(far)


def best_match(alike: np.ndarray) -> np.ndarray:
    """For each row the column that it is given, so that each column is taken once and the sum is as large as can be (the
    Hungarian algorithm): one row after the other is given a column, and the cheapest chain of exchanges frees it where needed.

    Shape: (n, n) -> (n,)
    """
    n = len(alike)
    if alike.shape != (n, n):
        raise ValueError(f"{alike.shape} is no square")
    costs = np.nan_to_num(-np.asarray(alike, dtype=np.float64))
    row_price, column_price = np.zeros(n), np.zeros(n + 1)  # column n is a place to begin from
    taken_by = np.full(n + 1, -1)
    for row in range(n):
        taken_by[n], column = row, n
        left, before = (
            np.full(n, np.inf),
            np.full(n, n),
        )  # to each column: what the cheapest chain costs, and where it comes from
        done = np.zeros(n + 1, dtype=bool)
        while taken_by[column] >= 0:
            done[column], at = True, taken_by[column]
            through = costs[at] - row_price[at] - column_price[:n]
            closer = ~done[:n] & (through < left)
            left[closer], before[closer] = through[closer], column
            column = int(np.where(done[:n], np.inf, left).argmin())
            step = left[column]
            row_price[taken_by[done]] += step
            column_price[done] -= step
            left[~done[:n]] -= step
        while column != n:
            taken_by[column] = taken_by[before[column]]
            column = int(before[column])
    match = np.empty(n, dtype=int)
    match[taken_by[:n]] = np.arange(n)
    return match


def likenesses(one: HeadRows, other: HeadRows) -> dict[AttentionKind, tuple[np.ndarray, int]]:
    """The likeness of the heads of two models on some sentences, and over how many rows of attention it is a mean."""
    return {kind: (likeness(rows, other[kind]), rows.shape[1]) for kind, rows in one.items()}


def match_by(first: Sequence[Likenesses], second: Sequence[Likenesses], n_heads: int) -> dict[AttentionKind, HeadMatch]:
    """Each head of one model with a head of another: within a kind of attention, but through all its layers, so that the sum of
    their likenesses is as large as can be.

    Args:
        first, second: how alike the heads are on two lots of sentences, each looked at in parts. The first decides who is
            matched, the second tells how alike they are: what was alike by chance, and therefore matched, does not count.
        n_heads: of a layer.
    """
    matched_by, alike = _joined(first), _joined(second)
    return {kind: HeadMatch(best_match(likeness), alike[kind], n_heads) for kind, likeness in matched_by.items()}


def _joined(parts: Sequence[Likenesses]) -> dict[AttentionKind, np.ndarray]:
    """The means over the rows of all parts; NaN where there are none."""
    joined = {}
    for kind in parts[0]:
        there = [part[kind] for part in parts if part[kind][1]] or [parts[0][kind]]
        joined[kind] = there[0][0]
        if len(there) > 1:
            joined[kind] = np.average([each for each, _n in there], axis=0, weights=[n for _each, n in there])
    return joined
