"""Measures by which an evaluation is judged: the uncertainty of a share, and the loss of mere guessing."""

import math

import torch

from transformer_core.data.tasks import Task

_ROWS = 2000  # rows whose answers show which tokens there are
_Z = 1.959964  # 95 % of a normal distribution lie within this many standard deviations of its mean


def share_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval (Wilson, 1927) of a share found in `n` draws; it has a width even for 0 and 1."""
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))  # rounding might exclude 0 or 1


def guessing_loss(task: Task) -> float:
    """The loss, in nats per token, of a uniform guess among all tokens that occur in the answers of a task."""
    labels = task.batch(_ROWS, torch.Generator().manual_seed(0)).labels
    return math.log(len(labels[labels != task.pad_id].unique()))
