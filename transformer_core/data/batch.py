"""Rows of token ids, padded to one length."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

_PARTS = 3  # parts into which rows of unlike lengths are split


@dataclass(frozen=True)
class RightTokens:
    """Every token that is right at a place of the labels, with its probability there; those of a place sum to 1. A place
    without any is not learned.

    Shape: at (right token, 3): row, place and token id; shares (right token,)
    """

    at: Tensor
    shares: Tensor

    def to(self, device: torch.device) -> "RightTokens":
        return RightTokens(self.at.to(device), self.shares.to(device))


@dataclass(frozen=True)
class Batch:
    """Token ids of one training batch (section 5.1; the decoder's input is the target shifted right by the start token).

    Shape: src (batch, src), tgt (batch, tgt) is what the decoder is given, labels (batch, tgt) what it should predict; `right`,
        where it is known: the label is one of several right tokens then; judged (batch, tgt) booleans

    Attributes:
        judged: the places whose tokens are counted when the share right is measured; None: whole rows are.
    """

    src: Tensor
    tgt: Tensor
    labels: Tensor
    right: RightTokens | None = None
    judged: Tensor | None = None

    def to(self, device: torch.device) -> "Batch":
        right = None if self.right is None else self.right.to(device)
        judged = None if self.judged is None else self.judged.to(device)
        return Batch(self.src.to(device), self.tgt.to(device), self.labels.to(device), right, judged)

    def padded(self, longest: tuple[int, int], pad_id: int) -> "Batch":
        """The same rows with room for this many tokens of source and of target, or more if they have more."""
        src, tgt = longest
        wider = (_wider(self.src, src, pad_id), _wider(self.tgt, tgt, pad_id), _wider(self.labels, tgt, pad_id))
        return Batch(*wider, self.right, None if self.judged is None else _wider(self.judged, tgt, False))

    def trimmed(self, pad_id: int) -> "Batch":
        """The same rows without the padding behind the longest source and behind the longest labels."""
        src, tgt = (int(row_lengths(ids, pad_id).max()) for ids in (self.src, self.labels))
        judged = None if self.judged is None else self.judged[:, :tgt]
        return Batch(self.src[:, :src], self.tgt[:, :tgt], self.labels[:, :tgt], self.right, judged)

    def rows(self, places: Tensor | slice) -> "Batch":
        """Some of the rows, without `right`."""
        judged = None if self.judged is None else self.judged[places]
        return Batch(self.src[places], self.tgt[places], self.labels[places], judged=judged)

    def by_length(self, pad_id: int) -> Iterator[tuple[Tensor, "Batch"]]:
        """The rows in a few parts, each trimmed, with their places: those with labels of like length are together, because
        sentences are on average half as long as the longest. One part where all are of the same length."""
        lengths = row_lengths(self.labels, pad_id)
        parts = _PARTS if lengths.min() < lengths.max() else 1
        return ((places, self.rows(places).trimmed(pad_id)) for places in lengths.argsort(stable=True).chunk(parts))


def _wider(rows: Tensor, width: int, value: int) -> Tensor:
    return rows if rows.size(1) >= width else F.pad(rows, (0, width - rows.size(1)), value=value)


def padded_rows(rows: Iterable[Sequence[int]], pad_id: int) -> Tensor:
    """Shape: -> (rows, longest)"""
    kept = [list(row) for row in rows]
    longest = max(map(len, kept))
    return torch.tensor([row + [pad_id] * (longest - len(row)) for row in kept], dtype=torch.int64)  # of no token as well


def row_lengths(ids: Tensor, pad_id: int) -> Tensor:
    """The length of each row in tokens, without the padding after it. Shape: (batch, tokens) -> (batch,)"""
    places = torch.arange(ids.size(1) + 1, device=ids.device)  # the first is that of no token
    return (F.pad(ids != pad_id, (1, 0)) * places).amax(dim=1)
