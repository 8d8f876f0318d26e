"""Rows of numbers shorter or longer than those a model was trained on: how many it still answers exactly."""

from collections.abc import Iterable
from dataclasses import replace

import torch

from transformer_core.data.tasks import CopyTask
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.transformer import Transformer


def exact_by_length(model: Transformer, task: CopyTask, lengths: Iterable[int], rows: int, seed: int = 0) -> dict[int, float]:
    """The share of random rows of each length (including the first symbol) that greedy decoding answers without an error.

    Args:
        task: whose answer is right, at any length.
        rows: how many different ones, of each length, or all there are.
    """
    exact = {}
    for length in lengths:
        batch = replace(task, length=length).batch(rows, torch.Generator().manual_seed(seed), held_out=True)
        answers = greedy_decode(model, batch.src, task.start_id, length - 1)[:, 1:]  # (rows, length - 1)
        exact[length] = (answers == batch.labels).all(dim=1).double().mean().item()
    return exact
