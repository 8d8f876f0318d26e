"""Pairs of sentences that somebody brings: checked row by row, and turned into a corpus."""

import csv
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from io import StringIO
from typing import Literal

import torch

from transformer_core.data.batch import Batch
from transformer_core.data.corpus import FixedCorpus, corpus_rows
from transformer_core.data.draws import Example
from transformer_core.data.pair_rows import rows_of, text_of, tidy
from transformer_core.data.vocabulary import SPECIAL, Vocabulary
from transformer_core.errors import InputError

FEWEST, MOST = 5, 200  # pairs
LONGEST = 24  # tokens of a sentence or an answer
HELD_OUT_FROM = 20  # different sentences from which some are held out
_HOLD_OUT_EVERY = 5  # one sentence in five is held out
_INNER = "'’-"  # part of a word between two of its letters
_JOINER, _SKIN_TONES, _FLAG_LETTERS = "\u200d", "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff", range(0x1F1E6, 0x1F200)
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")  # scripts without blanks between words

# Names of columns: a first row of two of them is no pair.
_HEADINGS = set(
    """source target input output sentence translation question answer original code english french german spanish italian
    portuguese dutch polish turkish chinese japanese korean 原文 译文 英语 英文 法语 法文 德语 西班牙语 中文 汉语""".split()
)
_CODES = set("en fr de es it pt nl pl tr zh ja ko src tgt".split())

Split = Literal["words", "characters"]
Pair = tuple[str, str]


def tokens(text: str, split: Split = "words") -> list[str]:
    """Splits a text in small letters. "words": at blanks and around signs; characters of scripts without blanks, such as
    Chinese, and emoji stand alone. "characters": every character stands alone."""
    parts: list[str] = []
    joins = False  # whether the next character belongs to the last token
    text = unicodedata.normalize("NFC", text.lower())
    for at, character in enumerate(text):
        if character.isspace():
            joins = False
            continue
        if parts and (_is_part(character, parts[-1]) or (joins and (_inside(text, at, split) or _flag(character, parts[-1])))):
            parts[-1] += character
        else:
            parts.append(character)
        joins = True
    return parts


def typed_tokens(text: str, split: Split = "words") -> list[str]:
    """Splits what somebody types, which is tidied as the pairs were."""
    return tokens(tidy(text), split)


def is_right_to_left(text: str) -> bool:
    """True for a text with letters of a script that is written from right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)


def _is_part(character: str, before: str) -> bool:
    """True for an accent, a skin tone, or what a joiner binds."""
    return unicodedata.category(character)[0] == "M" or character in _JOINER + _SKIN_TONES or before[-1] == _JOINER


def _flag(character: str, before: str) -> bool:
    """True for the second of the two letters that make up a flag."""
    return len(before) == 1 and ord(character) in _FLAG_LETTERS and ord(before) in _FLAG_LETTERS


def _inside(text: str, at: int, split: Split) -> bool:
    """True for a character that continues the word before it."""
    if split == "characters":
        return False
    if text[at] in _INNER:
        return _in_word(text[at - 1]) and _in_word(text[at + 1 : at + 2])
    return _in_word(text[at]) and (_in_word(text[at - 1]) or (text[at - 1] in _INNER and at > 1 and _in_word(text[at - 2])))


def _in_word(character: str) -> bool:
    """True for a letter, a digit or an accent of a script that puts blanks between words."""
    if not character or unicodedata.category(character)[0] not in "LNM":
        return False
    return not unicodedata.name(character, "").startswith(_UNSPACED)


# --- Reading and checking. -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """The pairs that were read.

    Attributes:
        pairs: each sentence with its answer, as they were written, each pair once.
        faults: what is wrong with the rows that were left out, in their order.
        repeated: how many rows were left out because they repeat a pair.
        several: the sentences that have more than one answer, which all count as right.
        columns: the first cell of each column, of a table of more than two; taken: the indices of the two that were read.
    """

    pairs: tuple[Pair, ...]
    faults: tuple[InputError, ...] = ()
    repeated: int = 0
    several: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    taken: tuple[int, int] = (0, 1)

    def check(self) -> None:
        """Raises InputError for too few pairs or too many."""
        if len(self.pairs) < FEWEST:
            raise InputError(
                "Pairs that can be used: {n}; at least {fewest} are needed. Add some.",
                n=len(self.pairs),
                fewest=FEWEST,
            )
        if len(self.pairs) > MOST:
            raise InputError("Pairs: {n}; up to {most} can be learned here. Remove some.", n=len(self.pairs), most=MOST)


def of_file(data: bytes, split: Split = "words", columns: tuple[int, int] | None = None) -> Table:
    """Reads a text file of rows. Raises InputError like `pair_rows.text_of`."""
    return of_text(text_of(data), split, columns)


def of_text(text: str, split: Split = "words", columns: tuple[int, int] | None = None) -> Table:
    """Reads one pair a row, the sentence and its answer with any usual separator between them, see `pair_rows.rows_of`.

    Args:
        columns: the indices of the two columns to be learned, of a table that has more; without, the first two of words.
    """
    rows = rows_of(text)
    if any(rows.cells) and not any(len(row) > 1 for row in rows.cells):
        return Table((), (InputError("No row has a sentence and its answer: put a tab, =, ;, a comma, | or → between them."),))
    if rows.columns == 2:
        return of_rows(rows.cells, split, rows.has_heading)
    taken = rows.usual if columns is None or max(columns) >= rows.columns else columns
    two = [row if len(row) > rows.columns else _two_of(row, taken) for row in rows.cells]
    first = next(row for row in rows.cells if len(row) > 1)
    titles = (*first, *[""] * rows.columns)[: rows.columns]
    return replace(of_rows(two, split, rows.has_heading), columns=titles, taken=taken)


def _two_of(row: Sequence[str], taken: tuple[int, int]) -> list[str]:
    return [row[i] if i < len(row) else "" for i in taken] if row else []


def of_rows(rows: Iterable[Sequence[str]], split: Split = "words", has_heading: bool = False) -> Table:
    """Checks rows of two cells each. Rows without anything are left out in silence; rows are counted from 1. A first row that
    names the columns is a fault; `has_heading`: whether it is known to."""
    pairs: dict[tuple[tuple[str, ...], ...], Pair] = {}
    faults: list[InputError] = []
    repeated = 0
    table = [_trimmed(cells) for cells in rows]
    for number, row in enumerate(table, 1):
        if not row:
            continue
        try:
            if not pairs and not faults and len(row) == 2 and (has_heading or _is_heading(row, table[number:])):
                raise InputError(
                    "Row {row}: “{left}”, “{right}” name the columns and are not learned.",
                    row=number,
                    left=row[0],
                    right=row[1],
                )
            _check(number, row, split)
        except InputError as fault:
            faults.append(fault)
        else:
            source, answer = row
            key = tuple(tokens(source, split)), tuple(tokens(answer, split))
            repeated += key in pairs
            pairs.setdefault(key, (source, answer))
    answers = Counter(src for src, _ in pairs)
    several = {src: source for (src, _), (source, _) in pairs.items() if answers[src] > 1}
    return Table(tuple(pairs.values()), tuple(faults), repeated, tuple(several.values()))


def as_lines(pairs: Iterable[Pair]) -> str:
    """Writes pairs as text, one a line, which `of_text` reads."""
    rows = tuple(pairs)
    text = "\n".join(map(" = ".join, rows))
    if rows_of(text).cells == rows:
        return text
    table = StringIO()
    csv.writer(table, delimiter="\t", lineterminator="\n").writerows(rows)
    return table.getvalue().rstrip("\n")


def _trimmed(cells: Sequence[str]) -> list[str]:
    """The cells without superfluous blanks, and without empty ones at the end."""
    row = [" ".join(cell.split()) for cell in cells]
    while row and not row[-1]:
        row.pop()
    return row


def _is_heading(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """True for two names of columns; over rows of several words also for one name beside a word that none of them has, such as
    that of a made-up language. A list of single words may have any word first.
    """
    names = {cell.casefold() for cell in row}
    if names <= _HEADINGS or names <= _CODES:
        return True
    if 2 * sum(any(" " in cell for cell in each) for each in below) <= len(below):
        return False
    used = {word for each in below for cell in each for word in cell.casefold().split()}
    return bool(names & _HEADINGS) and not any(" " in name or name in used for name in names)


def _check(number: int, row: Sequence[str], split: Split) -> None:
    if len(row) > 2:
        raise InputError("Row {row}: it has {n} columns; a sentence and its answer are wanted.", row=number, n=len(row))
    if not row[0]:
        raise InputError("Row {row}: the sentence is missing.", row=number)
    if len(row) < 2:
        raise InputError("Row {row}: the answer to “{text}” is missing.", row=number, text=row[0])
    for text in row:
        if is_right_to_left(text):
            raise InputError(
                "Row {row}: “{text}” is written from right to left, and the pictures here from left to right.",
                row=number,
                text=text,
            )
        if (count := len(tokens(text, split))) > LONGEST:
            raise InputError(
                "Row {row}: “{text}” has {n} tokens; up to {most} can be learned. Shorten it.",
                row=number,
                text=text,
                n=count,
                most=LONGEST,
            )


# --- The corpus. -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairsCorpus(FixedCorpus):
    """Pairs that somebody brought. A sentence may have several answers; each is right. Where nothing is held out, the model is
    tested on all sentences that it learns from."""

    spaced: tuple[bool, bool] = (True, True)  # whether blanks stand between the tokens of a sentence, and of an answer
    several_answers = True

    @property
    def separator(self) -> str:
        return " " if self.spaced[0] else ""

    @property
    def answer_separator(self) -> str:
        return " " if self.spaced[1] else ""

    @cached_property
    def held_out(self) -> Mapping[str, Sequence[Example]]:
        """The examples that a model is tested on, each sentence once."""
        tested = self.examples[self.train :] or self.examples
        return {"source": list({each.src: each for each in reversed(tested)}.values())[::-1]}

    @cached_property
    def _answers(self) -> Mapping[tuple[str, ...], Sequence[tuple[str, ...]]]:
        by_source: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for each in self.examples:
            by_source.setdefault(each.src, []).append(each.tgt)
        return by_source

    def answers(self, src: Sequence[str]) -> Sequence[tuple[str, ...]]:
        return self._answers.get(tuple(src), [])

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        if not held_out:
            return super().batch(size, generator)
        examples = self.held_out["source"]
        return self.rows(examples[i] for i in torch.randperm(len(examples), generator=generator)[:size].tolist())


@lru_cache(maxsize=64)
def corpus_of(pairs: tuple[Pair, ...], split: Split) -> PairsCorpus:
    """Makes a corpus of pairs that have been checked; up to a fifth of the sentences is held out, if there are enough."""
    examples = [_example(pair, split) for pair in pairs]
    held = held_out_sentences(examples)
    examples.sort(key=lambda each: each.src in held)  # in place otherwise
    words = sorted({word for each in examples for word in (*each.src, *each.tgt)})
    typed = typed_tokens if all(tidy(word) == word for word in words) else tokens  # an older file may have both spellings
    vocabulary = Vocabulary((*SPECIAL, *words), 0, 1, 2, 3, partial(typed, split=split))
    rows = corpus_rows(examples, vocabulary)
    longest = rows.src.size(1), rows.tgt.size(1)
    train = sum(each.src not in held for each in examples)
    in_words = split == "words"
    spaced = in_words and any(" " in sentence for sentence, _ in pairs), in_words and any(" " in answer for _, answer in pairs)
    given = (vocabulary, pairs[0][0], longest, tuple(examples), rows.src, rows.tgt, rows.labels)
    return PairsCorpus(*given, train, spaced)


def _example(pair: Pair, split: Split) -> Example:
    source, answer = (tuple(tokens(text, split)) for text in pair)
    return Example(source, answer, (None,) * len(answer))


def held_out_sentences(examples: Sequence[Example]) -> set[tuple[str, ...]]:
    """Chooses sentences whose every word, and every word of whose answers, stays among those for training: of others nobody
    could know what they mean. The choice does not depend on the order of the rows."""
    sources = {each.src for each in examples}
    if len(sources) < HELD_OUT_FROM:
        return set()
    counts = Counter(word for each in examples for word in _words(each))
    held: set[tuple[str, ...]] = set()
    for source in sorted(sources, key=_digest):
        here = Counter(word for each in examples if each.src == source for word in _words(each))
        if all(counts[word] > count for word, count in here.items()):
            counts -= here
            held.add(source)
        if len(held) == len(sources) // _HOLD_OUT_EVERY:
            break
    return held


def words_of_one_sentence(examples: Sequence[Example]) -> list[str]:
    """The words that stand in one sentence alone, or in the answers to one alone, in their order: what they mean can only be
    remembered."""
    places: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    for each in examples:
        for side, words in (("source", each.src), ("answer", each.tgt)):
            for word in words:
                places.setdefault((side, word), set()).add(each.src)
    return [*dict.fromkeys(word for (_side, word), sources in places.items() if len(sources) == 1)]


def _words(example: Example) -> Iterable[tuple[str, str]]:
    """The different words of an example, each with its side: a word may be read and never written."""
    return {("source", word) for word in example.src} | {("answer", word) for word in example.tgt}


def _digest(source: tuple[str, ...]) -> bytes:
    return hashlib.sha256("\n".join(source).encode()).digest()
