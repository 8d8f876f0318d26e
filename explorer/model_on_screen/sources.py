"""Sources of a given length, for visitors who choose a length or ask for another sentence instead of typing one."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any

import torch

from everyday import drawing
from everyday.english import english
from everyday.tokenizer import tokenize
from everyday.translation import Translation
from explorer import resources
from explorer.learning.learned_model import LearnedModel
from explorer.model_on_screen.settings import FIRST_TASK, MAX_TOKENS, ModelSettings, defaults, vocabulary_of
from explorer.model_on_screen.translator import HasVocabulary, check_taught, source_ids, unknown_words
from transformer_core import TASKS, CopyTask, TransformerConfig, Vocabulary
from transformer_core.data.corpus import Corpus
from transformer_core.data.tasks import PairsTask, RepeatTask, Task, has_source
from transformer_core.data.vocabulary import FIRST_WORD
from transformer_core.errors import InputError

_LONG_ROWS = 32  # longest row of numbers that is offered
_SAMPLE = 1000  # drawn sentences that tell which lengths a language has
_ENOUGH = 200  # suitable sentences of one length that are collected
_SHORTEST_PART = 4  # letters
_TRIES = 20  # draws until the sentence differs from that on screen


@dataclass(frozen=True)
class Reader(HasVocabulary):
    """The input of a model: the tokens of its task.

    Attributes:
        most: the most tokens of a source.
    """

    task: str
    taught: Task | None
    vocabulary: Vocabulary
    most: int = MAX_TOKENS
    has_encoder: bool = True

    @property
    def has_source(self) -> bool:
        return self.has_encoder

    @property
    def length(self) -> int | None:
        """The length of all rows of numbers that it has learned; None for sentences, and if a file does not tell."""
        return self.taught.length if isinstance(self.taught, CopyTask) else None

    @property
    def symbols(self) -> Sequence[str]:
        """The symbols that can be typed where it reads no words; of a text, all but the start token."""
        return self.vocabulary.tokens[1 if self.has_source else self.vocabulary.start + 1 :]

    @property
    def setting(self) -> str:
        """The setting that holds its source."""
        return "src" if self.in_words else "numbers"

    @cached_property
    def lengths(self) -> Sequence[int]:
        """The lengths that it learns, in tokens, shortest first."""
        if self.translation is not None:
            return _drawn_lengths(self.translation)
        if self.corpus is not None and not self.has_source:
            return range(1, min(self.corpus.longest[1] - 1, self.most) + 1)
        if self.corpus is not None:
            return sorted(_by_length(self.corpus))
        longest = self.taught.length - 1 if isinstance(self.taught, RepeatTask) else self.length or CopyTask.length
        return range(1, min(longest, self.most) + 1)


def reader_of(settings: ModelSettings) -> Reader:
    """Returns what the model of these settings can read."""
    model = resources.model_store().get(settings.model) if settings.model is not None else None
    return _of_task(settings.task) if model is None else reader_of_model(model)


def reader_of_model(found: LearnedModel) -> Reader:
    most = max(1, min(_most(found.cfg), MAX_TOKENS))  # where it is less than 1, the page says so
    return Reader(found.task, found.taught, found.vocabulary, most, found.cfg.has_encoder)


@cache
def _of_task(task: str) -> Reader:
    taught = TASKS[task]()
    return Reader(task, taught, vocabulary_of(task), has_encoder=has_source(taught))


def _most(cfg: TransformerConfig) -> int:
    return min(cfg.longest_read, cfg.longest_tgt) - 1


def lengths(reader: Reader, *, any_length: bool = False) -> Sequence[int]:
    """Returns the lengths on offer, in tokens, shortest first: those that the model learns, longer rows of numbers, and with
    `any_length` all that can be read.
    """
    if any_length:
        return range(1, reader.most + 1)
    return reader.lengths if reader.in_words else range(1, min(_LONG_ROWS, reader.most) + 1)


def length_of(reader: Reader, text: str) -> int:
    """Counts the tokens of a typed source, even if the model cannot read it; 0 if it has none."""
    if reader.translation is not None:
        return len(tokenize(text))
    try:
        return len(reader.vocabulary.encode(text))
    except InputError:
        return 0


def example(reader: Reader) -> str:
    """Returns the source that a model begins with; if a file does not name its task, its first word."""
    if reader.task not in TASKS:
        first_word = next(iter(reader.vocabulary.tokens[FIRST_WORD:] if reader.in_words else reader.symbols), "")
        return first_word if reader.corpus is None else reader.corpus.example
    usual = str(defaults(reader.task)[reader.setting])
    return usual if reader.length is None or fits(reader, usual) else of_length(reader, reader.length)


def check(reader: Reader, text: str, *, taught: bool) -> None:
    """Raises TextError for a text that a model cannot read; with `taught`, also for one of a kind that it was never taught."""
    source_ids(reader.vocabulary, reader.translation, text, reader.most)
    if taught and reader.translation is not None:
        check_taught(reader.translation, text)


def readable(reader: Reader, text: str) -> bool:
    """True if a model knows every word of a text."""
    if reader.translation is not None:
        return not unknown_words(reader.translation, tokenize(text))
    return not reader.vocabulary.unknown_words(text)


def fits(reader: Reader, text: str) -> bool:
    """True if a model knows every word of a text, and has learned rows of this length if all were of one length."""
    return readable(reader, text) and reader.length in (None, length_of(reader, text))


def fitted(reader: Reader, text: str, fits: Callable[[Reader, str], bool]) -> str:
    """Returns a text, or one in its place if it does not fit the model."""
    if fits(reader, text):
        return text
    if reader.in_words or reader.length is not None:
        return example(reader)
    symbols = reader.symbols
    return " ".join(n for n in reader.vocabulary.split(text) if n in symbols) or next(iter(symbols), "1")


def usual(reader: Reader) -> str:
    """Returns the source of a model that has just been opened."""
    return fitted(reader, str(defaults(FIRST_TASK)[reader.setting]), fits)


def own_sentence(reader: Reader, number: int) -> str | None:
    """Returns a sentence of the pairs that a model has learned, by its number from 1; None if it has none of this number."""
    sentences = _own_sentences(reader)
    return sentences[number - 1] if 0 < number <= len(sentences) else None


def own_number(reader: Reader, text: str) -> int | None:
    """Returns the number, from 1, of a sentence of the pairs that a model has learned; None for any other text."""
    sentences = _own_sentences(reader)
    return sentences.index(text) + 1 if text in sentences else None


def _own_sentences(reader: Reader) -> Sequence[str]:
    if not isinstance(reader.taught, PairsTask):
        return ()
    corpus = reader.taught.corpus
    return [corpus.separator.join(source) for source in corpus.by_source]


def of_length(reader: Reader, length: int) -> str:
    """Returns a source of that many tokens: from the model's language or corpus if that has sentences of this length, else made
    of words or numbers that it knows.
    """
    if isinstance(reader.taught, RepeatTask):
        return _beginning(reader.taught, length, random.Random(length))
    if not reader.in_words:
        symbols = reader.symbols
        return " ".join(symbols[i * 3 % len(symbols)] for i in range(length))
    if length not in reader.lengths:
        return _of_known_words(reader, length, random.Random(length))
    if reader.translation is not None:
        return _first_suitable(reader.translation, length)
    if reader.corpus is not None and not reader.has_source:
        is_usual = length == length_of(reader, reader.corpus.example)
        return reader.corpus.example if is_usual else _begun_story(reader.corpus, length, random.Random(length))
    assert reader.corpus is not None  # a model in words that is no translator has one
    return _by_length(reader.corpus)[length][0]


def with_length(settings: ModelSettings, length: int) -> ModelSettings:
    """Returns these settings with a source of that many tokens."""
    reader = reader_of(settings)
    changed: dict[str, Any] = {reader.setting: of_length(reader, length)}
    return replace(settings, **changed)


def another(reader: Reader, text: str, length: int, generator: random.Random, *, any_length: bool = False) -> str:
    """Draws a source of that many tokens, other than `text` if there is one. Without `any_length`, the length is the nearest
    that the language has.
    """
    for _ in range(_TRIES):
        if (drawn := _drawn(reader, length, generator, any_length)) != text:
            return drawn
    return text


def _beginning(task: RepeatTask, length: int, generator: random.Random) -> str:
    """Draws a row in which a part is said twice, without its last letter: the model is to find that."""
    whole = RepeatTask(task.vocab, max(length + 1, 2 * _SHORTEST_PART))
    row = whole.batch(1, torch.Generator().manual_seed(generator.getrandbits(31)), held_out=True).labels[0, -length - 1 : -1]
    return " ".join(task.vocabulary.decode(row.tolist()))


def _drawn(reader: Reader, length: int, generator: random.Random, any_length: bool) -> str:
    if isinstance(reader.taught, RepeatTask):
        return _beginning(reader.taught, length, generator)
    if not reader.in_words:
        first, *symbols = reader.symbols
        if not reader.has_source:
            return " ".join(generator.choices(reader.symbols, k=length))
        return " ".join([first, *generator.choices(symbols or [first], k=length - 1)])
    if any_length and length not in reader.lengths:
        return _of_known_words(reader, length, generator)
    nearest = min(reader.lengths, key=lambda each: (abs(each - length), each))
    if reader.translation is not None:
        return _suitable(reader.translation, nearest, generator)
    assert reader.corpus is not None
    if not reader.has_source:
        return _begun_story(reader.corpus, nearest, generator)
    return generator.choice(_by_length(reader.corpus)[nearest])


def _begun_story(corpus: Corpus, length: int, generator: random.Random) -> str:
    """Draws so many words with which one of the held-out texts of a decoder alone begins, of one that goes on if there is such
    a one."""
    texts = [example.tgt for example in corpus.held_out["source"]]
    longest = max(map(len, texts))
    text = generator.choice([text for text in texts if len(text) >= min(length + 1, longest)])
    return corpus.separator.join(text[:length])


def _of_known_words(reader: Reader, length: int, generator: random.Random) -> str:
    """Joins random words, each one token when it is typed."""
    known = reader.translation.source_words if reader.translation is not None else reader.vocabulary.tokens[FIRST_WORD:]
    words = [word for word in known if length_of(reader, word) == 1]
    blank = " " if reader.corpus is None else reader.corpus.separator
    for _ in range(_TRIES):
        text = blank.join(generator.choices(words, k=length))
        if length_of(reader, text) == length:  # "can not" is one word
            return text
    return blank.join(generator.choices(words, k=1) * length)


@cache
def _drawn_lengths(translation: Translation) -> Sequence[int]:
    """Samples the lengths of a language's sentences."""
    generator = random.Random(0)
    return sorted({len(english(drawing.draw(generator, translation.scope))) for _ in range(_SAMPLE)})


@cache
def _first_suitable(translation: Translation, length: int) -> str:
    """Returns a sentence of a given length: the language's example, or else the first that is drawn."""
    if len(tokenize(translation.example)) == length:
        return translation.example
    return _suitable(translation, length, random.Random(0))


def _suitable(translation: Translation, length: int, generator: random.Random) -> str:
    """Draws a suitable sentence of that many words. Rare lengths take up to a second to be found: once there are enough,
    found sentences are reused.
    """
    suitable = _found(translation, length)
    if len(suitable) < _ENOUGH and (sentence := translation.suitable_sentence(generator, length)) is not None:
        suitable.append(sentence)
        return sentence
    return generator.choice(suitable or [translation.example])


@cache
def _found(translation: Translation, length: int) -> list[str]:
    """Returns the mutable list of the suitable sentences found on this server."""
    return []


@lru_cache(maxsize=16)
def _by_length(corpus: Corpus) -> dict[int, list[str]]:
    """Groups the sentences of a corpus by length, as one would type them, its example first."""
    sentences = {len(corpus.vocabulary.encode(corpus.example)): [corpus.example]}
    for source in corpus.by_source:
        sentences.setdefault(len(source), []).append(corpus.separator.join(source))
    return sentences
