"""Small tasks: where batches come from, and which answers are right.

A task draws every batch from the generator it is given, so a seed determines the data exactly.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from string import ascii_uppercase
from typing import Any, Protocol, cast, get_args

import torch
from torch import Tensor

from transformer_core.data.batch import Batch, RightTokens
from transformer_core.data.corpora import CORPORA, everyday
from transformer_core.data.corpus import Corpus
from transformer_core.data.pairs import Pair, PairsCorpus, Split, corpus_of, of_rows
from transformer_core.data.texts import TextCorpus, lines_of, text_corpus
from transformer_core.data.vocabulary import Vocabulary, letters, letters_after_start, numbers
from transformer_core.errors import InputError


class Task(Hashable, Protocol):
    """A task, as training knows it."""

    @property
    def name(self) -> str: ...

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def vocab(self) -> int: ...

    @property
    def start_id(self) -> int: ...

    @property
    def pad_id(self) -> int: ...

    @property
    def longest(self) -> tuple[int, int]:
        """The most tokens of a source, and of a target. A source of no tokens: the task is for a decoder alone."""
        ...

    @property
    def held_out_rows(self) -> int:
        """The number of different rows that a model can be tested on: those held out, or all where none are."""
        ...

    @property
    def has_held_out(self) -> bool:
        """True if some rows are kept from training; False where there are too few."""
        ...

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """`held_out` draws rows that no training batch contains, where some are held out: each once, so there may be fewer
        than `size`. They are all as long as the longest; rows for training may be shorter."""
        ...

    def alternatives(self, src: Sequence[int]) -> Sequence[tuple[int, ...]]:
        """The right answers to a source, the most probable first, as labels without padding; none where the label of each row
        is the only right one."""
        ...


_ONE_IN = 5  # so many rows, one is held out
_FEWEST = 20  # rows of which any are held out
_MOST_COUNTED = 2**17  # rows; of more, the number held out is that share
_PRIME = 2**31 - 1
_FIRST_LETTER = 2  # the id of A where there is a start token
_FEWEST_LETTERS, _SHORTEST_REPEAT = 4, 8  # of the rows of fewer or shorter ones there are too few


@dataclass(frozen=True)
class CopyTask:
    """Repeat the source. Ids 1..vocab-1, the first one always 1: it is also the decoder's start token.

    One row in five is held out, by its content, whatever the seed; none where there are fewer than 20.

    Attributes:
        vocab: number of ids, including 0 (padding, never drawn).
        length: tokens in a sequence, including the leading 1.
    """

    vocab: int = 11
    length: int = 10
    name = "copy"
    start_id = 1
    pad_id = 0

    def __post_init__(self) -> None:
        if self.vocab < 3:
            raise InputError(
                "{task} needs at least two symbols besides padding: vocab must be 3 or more, not {vocab}",
                task=self.name,
                vocab=self.vocab,
                nearest={"vocab": (3,)},
            )
        if self.length < 2:
            raise InputError(
                "the first symbol is given, so length must be 2 or more, not {length}",
                length=self.length,
                nearest={"length": (2,)},
            )

    @property
    def vocabulary(self) -> Vocabulary:
        return numbers(self.vocab)

    @property
    def longest(self) -> tuple[int, int]:
        return self.length, self.length - 1

    @property
    def held_out_rows(self) -> int:
        return _held_out_rows(self.vocab, self.length)

    @property
    def has_held_out(self) -> bool:
        rows: int = (self.vocab - 1) ** (self.length - 1)  # the first symbol is always the same
        return rows >= _FEWEST

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Shape: src (size, length), tgt and labels (size, length - 1)"""
        src = self._different(size, generator) if held_out else self._drawn(size, generator, of_training=True)
        answer = self.answer(src[:, 1:])
        return Batch(src=src, tgt=torch.cat([src[:, :1], answer[:, :-1]], dim=1), labels=answer)

    def _drawn(self, size: int, generator: torch.Generator, of_training: bool) -> Tensor:
        """Sources of training, or held-out ones; any where none are held out. Shape: -> (size, length)"""
        rows = torch.randint(1, self.vocab, (2 * size, self.length), generator=generator)
        rows[:, 0] = self.start_id
        if self.has_held_out:
            rows = rows[is_held_out(rows) != of_training]
        if len(rows) < size:
            rows = torch.cat([rows, self._drawn(size - len(rows), generator, of_training)])
        return rows[:size]

    def _different(self, size: int, generator: torch.Generator) -> Tensor:
        """Sources to test a model on, each once: all there are, where these are no more."""
        count = min(size, self.held_out_rows)
        rows: dict[tuple[int, ...], None] = {}
        while len(rows) < count:
            rows |= dict.fromkeys(map(tuple, self._drawn(size, generator, of_training=False).tolist()))
        return torch.tensor([*rows][:count])

    def alternatives(self, src: Sequence[int]) -> Sequence[tuple[int, ...]]:
        return ()

    def answer(self, symbols: Tensor) -> Tensor:
        """The answer. Shape: (size, length - 1) -> (size, length - 1)"""
        return symbols

    def origin(self, symbols: Tensor) -> Tensor:
        """The symbols that each token of the answer comes from. Shape: (size, length - 1) -> (size, answer, symbol) booleans"""
        return torch.eye(symbols.size(1), dtype=torch.bool).expand(len(symbols), -1, -1)


def is_held_out(rows: Tensor) -> Tensor:
    """True for the rows of symbols that training never draws. Their content alone decides, but no pattern in it: neither their
    sum nor any one of their symbols tells. Shape: (size, length) -> (size,) booleans"""
    mixed = rows @ _factors(rows.size(1))  # (size,), below 2^31 for as many symbols as the app offers
    return mixed * mixed % _PRIME % _ONE_IN == 0


@lru_cache(maxsize=256)
def _factors(length: int) -> Tensor:
    """Shape: -> (length,)"""
    return torch.randint(2**20, (length,), generator=torch.Generator().manual_seed(_ONE_IN))


@lru_cache(maxsize=256)
def _held_out_rows(vocab: int, length: int) -> int:
    """The number of rows of these symbols that are held out; all, where these are too few."""
    rows: int = (vocab - 1) ** (length - 1)
    if rows < _FEWEST:
        return rows
    if rows > _MOST_COUNTED:
        return rows // _ONE_IN
    symbols = torch.arange(1, vocab)
    every = torch.cartesian_prod(CopyTask.start_id * torch.ones(1, dtype=torch.int64), *[symbols] * (length - 1))
    return int(is_held_out(every).sum())


@dataclass(frozen=True)
class LettersTask(CopyTask):
    """Repeat letters: short rows, which are learned within seconds and read at a glance."""

    length: int = 6
    name = "letters"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vocab > (most := len(ascii_uppercase) + 1):
            raise InputError(
                "{task} has the letters of the alphabet: vocab must be {most} or less, not {vocab}",
                task=self.name,
                most=most,
                vocab=self.vocab,
                nearest={"vocab": (most,)},
            )

    @property
    def vocabulary(self) -> Vocabulary:
        return letters(self.vocab)


@dataclass(frozen=True)
class ReverseTask(CopyTask):
    """Reverse the source: cross-attention lies on the other diagonal."""

    name = "reverse"

    def answer(self, symbols: Tensor) -> Tensor:
        return symbols.flip(1)

    def origin(self, symbols: Tensor) -> Tensor:
        return super().origin(symbols).flip(2)


@dataclass(frozen=True)
class SortTask(CopyTask):
    """Sort the source in ascending order."""

    name = "sort"

    def answer(self, symbols: Tensor) -> Tensor:
        return symbols.sort(dim=1).values

    def origin(self, symbols: Tensor) -> Tensor:
        """Equal symbols cannot be told apart: each counts."""
        return self.answer(symbols)[:, :, None] == symbols[:, None, :]


@dataclass(frozen=True)
class RepeatTask:
    """Go on with a row in which a part is said twice: random letters, then a part, then the same part again. A decoder alone
    reads it and predicts each next letter.

    How long the part is differs from row to row, so the position does not tell where it is said again, and its letters may be
    equal. Learned and judged are the letters of the repetition behind its first: that one is as random as those before it, and
    so is the rest of the row. A letter that the part has twice has two successors: nobody gets all of them right.

    One row in five is held out, by its content, whatever the seed.

    Attributes:
        vocab: number of ids, including 0 (padding, never drawn) and the start token.
        length: letters in a row; the part has from a quarter of them to a half.
    """

    vocab: int = 22
    length: int = 20
    name = "repeat"
    start_id = 1
    pad_id = 0

    def __post_init__(self) -> None:
        least, most = _FIRST_LETTER + _FEWEST_LETTERS, _FIRST_LETTER + len(ascii_uppercase)
        if not least <= self.vocab <= most:
            raise InputError(
                "{task} has the letters of the alphabet: vocab must be from {least} to {most}, not {vocab}",
                task=self.name,
                least=least,
                most=most,
                vocab=self.vocab,
                nearest={"vocab": (min(max(self.vocab, least), most),)},
            )
        if self.length < _SHORTEST_REPEAT:
            raise InputError(
                "a part of two letters and its repetition need {least}, not {length}",
                least=_SHORTEST_REPEAT,
                length=self.length,
                nearest={"length": (_SHORTEST_REPEAT,)},
            )

    @property
    def vocabulary(self) -> Vocabulary:
        return letters_after_start(self.vocab)

    @property
    def longest(self) -> tuple[int, int]:
        return 0, self.length

    @property
    def held_out_rows(self) -> int:
        free = self.length - self.length // 4  # letters before the repetition, at most
        return int((self.vocab - _FIRST_LETTER) ** free) // (2 * _ONE_IN)  # there are about twice as many: drawing finds these

    @property
    def has_held_out(self) -> bool:
        return True

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Different rows, so there may be fewer than `size` also for training.

        Shape: src (size, 0), tgt, labels and judged (size, length); right: the judged letters
        """
        size = min(size, self.held_out_rows if held_out else (_ONE_IN - 1) * self.held_out_rows)
        drawn: dict[tuple[int, ...], Tensor] = {}
        while len(drawn) < size:
            rows, judged = self._drawn(2 * size if held_out else size + size // 2, generator)
            fits = is_held_out(rows) == held_out
            drawn |= {tuple(row): each for row, each in zip(rows[fits].tolist(), judged[fits], strict=True)}
        labels, judged = torch.tensor([*drawn][:size]), torch.stack([*drawn.values()][:size])
        tgt = torch.cat([torch.full_like(labels[:, :1], self.start_id), labels[:, :-1]], dim=1)
        at = torch.cat([judged.nonzero(), labels[judged][:, None]], dim=1)
        return Batch(labels[:, :0], tgt, labels, RightTokens(at, torch.ones(len(at))), judged)

    def _drawn(self, size: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Rows, and which of their letters are judged. Shape: -> (size, length), (size, length) booleans"""
        rows = torch.randint(_FIRST_LETTER, self.vocab, (size, self.length), generator=generator)
        part = torch.randint(self.length // 4, self.length // 2 + 1, (size, 1), generator=generator)
        place = torch.arange(self.length)
        again = place >= self.length - part  # the repetition
        rows = torch.where(again, rows.gather(1, (place - part).clamp(min=0)), rows)
        return rows, place > self.length - part

    def alternatives(self, src: Sequence[int]) -> Sequence[tuple[int, ...]]:
        return ()


@dataclass(frozen=True)
class SentenceTask:
    """Answer a sentence of a corpus, of which some are held out. `name` is a key of CORPORA."""

    name: str
    start_id = 1
    pad_id = 0

    @property
    def corpus(self) -> Corpus:
        return CORPORA[self.name]()

    @property
    def vocabulary(self) -> Vocabulary:
        return self.corpus.vocabulary

    @property
    def vocab(self) -> int:
        return len(self.vocabulary)

    @property
    def longest(self) -> tuple[int, int]:
        return self.corpus.longest

    @property
    def held_out_rows(self) -> int:
        return len(self.corpus.held_out["source"])

    @property
    def has_held_out(self) -> bool:
        return True

    def batch(self, size: int, generator: torch.Generator, held_out: bool = False) -> Batch:
        """Shape: src (size, source), tgt and labels (size, target + 1), padded"""
        return self.corpus.batch(size, generator, held_out)

    def alternatives(self, src: Sequence[int]) -> Sequence[tuple[int, ...]]:
        return _labels(self.corpus, tuple(i for i in src if i != self.pad_id)) if self.corpus.several_answers else ()


@dataclass(frozen=True)
class ManySentences(SentenceTask):
    """A language of which as many sentences are drawn as one wants, more than come with the package."""

    draws: int

    @property
    def corpus(self) -> Corpus:
        return everyday(self.name, self.draws)


@dataclass(frozen=True)
class PairsTask(SentenceTask):
    """Answer the sentences of somebody's own pairs, see `data.pairs`.

    Attributes:
        pairs: sentences and their answers.
        split: how a text falls into tokens.

    Raises:
        InputError: for pairs that cannot be learned.
    """

    name: str = field(default="pairs", init=False)
    pairs: tuple[Pair, ...] = ()
    split: Split = "words"

    def __post_init__(self) -> None:
        table = of_rows(self.pairs, self.split)
        if table.faults:
            raise table.faults[0]
        table.check()

    @property
    def corpus(self) -> PairsCorpus:
        return corpus_of(self.pairs, self.split)

    @property
    def trained_on(self) -> int:
        """The number of pairs that training draws from; the others are held out."""
        return self.corpus.train

    @property
    def has_held_out(self) -> bool:
        """True if some sentences are kept from training."""
        return self.trained_on < len(self.pairs)


@dataclass(frozen=True)
class TextTask(SentenceTask):
    """Say the next word of somebody's own text, line by line, see `data.texts`: for a decoder alone.

    Attributes:
        lines: each is a row of its own.
        split: how a line falls into tokens.

    Raises:
        InputError: for lines that cannot be learned.
    """

    name: str = field(default="text", init=False)
    lines: tuple[str, ...] = ()
    split: Split = "words"

    def __post_init__(self) -> None:
        read = lines_of("\n".join(self.lines), self.split)
        if read.faults:
            raise read.faults[0]
        read.check()
        if read.lines != self.lines:
            raise InputError("the lines of the task {name} are damaged; save the file again", name=self.name)

    @property
    def corpus(self) -> TextCorpus:
        return text_corpus(self.lines, self.split)

    @property
    def trained_on(self) -> int:
        """The number of lines that training draws from; the others are held out."""
        return self.corpus.train

    @property
    def has_held_out(self) -> bool:
        """True if some lines are kept from training."""
        return self.trained_on < len(self.lines)


OwnTask = PairsTask | TextTask  # of what somebody brings


def has_source(task: Task) -> bool:
    """True for a task of an encoder and a decoder; False for one of a decoder alone."""
    return task.longest[0] > 0


def is_tested_on_training(task: Task | None) -> bool:
    """True for a task of too few rows to hold any out: a model is tested on what it learns from."""
    return task is not None and not task.has_held_out


@lru_cache(maxsize=4096)
def _labels(corpus: Corpus, src: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
    """The right answers to a source, as labels."""
    vocabulary = corpus.vocabulary
    return [tuple(vocabulary.ids((*answer, "<end>"))) for answer in corpus.answers(vocabulary.decode(src))]


SYMBOL_TASKS: dict[str, type[CopyTask]] = {kind.name: kind for kind in (CopyTask, LettersTask, ReverseTask, SortTask)}
# Versions of what a task draws from a generator, where that is not the first. Whoever changes what is drawn raises its version:
# models that learned from other rows are other models.
DATA_VERSIONS = dict.fromkeys(SYMBOL_TASKS, 2)
TASKS: dict[str, Callable[..., Task]] = {
    **SYMBOL_TASKS,
    **{name: partial(SentenceTask, name) for name in CORPORA},
    RepeatTask.name: RepeatTask,
}


def facts_of(task: Task) -> dict[str, Any]:
    """The fields of a model's file that describe its task, beside its configuration; `task_of` reads it."""
    if isinstance(task, PairsTask):
        return {"task": task.name, "pairs": task.pairs, "split": task.split}
    if isinstance(task, TextTask):
        return {"task": task.name, "lines": task.lines, "split": task.split}
    return {"task": task.name, **({"length": task.length} if isinstance(task, CopyTask | RepeatTask) else {})}


def task_of(facts: Mapping[str, Any], vocab: int) -> Task | None:
    """The task that such facts name, for a model of so many tokens; None where they do not say it all, or what cannot be."""
    name = facts.get("task")
    of_numbers = isinstance(name, str) and (name in SYMBOL_TASKS or name == RepeatTask.name)
    sizes = {"vocab": vocab, "length": facts.get("length")} if of_numbers else {}
    if name == PairsTask.name:
        sizes = {each: facts.get(each) for each in ("pairs", "split")}
    if name == TextTask.name:
        sizes = {each: facts.get(each) for each in ("lines", "split")}
    try:
        task = task_from_dict({"name": name, **sizes})
    except InputError:
        return None
    return task if task.vocab == vocab else None


def task_to_dict(task: Task) -> dict[str, Any]:
    """A task's name and sizes, as JSON values."""
    return {"name": task.name, **vars(task)}


def task_from_dict(values: dict[str, Any]) -> Task:
    """The task that `task_to_dict` described; anything else raises InputError."""
    sizes = {name: value for name, value in values.items() if name != "name"}
    name = values.get("name")
    if name == PairsTask.name:
        return _pairs_of(**sizes)
    if name == TextTask.name:
        return _text_of(**sizes)
    if not isinstance(name, str) or name not in TASKS:
        raise InputError("there is no task {name}", name=repr(name))
    if not all(type(size) is int for size in sizes.values()):
        raise InputError("the sizes of the task {name} must be whole numbers, not {sizes}", name=name, sizes=str(sizes))
    try:
        return TASKS[name](**sizes)
    except TypeError as error:
        raise InputError("the task {name} does not have these sizes: {sizes}", name=name, sizes=str(sizes)) from error


def _pairs_of(pairs: object = None, split: object = None, **others: object) -> PairsTask:
    """The task of such pairs, as JSON has them."""
    rows = pairs if isinstance(pairs, list | tuple) else []
    of_texts = all(isinstance(row, list | tuple) and [type(cell) for cell in row] == [str, str] for row in rows)
    if others or not rows or not of_texts or split not in get_args(Split):
        raise InputError("the pairs of the task {name} are damaged; save the file again", name=PairsTask.name)
    return PairsTask(tuple((source, answer) for source, answer in rows), cast(Split, split))


def _text_of(lines: object = None, split: object = None, **others: object) -> TextTask:
    """The task of such lines, as JSON has them."""
    rows = lines if isinstance(lines, list | tuple) else []
    if others or not rows or not all(type(row) is str for row in rows) or split not in get_args(Split):
        raise InputError("the lines of the task {name} are damaged; save the file again", name=TextTask.name)
    return TextTask(tuple(rows), cast(Split, split))
