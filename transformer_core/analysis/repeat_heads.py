"""Heads that learn to repeat: which look at the token before, which at the token after the last time, and what they are worth.

A head that looks at the token which followed the current one when it occurred last, and passes that token on, goes on with a
row as it went on before. Olsson et al. (2022) call it an induction head. It needs vectors that know which token stood before
them: in a model of two layers, a head of the first layer that looks one back can give them that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from transformer_core.analysis.alignment import head_weights
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import Task
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer
from transformer_core.training.evaluation import exact_match


def after_last_time(tgt: Tensor) -> Tensor:
    """For each query, the key behind the last earlier place of the query's own token: none where it is new.

    Shape: tgt (batch, tgt) -> (batch, query, key) booleans
    """
    n = tgt.size(1)
    earlier = torch.ones(n, n, dtype=torch.bool, device=tgt.device).tril(-1)
    same = (tgt[:, :, None] == tgt[:, None, :]) & earlier  # (batch, query, key)
    last = same & (same.flip(-1).cumsum(dim=-1).flip(-1) == 1)
    return torch.nn.functional.pad(last[:, :, :-1], (1, 0))


def token_before(tgt: Tensor) -> Tensor:
    """For each query, the key before it: none for the first. Shape: tgt (batch, tgt) -> (batch, query, key) booleans"""
    n = tgt.size(1)
    return torch.eye(n, dtype=torch.bool, device=tgt.device).roll(-1, 1).tril(-1).expand(len(tgt), -1, -1)


@dataclass(frozen=True, eq=False)
class HeadScores:
    """The share of its attention that each head gives to two places, averaged over queries of some rows.

    Shape: both (layer, head)

    Attributes:
        after: to the token after the last time that the query's token occurred; of the queries whose next token is judged.
        before: to the token before the query; of the queries before those, whose vectors the others read.
    """

    after: np.ndarray
    before: np.ndarray

    def best(self, scores: np.ndarray) -> HeadCut:
        """The head with the largest of these scores."""
        layer, head = np.unravel_index(int(scores.argmax()), scores.shape)
        return HeadCut("decoder", int(layer), int(head))


@torch.no_grad()
def head_scores(model: Transformer, batch: Batch) -> HeadScores:
    """Measures both on rows of a task that judges single places. The model must be in eval mode."""
    with Trace(only=["weights"]) as trace:
        model(batch.src, batch.tgt)
    return scores_of(head_weights(trace, "decoder", model.cfg.n_layers), batch, model.cfg.pad_id)


def scores_of(weights: Tensor, batch: Batch, pad_id: int) -> HeadScores:
    """Measures both where the attention on these rows is known. Shape: weights (layer, head, batch, query, key)"""
    assert batch.judged is not None

    def share(places: Tensor, queries: Tensor) -> np.ndarray:
        shares: np.ndarray = (weights * places).sum(dim=-1)[:, :, queries].mean(dim=-1).cpu().numpy()
        return shares

    before, others = token_before(batch.tgt), ~batch.judged & (batch.labels != pad_id)
    return HeadScores(share(after_last_time(batch.tgt), batch.judged), share(before, before.any(dim=-1) & others))


@dataclass(frozen=True)
class CutHeads:
    """The share right of a model, and without some of its heads."""

    heads: tuple[HeadCut, ...]
    whole: float
    without: float


def without_heads(model: Transformer, task: Task, batch: Batch, heads: Sequence[HeadCut]) -> CutHeads:
    """Measures the share right with and without the outputs of these heads."""
    cut = cut_out(model, heads)
    return CutHeads(tuple(heads), exact_match(model, task, batch), exact_match(cut, task, batch))
