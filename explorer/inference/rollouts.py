"""Attention rollout judged by what hiding each word costs: on the sentence on screen, and on held-out ones."""

import threading

import torch
from cachetools import LRUCache, cached
from torch import Tensor

from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.held_out import rows_of
from explorer.inference.measured import within
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.damage import NEEDED
from transformer_core.analysis.rollout import Agreement, Judged, judge
from transformer_core.data.batch import Batch, row_lengths
from transformer_core.model.stages import AttentionKind

MOVED = 0.1  # of a vector's length: a word that moves it less when it is hidden does not count as needed
ROWS = 100  # held-out ones: each takes as many passes as it has words
_AT_ONCE = 5  # of them

Ids = tuple[int, ...]


def least(kind: AttentionKind) -> float:
    """What hiding a word must cost for it to count as needed: nats, or a share of a vector's length for the encoder."""
    return MOVED if kind == "encoder" else NEEDED


def judged(shown: ShownModel, kind: AttentionKind) -> Judged:
    """On the sentence on screen: a batch of one."""
    return _judged(shown.choice, *shown.batch(0, 0), kind)


@cached(LRUCache(128), lock=threading.Lock())
def _judged(choice: ModelChoice, src: Ids, tgt: Ids, labels: Ids, kind: AttentionKind) -> Judged:
    return judge(model_of(choice), torch.tensor([src]), torch.tensor([tgt]), torch.tensor([labels]), kind)


def agreements(choice: ModelChoice, task: str, kind: AttentionKind, seconds: float) -> list[Agreement | None]:
    """On ROWS held-out rows of a task, a few at a time; None for those for which there was no time left. See
    `measured.within`."""

    def some(key: tuple[str, ModelChoice, str, AttentionKind, int]) -> Agreement:
        rows = _some(rows_of(task), key[-1], choice.cfg.pad_id)
        return judge(model_of(choice), rows.src, rows.tgt, rows.labels, kind).agreement(least(kind))

    return within(seconds, [("rollout", choice, task, kind, first) for first in range(0, ROWS, _AT_ONCE)], some)


def _some(rows: Batch, first: int, pad: int) -> Batch:
    """_AT_ONCE rows, as long as the longest of them."""

    def cut(ids: Tensor, like: Tensor) -> Tensor:
        return ids[of, : int(row_lengths(like[of], pad).max())]

    of = slice(first, first + _AT_ONCE)
    return Batch(cut(rows.src, rows.src), cut(rows.tgt, rows.labels), cut(rows.labels, rows.labels))


__all__ = ["MOVED", "ROWS", "agreements", "judged", "least"]
