"""What the numbers of an evaluation are worth: how far a share may be off, and what one reaches who only guesses."""

import math

import torch

from transformer_core.data.tasks import Task

_Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations of its mean


def share_interval(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval (Wilson, 1927) of a share that was found in `n` draws: also for 0 and 1 it has a width."""
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))  # rounded, it might leave 0 or 1 out


def guessing_loss(task: Task, rows: int = 2000) -> float:
    """The loss, in nats per token, of guessing evenly among all tokens that answers are made of, as found in so many rows."""
    labels = task.batch(rows, torch.Generator().manual_seed(0)).labels
    return math.log(len(labels[labels != task.pad_id].unique()))
