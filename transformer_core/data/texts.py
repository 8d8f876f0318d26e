"""A text that somebody brings, for a decoder alone: it learns to say each next word of every line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import torch

from transformer_core.data.batch import Batch
from transformer_core.data.corpus import FixedCorpus, corpus_rows
from transformer_core.data.draws import Example
from transformer_core.data.pair_rows import tidy
from transformer_core.data.pairs import Split, held_out_sentences, is_right_to_left, tokens, typed_tokens
from transformer_core.data.vocabulary import SPECIAL, Vocabulary
from transformer_core.errors import InputError

FEWEST_LINES, MOST_LINES = 5, 200
LONGEST_LINE = 40  # tokens
_SHOWN = 18  # tokens of the example, at most
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=。)\s*|(?<=[!?])(?=[\u3000-\u9fff])")  # of tidied text: ！ is ! there


@dataclass(frozen=True)
class Lines:
    """The lines that were read.

    Attributes:
        lines: each once, as it was written, none longer than LONGEST_LINE tokens; of a longer sentence, its tokens.
        faults: what is wrong with the lines that were left out, in their order.
        split: how many lines were too long, and became several; repeated: how many stood there before.
    """

    lines: tuple[str, ...]
    faults: tuple[InputError, ...] = ()
    split: int = 0
    repeated: int = 0

    def check(self) -> None:
        """Raises InputError for too few lines or too many."""
        if len(self.lines) < FEWEST_LINES:
            raise InputError(
                "Different lines that can be used: {n}; at least {fewest} are needed. Add some.",
                n=len(self.lines),
                fewest=FEWEST_LINES,
            )
        if len(self.lines) > MOST_LINES:
            raise InputError("Lines: {n}; up to {most} can be learned here. Remove some.", n=len(self.lines), most=MOST_LINES)


def lines_of(text: str, split: Split = "words") -> Lines:
    """Reads a text line by line. A line of more than LONGEST_LINE tokens is split between its sentences, and a sentence that is
    longer still between its tokens. Empty lines are left out in silence; lines are counted from 1."""
    found: dict[tuple[str, ...], str] = {}
    faults: list[InputError] = []
    several, repeated = 0, 0
    for number, line in enumerate(tidy(text).splitlines(), 1):
        line = " ".join(line.split())
        if is_right_to_left(line):
            faults.append(
                InputError(
                    "Row {row}: “{text}” is written from right to left, and the pictures here from left to right.",
                    row=number,
                    text=line,
                )
            )
            continue
        parts = _parts(line, split)
        several += len(parts) > 1
        for part in parts:
            key = tuple(tokens(part, split))
            repeated += key in found
            found.setdefault(key, part)
    return Lines(tuple(found.values()), tuple(faults), several, repeated)


def _parts(line: str, split: Split) -> list[str]:
    """The line in as few parts as its sentences allow, each of at most LONGEST_LINE tokens; none of an empty line."""
    if len(tokens(line, split)) <= LONGEST_LINE:
        return [line] if line else []
    parts, blank = [""], " " if " " in line else ""
    for sentence in _SENTENCE_END.split(line):
        for piece in _pieces(sentence, split):
            joined = f"{parts[-1]}{blank}{piece}".strip()
            if len(tokens(joined, split)) <= LONGEST_LINE:
                parts[-1] = joined
            else:
                parts.append(piece)
    return [part for part in parts if part]


def _pieces(sentence: str, split: Split) -> list[str]:
    """A sentence that is too long, cut anywhere between two tokens."""
    read = tokens(sentence, split)
    if len(read) <= LONGEST_LINE:
        return [sentence]
    blank = " " if " " in sentence and split == "words" else ""
    return [blank.join(read[at : at + LONGEST_LINE]) for at in range(0, len(read), LONGEST_LINE)]


@dataclass(frozen=True, eq=False)
class TextCorpus(FixedCorpus):
    """Lines that somebody brought. They answer nothing: their sources have no tokens, shape (batch, 0). Every token of a line,
    its end too, is judged. Where no line is held out, the model is tested on those that it learns from."""

    has_blanks: bool = True  # between the tokens of a line

    @property
    def separator(self) -> str:
        return " " if self.has_blanks else ""

    @cached_property
    def held_out(self) -> Mapping[str, Sequence[Example]]:
        """The lines that a model is tested on, as answers to nothing."""
        return {"source": self.examples[self.train :] or self.examples}

    @property
    def by_source(self) -> dict[tuple[str, ...], Example]:
        """An empty table: a line has no source."""
        return {}

    def answers(self, src: Sequence[str]) -> Sequence[tuple[str, ...]]:
        return []

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Shape: src (size, 0); tgt, labels and judged (size, line + 1), padded"""
        batch = super().batch(size, generator, held_out)
        return replace(batch, judged=batch.labels != self.vocabulary.pad)


@lru_cache(maxsize=64)
def text_corpus(lines: tuple[str, ...], split: Split) -> TextCorpus:
    """Makes a corpus of lines that have been checked; up to a fifth of them is held out, if there are enough. Every word of a
    held-out line stands in another one too."""
    read = [tuple(tokens(line, split)) for line in lines]
    held = held_out_sentences([Example(words, (), ()) for words in read])
    examples = [Example((), words, (None,) * len(words)) for words in sorted(read, key=lambda words: words in held)]
    known = sorted({word for words in read for word in words})
    typed = typed_tokens if all(tidy(word) == word for word in known) else tokens
    vocabulary = Vocabulary((*SPECIAL, *known), 0, 1, 2, 3, partial(typed, split=split))
    rows = corpus_rows(examples, vocabulary)
    has_blanks = split == "words" and any(" " in line for line in lines)
    begun = read[0][: min(max(len(read[0]) - 2, 1), _SHOWN)]
    given = (vocabulary, (" " if has_blanks else "").join(begun), (0, rows.tgt.size(1)), tuple(examples))
    return TextCorpus(*given, rows.src, rows.tgt, rows.labels, len(lines) - len(held), has_blanks)
