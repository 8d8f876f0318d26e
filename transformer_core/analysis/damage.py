"""The damage that a cut does to a model (see `analysis.cutting`): on sentences it has never seen, and word by word in one."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.analysis import bootstrap
from transformer_core.analysis.cutting import Side, WordCut, cut_out
from transformer_core.data.batch import Batch
from transformer_core.model.stages import ENCODER, parse_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

_FEWEST = 3  # pairs, of which a rank correlation says nothing
_SURE = 1 - 1e-12  # the interval of 1 itself would have no width
NEEDED = 0.1  # nats: a word that costs less when it is hidden does not count as needed


@dataclass(frozen=True)
class Damage:
    """The cost of a cut on `n` rows.

    Attributes:
        loss: what it adds to a row's loss, on average, in nats per token, under teacher forcing.
        low, high: the 95 % interval of that: a paired bootstrap over the rows.
        added: what it adds to the loss of each row, (row,).
    """

    loss: float
    low: float
    high: float
    n: int
    added: np.ndarray = field(repr=False, compare=False)

    @property
    def holds_zero(self) -> bool:
        """True if these rows are too few to tell it from no damage. That there is none does not follow."""
        return self.low <= 0 <= self.high

    def beyond(self, other: "Damage") -> "Damage":
        """The cost of this cut minus that of another, row by row: intervals that overlap do not say that both cost alike."""
        return damage(other.added, self.added)


@torch.no_grad()
def row_losses(model: Transformer, batch: Batch, of_rows: Callable[[Tensor], Transformer] | None = None) -> np.ndarray:
    """The mean loss of each row's labels under teacher forcing, in nats per token; of those that are judged, where single ones
    are, and 0 for a row without any.

    Shape: -> (batch,)

    Args:
        of_rows: the model for some rows, by their indices, where it depends on the rows what is cut.
    """
    pad, by_row = model.cfg.pad_id, torch.empty(len(batch.labels), dtype=torch.float64)
    for rows, part in batch.by_length(pad):
        made = model if of_rows is None else of_rows(rows)
        logits = made(part.src, part.tgt)  # (rows, tgt, vocab)
        losses = F.cross_entropy(logits.mT, part.labels, ignore_index=pad, reduction="none")  # (rows, tgt)
        counted = part.labels != pad if part.judged is None else part.judged  # (rows, tgt)
        by_row[rows.cpu()] = ((losses * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)).double().cpu()
    return by_row.numpy()


def damage(whole: np.ndarray, cut: np.ndarray) -> Damage:
    """From the losses of the same rows without and with a cut. Shape: both (rows,)"""
    added = cut - whole
    added.flags.writeable = False
    estimate = bootstrap.mean(added)
    return Damage(estimate.value, estimate.low, estimate.high, len(added), added)


@dataclass(frozen=True)
class Joint:
    """The costs of two cuts, each by itself and both at once.

    Attributes:
        more: how much more both cost together than the sum of each alone, row by row.
    """

    one: Damage
    other: Damage
    together: Damage
    more: Damage

    @property
    def is_hidden(self) -> bool:
        """True if these rows show no cost of either alone, but one of both. A cost that is not shown may still be there."""
        return self.one.low <= 0 and self.other.low <= 0 and self.together.low > 0


def joint(whole: np.ndarray, one: np.ndarray, other: np.ndarray, both: np.ndarray) -> Joint:
    """From the losses of the same rows without a cut, with each of two, and with both. Shape: all (rows,)"""
    return Joint(damage(whole, one), damage(whole, other), damage(whole, both), damage(one + other, both + whole))


@torch.no_grad()
def sharpness(model: Transformer, batch: Batch) -> dict[str, np.ndarray]:
    """Every head's largest weight, averaged over the queries of these rows that are no padding: what attention alone shows.

    Shape: -> stage name of the weights: (head,)
    """
    pad = model.cfg.pad_id
    with Trace(only=["weights"]) as trace:
        model(batch.src, batch.tgt)
    largest = {}
    for name in trace.stages:
        if parse_stage(name).name == "weights":
            real = (batch.src if name.startswith(ENCODER) else batch.labels) != pad  # (batch, query)
            tops = trace[name].amax(dim=-1)  # (batch, head, query)
            largest[name] = ((tops * real[:, None]).sum(dim=(0, 2)) / real.sum()).cpu().numpy()
    return largest


@torch.no_grad()
def erasures(model: Transformer, src: Tensor, tgt: Tensor, labels: Tensor, side: Side = "src") -> np.ndarray:
    """The worth of each source word to each word of the answer: by how much the label's log-probability falls, in nats, when
    nothing may attend to that word any more.

    Shape: src (batch, src), tgt and labels (batch, tgt) -> (batch, tgt, place)

    Args:
        side: whose words are hidden: the source's, or those that the decoder has read. At the hidden word's own position its
            vector is still there, and goes through the model.
    """

    def of_labels(each: Transformer) -> Tensor:
        logits: Tensor = each(src, tgt)
        return logits.double().log_softmax(dim=-1).gather(-1, labels[:, :, None])[:, :, 0]  # (batch, tgt)

    before = of_labels(model)
    after = [of_labels(each) for each in _without_each(model, side, (src if side == "src" else tgt).size(1))]
    return (before[:, :, None] - torch.stack(after, dim=2)).cpu().numpy()


@torch.no_grad()
def moves(model: Transformer, src: Tensor) -> np.ndarray:
    """The distance by which the encoder's output at each place moves when nothing may attend to a word any more: the length of
    the difference of the two vectors, divided by the length of the first. At the hidden word's own position its vector is
    still there.

    Shape: (batch, src) -> (batch, place that moves, place that is hidden)
    """
    before = model.encode(src).double()  # (batch, src, d_model)
    after = [each.encode(src).double() for each in _without_each(model, "src", src.size(1))]
    moved = torch.stack([(each - before).norm(dim=-1) for each in after], dim=2)  # (batch, src, hidden)
    shares: np.ndarray = (moved / before.norm(dim=-1)[:, :, None]).cpu().numpy()
    return shares


def _without_each(model: Transformer, side: Side, count: int) -> Iterator[Transformer]:
    """The model with one word hidden, word by word."""
    return (cut_out(model, [WordCut(side, place)]) for place in range(count))


def rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's: that of the ranks, equal values sharing theirs; NaN where all of one are equal. Shape: both (values,)"""
    ranks = [_ranks(np.asarray(each, dtype=np.float64)) for each in (one, other)]
    first, second = (each - each.mean() for each in ranks)
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size else float("nan")


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of `n` pairs.

    Attributes:
        low, high: its 95 % interval (Bonett and Wright, 2000), which takes the pairs for independent; from -1 to 1 where they
            are too few.
    """

    rank: float
    low: float
    high: float
    n: int


def correlation(one: np.ndarray, other: np.ndarray) -> Correlation:
    """The correlation of the ranks, see `rank_correlation`. Shape: both (values,)"""
    rank, n = rank_correlation(one, other), len(one)
    if n <= _FEWEST or math.isnan(rank):
        return Correlation(rank, -1.0, 1.0, n)
    middle = math.atanh(min(max(rank, -_SURE), _SURE))
    error = 1.96 * math.sqrt((1 + rank**2 / 2) / (n - _FEWEST))
    return Correlation(rank, math.tanh(middle - error), math.tanh(middle + error), n)


def _ranks(values: np.ndarray) -> np.ndarray:
    _sorted, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts - 1) / 2)[places]
