"""Small tasks to learn: where the batches come from, and what counts as right.

A task draws every batch from a generator that is handed in, so that a seed names the data exactly.
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """Token ids of one training batch (section 5.1; the decoder's input is the target shifted right by the start token).

    Shape: src (batch, src), tgt (batch, tgt) is what the decoder is given, labels (batch, tgt) what it should say next.
    """

    src: Tensor
    tgt: Tensor
    labels: Tensor

    def to(self, device: torch.device) -> "Batch":
        return Batch(self.src.to(device), self.tgt.to(device), self.labels.to(device))


class Task(Protocol):
    """What training needs to know of a task."""

    @property
    def name(self) -> str: ...

    @property
    def vocab(self) -> int: ...

    @property
    def start_id(self) -> int: ...

    @property
    def pad_id(self) -> int: ...

    def batch(self, size: int, generator: torch.Generator) -> Batch: ...


@dataclass(frozen=True)
class CopyTask:
    """Say the source again. Ids 1..vocab-1, the first one always 1: it doubles as the decoder's start token.

    Attributes:
        vocab: number of ids, 0 (padding, never drawn) included.
        length: tokens in a sequence, the leading 1 included.
    """

    vocab: int = 11
    length: int = 10
    name = "copy"
    start_id = 1
    pad_id = 0

    def __post_init__(self) -> None:
        if self.vocab < 3:
            raise ValueError(f"copying needs at least two symbols beside padding: vocab must be 3 or more, not {self.vocab}")
        if self.length < 2:
            raise ValueError(f"the first symbol is given, so length must be 2 or more, not {self.length}")

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        """Shape: src (size, length), tgt and labels (size, length - 1)"""
        ids = torch.randint(1, self.vocab, (size, self.length), generator=generator)
        ids[:, 0] = self.start_id
        return Batch(src=ids, tgt=ids[:, :-1], labels=ids[:, 1:])


TASKS: dict[str, type[CopyTask]] = {"copy": CopyTask}
