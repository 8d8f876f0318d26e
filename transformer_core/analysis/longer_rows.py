"""Rows of numbers shorter or longer than those a model was trained on: how many it still copies exactly."""

from collections.abc import Iterable

import torch

from transformer_core.data.tasks import CopyTask
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.transformer import Transformer


def exact_by_length(model: Transformer, lengths: Iterable[int], rows: int, seed: int = 0) -> dict[int, float]:
    """The share of random rows of each length (including the first symbol) that greedy decoding copies without an error.

    Args:
        rows: how many, of each length.
    """
    exact = {}
    for length in lengths:
        task = CopyTask(model.cfg.src_vocab, length)
        src = task.batch(rows, torch.Generator().manual_seed(seed)).src  # (rows, length)
        copied = greedy_decode(model, src, task.start_id, length - 1)  # (rows, length)
        exact[length] = (copied == src).all(dim=1).double().mean().item()
    return exact
