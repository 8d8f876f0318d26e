"""Corpora as token ids: sentences, their answers, and the alignment of each answer's words with the sentence's.

Both languages share a vocabulary, as in the paper (section 5.1). A corpus is finite and fixed: which sentences are held out
does not depend on the seed of a run.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from transformer_core.data.vocabulary import Vocabulary


@dataclass(frozen=True)
class Example:
    """A sentence, its answer, and for every word of the answer the position of the source word that it comes from (None: no
    single one)."""

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    origin: tuple[int | None, ...]


@dataclass(frozen=True)
class Corpus:
    """All sentences of a task as ids.

    Attributes:
        example: a sentence to start with, as one would type it.

    Shape: src (sentences, longest), tgt (sentences, longest + 1) with the start token first, labels the same with the end token
        last; the first `train` rows are for training, the others are held out.
    """

    vocabulary: Vocabulary
    example: str
    examples: tuple[Example, ...]
    src: Tensor
    tgt: Tensor
    labels: Tensor
    train: int

    @cached_property
    def by_source(self) -> dict[tuple[str, ...], Example]:
        """Every example, by its sentence."""
        return {example.src: example for example in self.examples}


def drawn(draw: Callable[[random.Random], Example], wanted: int) -> list[Example]:
    """`wanted` different examples of a grammar."""
    generator = random.Random(2017)
    found: dict[tuple[str, ...], Example] = {}
    while len(found) < wanted:
        example = draw(generator)
        found.setdefault(example.src, example)
    return list(found.values())


def corpus(examples: Sequence[Example], example: str, spelled: bool = False) -> Corpus:
    """These examples as ids; the last tenth is held out. `spelled`: every character is a token of its own."""
    words = sorted({word for each in examples for word in (*each.src, *each.tgt)})
    vocabulary = Vocabulary(("<pad>", "<start>", "<end>", "<unk>", *words), 0, 1, 2, 3, spelled)
    ids = {word: i for i, word in enumerate(vocabulary.tokens)}
    src = _padded([[ids[word] for word in each.src] for each in examples])
    tgt = _padded([[1, *(ids[word] for word in each.tgt)] for each in examples])
    labels = _padded([[*(ids[word] for word in each.tgt), 2] for each in examples])
    return Corpus(vocabulary, example, tuple(examples), src, tgt, labels, len(examples) - len(examples) // 10)


def _padded(rows: list[list[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])
