"""Corpora as token ids: sentences, their answers, and the alignment of each answer's words with the sentence's.

Both languages share a vocabulary, as in the paper (section 5.1). A corpus is fixed: which sentences are held out does not
depend on the seed of a run.
"""

import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from transformer_core.data import draws
from transformer_core.data.batch import Batch, RightTokens, padded_rows
from transformer_core.data.draws import SEED, Choices, Draws, Example, Sample
from transformer_core.data.vocabulary import SPECIAL, Vocabulary, end_of, split_words

_PARTS = 8  # a batch of like length is one part of so many of the rows that are drawn for it
_DRAWING = threading.Lock()


@dataclass(frozen=True, eq=False)
class Corpus(ABC):
    """The sentences of a task.

    Attributes:
        example: a sentence to start with, as one would type it.
        longest: the most tokens of a sentence, and of an answer with its start or end token.
        several_answers: whether a sentence may have more than one right answer.
    """

    vocabulary: Vocabulary
    example: str
    longest: tuple[int, int]
    several_answers = False

    @property
    def separator(self) -> str:
        """The separator between two tokens of a sentence: empty in Chinese and in sums."""
        return " " if " " in self.example else ""

    @property
    def answer_separator(self) -> str:
        """The separator between two tokens of an answer."""
        return self.separator

    @property
    @abstractmethod
    def held_out(self) -> Mapping[str, Sequence[Example]]:
        """The examples that no training batch contains, by the reason: "source" for sentences left out by themselves."""

    @property
    @abstractmethod
    def by_source(self) -> Mapping[tuple[str, ...], Example]:
        """Examples by their sentence: all of a fixed corpus, the held-out ones of a sampled one."""

    @abstractmethod
    def answers(self, src: Sequence[str]) -> Sequence[tuple[str, ...]]:
        """All right answers to a sentence, the most probable first; none if it is not of the language."""

    @abstractmethod
    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Rows drawn evenly from those for training; `held_out` from those left out by themselves, padded to the longest of
        the corpus: each of them once, so there are no more than it has."""

    def rows(self, examples: Iterable[Example]) -> Batch:
        """These examples as ids, padded to the longest of the corpus."""
        return corpus_rows(list(examples), self.vocabulary).padded(self.longest, self.vocabulary.pad)


@dataclass(frozen=True, eq=False)
class FixedCorpus(Corpus):
    """A list of sentences with one answer each.

    Shape: src (sentences, longest), tgt (sentences, longest + 1) with the start token first, labels the same with the end token
        last; the first `train` rows are for training, the others are held out.
    """

    examples: tuple[Example, ...]
    src: Tensor
    tgt: Tensor
    labels: Tensor
    train: int

    @cached_property
    def held_out(self) -> Mapping[str, Sequence[Example]]:
        return {"source": self.examples[self.train :]}

    @cached_property
    def by_source(self) -> dict[tuple[str, ...], Example]:
        return {example.src: example for example in self.examples}

    def answers(self, src: Sequence[str]) -> Sequence[tuple[str, ...]]:
        example = self.by_source.get(tuple(src))
        return [example.tgt] if example else []

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        if held_out:  # where nothing is, those for training
            first = self.train if self.train < len(self.examples) else 0
            rows = first + torch.randperm(len(self.examples) - first, generator=generator)[:size]
        else:
            rows = torch.randint(self.train, (size,), generator=generator)
        return Batch(self.src[rows], self.tgt[rows], self.labels[rows])


def drawn(draw: Callable[[random.Random], Example], wanted: int) -> list[Example]:
    """`wanted` different examples of a grammar."""
    generator = random.Random(SEED)
    by_source: dict[tuple[str, ...], Example] = {}
    while len(by_source) < wanted:
        example = draw(generator)
        by_source.setdefault(example.src, example)
    return list(by_source.values())


def corpus(examples: Sequence[Example], example: str, split: Callable[[str], list[str]] = split_words) -> FixedCorpus:
    """These examples as ids; the last tenth is held out."""
    words = sorted({word for each in examples for word in (*each.src, *each.tgt)})
    vocabulary = Vocabulary((*SPECIAL, *words), 0, 1, 2, 3, split)
    rows, train = corpus_rows(examples, vocabulary), len(examples) - len(examples) // 10
    longest = rows.src.size(1), rows.tgt.size(1)
    return FixedCorpus(vocabulary, example, longest, tuple(examples), rows.src, rows.tgt, rows.labels, train)


def corpus_rows(examples: Sequence[Example], vocabulary: Vocabulary) -> Batch:
    """Examples as ids, padded to the longest of them."""
    answers = [vocabulary.ids(each.tgt) for each in examples]
    return Batch(
        src=padded_rows([vocabulary.ids(each.src) for each in examples], vocabulary.pad),
        tgt=padded_rows([[vocabulary.start, *answer] for answer in answers], vocabulary.pad),
        labels=padded_rows([[*answer, end_of(vocabulary)] for answer in answers], vocabulary.pad),
    )


@dataclass(frozen=True, eq=False)
class SampledCorpus(Corpus):
    """Draws from a language in which a sentence may have several right answers. What is drawn often stands there often: short,
    common sentences are learned first. Drawing takes a while, and is done when the first row is asked for, unless what is drawn
    is kept in a file.

    Attributes:
        sample: draws an example, and says what it is held out for: "source", or another reason; None for training.
        draws: how often. What is longer than `longest` is left out.
        distribution: every right answer to a sentence with its probability, the most probable first.
        file: keeps what is drawn; None, and a file of other words or of another number of draws: it is drawn anew.
    """

    sample: Sample
    draws: int
    distribution: Callable[[Sequence[str]], Mapping[tuple[str, ...], float]]
    file: Path | None = None
    several_answers = True

    @property
    def held_out(self) -> Mapping[str, Sequence[Example]]:
        """Each sentence once, in the order of drawing."""
        return self._drawn.held_out

    @cached_property
    def by_source(self) -> dict[tuple[str, ...], Example]:
        return {example.src: example for examples in self.held_out.values() for example in examples}

    def answers(self, src: Sequence[str]) -> Sequence[tuple[str, ...]]:
        return list(self.distribution(src))

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Rows for training are of like length, and padded to the longest of them."""
        drawn = self._drawn
        if held_out:
            examples = drawn.held_out["source"]
            picked = torch.randperm(len(examples), generator=generator)[:size].tolist()
            return self.rows(examples[i] for i in picked)
        # Of many rows, sorted by their lengths, one part is taken: each row is in it with the same probability.
        rows = torch.randint(len(drawn.lengths), (_PARTS * size,), generator=generator)
        part = torch.randint(_PARTS, (), generator=generator)
        rows = rows[drawn.lengths[rows].argsort(stable=True)].view(_PARTS, size)[part]
        src, answers = (_cut(ids[rows].long(), self.vocabulary.pad) for ids in (drawn.src, drawn.answers))
        given, labels = answers[:, :-1], answers[:, 1:]
        right = None if drawn.choices is None else _right_tokens(drawn.choices, rows, labels, self.vocabulary.pad)
        return Batch(src, given.masked_fill(given == end_of(self.vocabulary), self.vocabulary.pad), labels, right)

    @cached_property
    def _drawn(self) -> Draws:
        with _DRAWING:  # whoever asks meanwhile waits
            return self.__dict__.get("_drawn") or self._read_or_draw()

    def _read_or_draw(self) -> Draws:
        if self.file is not None and self.file.is_file():
            examples = draws.from_bytes(self.file.read_bytes(), self.vocabulary, self.draws)
            if examples is not None:
                return examples
        return self.draw()

    def draw(self) -> Draws:
        """Draws all of it, which takes minutes for a large language."""
        return draws.draw(self.sample, self.draws, self.longest, self.vocabulary)


def _right_tokens(choices: Choices, rows: Tensor, labels: Tensor, pad_id: int) -> RightTokens:
    """All right tokens where there is a choice; elsewhere the label. Shape: rows (batch,) of the draws, labels (batch, tgt)"""
    begin, counts = choices.begin[rows], choices.begin[rows + 1] - choices.begin[rows]
    row = torch.repeat_interleave(counts)
    chosen = torch.arange(len(row)) - (counts.cumsum(0) - counts)[row] + begin[row]
    place = choices.place[chosen].long()
    sure = labels != pad_id
    sure[row, place] = False
    at = torch.stack([row, place, choices.token[chosen].long()], dim=1)
    alone = torch.cat([sure.nonzero(), labels[sure][:, None]], dim=1)
    return RightTokens(torch.cat([at, alone]), torch.cat([choices.share[chosen], torch.ones(len(alone))]))


def _cut(ids: Tensor, pad_id: int) -> Tensor:
    """Without the columns at the end that hold nothing but padding."""
    return ids[:, : int((ids != pad_id).sum(dim=1).max())]
