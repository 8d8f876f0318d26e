"""The parts of a recipe that are known before the first step: the learning rate's schedule, and the smoothed target
distribution."""

import math
from collections import Counter
from collections.abc import Hashable

import numpy as np
import torch

from transformer_core.data.batch import RightTokens
from transformer_core.data.tasks import OwnTask, Task
from transformer_core.training.trainer import Recipe, learning_rate, token_loss

_BATCHES = 128  # over which the least loss of a language is averaged


def rates(steps: int, d_model: int, recipe: Recipe) -> np.ndarray:
    """The learning rate of every step from 1 on (section 5.3, equation 3). Shape: -> (steps,)"""
    return np.array([learning_rate(step, d_model, recipe) for step in range(1, steps + 1)])


def smoothed_target(vocab: int, label: int, smoothing: float) -> np.ndarray:
    """The target distribution: 1 - smoothing for the label, and the rest spread evenly over all ids (section 5.4).

    Shape: -> (vocab,), adds up to 1
    """
    target = np.full(vocab, smoothing / vocab)
    target[label] += 1 - smoothing
    return target


def loss_of_confidence(vocab: int, smoothing: float, confidence: np.ndarray) -> np.ndarray:
    """The training loss, in nats, of a model that gives the label this probability and shares the rest evenly.

    Shape: confidence (n,), each above 0 and below 1 -> (n,)
    """
    p = torch.from_numpy(np.asarray(confidence, dtype=np.float64))
    others = ((1 - p) / (vocab - 1))[:, None].expand(-1, vocab - 1)
    logits = torch.cat([p[:, None], others], dim=1).log()  # (n, vocab)
    label = torch.zeros(1, 1, dtype=torch.long)
    # One token each; no id is padding.
    return np.array([float(token_loss(row[None, None], label, -100, smoothing)) for row in logits])


def least_loss(vocab: int, smoothing: float) -> float:
    """The lowest possible loss, in nats: the entropy of the smoothed target; 0 without smoothing."""
    target = smoothed_target(vocab, 0, smoothing)
    held = target[target > 0]
    return float(-(held * np.log(held)).sum())


def least_average_loss(task: Task, recipe: Recipe) -> float:
    """The loss, in nats, that no model gets below on average over the batches of a training. Where the grammar allows several
    words, nobody can know which one comes: that adds the entropy of its probabilities, estimated from a few thousand rows. So
    do several answers to one sentence of somebody's own pairs, and lines of a text that begin alike."""
    if isinstance(task, OwnTask):
        return _least_loss_of(_right_of(task), task.vocab, recipe.label_smoothing)
    generator, losses = torch.Generator().manual_seed(0), []
    for _ in range(_BATCHES):
        right = task.batch(recipe.batch_size, generator).right
        if right is None:
            return least_loss(task.vocab, recipe.label_smoothing)
        losses.append(_least_loss_of(right, task.vocab, recipe.label_smoothing))
    return sum(losses) / len(losses)


def _right_of(task: OwnTask) -> RightTokens:
    """The tokens that may come at each place of the rows for training, given the sentence and the answer up to there."""
    labels = task.corpus.labels[: task.trained_on].tolist()
    sources = [example.src for example in task.corpus.examples[: task.trained_on]]
    following: dict[Hashable, Counter[int]] = {}  # by sentence and beginning
    for source, row in zip(sources, labels, strict=True):
        for place, token in enumerate(row):
            following.setdefault((source, tuple(row[:place])), Counter())[token] += 1
    at, shares = [], []
    for number, (source, row) in enumerate(zip(sources, labels, strict=True)):
        for place in range(row.index(task.pad_id) if task.pad_id in row else len(row)):
            counts = following[source, tuple(row[:place])]
            at += [(number, place, token) for token in counts]
            shares += [count / counts.total() for count in counts.values()]
    return RightTokens(torch.tensor(at), torch.tensor(shares))


def _least_loss_of(right: RightTokens, vocab: int, smoothing: float) -> float:
    """The entropy of the smoothed targets of a batch, averaged over its places."""
    held = (1 - smoothing) * right.shares.double() + smoothing / vocab
    places = float(right.shares.sum())
    others = vocab * places - len(held)  # tokens that are wrong, at all places
    spread = smoothing / vocab * math.log(smoothing / vocab) if smoothing else 0.0
    return (float(-(held * held.log()).sum()) - others * spread) / places
