"""Parsing of typed everyday sentences and answers, and the language's verdict on a model's answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from everyday import drawing
from everyday.recogniser import LONGEST
from everyday.suggestions import Entry, similar_words, words_by_kind
from everyday.tokenizer import tokenize
from everyday.translation import TRANSLATIONS, Translation, as_people_write
from everyday.untaught import BEGIN, END, missing, nearest
from explorer import limits
from explorer.i18n import N_
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core import Vocabulary
from transformer_core.data.answer_tokens import answer_tokens
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.corpus import Corpus
from transformer_core.data.sentence_text import sentence_text
from transformer_core.data.tasks import SentenceTask, Task, has_source
from transformer_core.errors import TextError

_NAMED = 6  # unknown words of a sentence that are named at most
_OFFERED = 3  # sentences that are offered instead


def translation_of(task: str, vocabulary: Vocabulary) -> Translation | None:
    """Returns the language pair of a model's task and vocabulary; None for other tasks."""
    translation = TRANSLATIONS.get(task)
    return translation if translation and vocabulary == everyday_vocabulary(translation) else None


class HasVocabulary:
    """Something that reads the sources of a task.

    Attributes:
        task: the task's name; "" if it is unknown.
        taught: the task with its sizes; None if it is unknown.
    """

    task: str
    taught: Task | None
    vocabulary: Vocabulary

    @property
    def in_words(self) -> bool:
        """Returns whether it reads sentences of words, which have an end token."""
        return self.vocabulary.end is not None

    @property
    def has_source(self) -> bool:
        """False for what a decoder alone reads: a text to go on with. True if the task is unknown."""
        return self.taught is None or has_source(self.taught)

    @property
    def corpus(self) -> Corpus | None:
        """The sentences of its task; None for rows of symbols, and if the task is unknown."""
        return self.taught.corpus if isinstance(self.taught, SentenceTask) else None

    @cached_property
    def translation(self) -> Translation | None:
        """The language pair that it learns; None for other tasks."""
        return translation_of(self.task, self.vocabulary)


@cache
def known_words(translation: Translation) -> Mapping[str, tuple[Entry, ...]]:
    """Returns the English words of a language pair by kind, each with its other forms, and phrases of several words."""
    known = set(translation.source_words)
    kinds = {}
    for kind, entries in words_by_kind().items():
        forms = [tuple(form for form in entry if known.issuperset(form.split())) for entry in entries]
        kinds[kind] = tuple(entry for entry in forms if entry)
    return {kind: entries for kind, entries in kinds.items() if entries}


def unknown_words(translation: Translation, words: Sequence[str]) -> list[str]:
    """Returns the words that the language pair lacks, once each."""
    known = frozenset(translation.source_words)
    return [word for word in dict.fromkeys(words) if word not in known]


def read(translation: Translation, text: str) -> list[str]:
    """Splits a typed sentence into words. Raises TextError for unknown words; it offers the sentence with similar ones."""
    words = tokenize(text)
    if not (unknown := unknown_words(translation, words)):
        return words
    near = {word: similar_words(word, translation.source_words) for word in unknown}
    named = _listed(f"“{word}”" for word in unknown)
    known = _listed(word for words in near.values() for word in words[: _OFFERED if len(near) == 1 else 1])
    nearest = {"src": _mended_sentences(text, near)}
    if not known:
        raise TextError(
            "The model has never seen {words}. The list below the field has all words that it knows.",
            words=named,
            nearest=nearest,
        )
    if len(unknown) == 1:
        raise TextError(
            "The model has never seen {words}. Words like it that it knows: {known}.", words=named, known=known, nearest=nearest
        )
    raise TextError(
        "The model has never seen {words}. Words like them that it knows: {known}.", words=named, known=known, nearest=nearest
    )


def source_ids(vocabulary: Vocabulary, translation: Translation | None, text: str, most: int) -> tuple[int, ...]:
    """Encodes a typed source. Raises TextError if a model with so many positions cannot read it."""
    ids = vocabulary.encode(text) if translation is None else vocabulary.ids(read(translation, text))
    most = min(most, limits.MAX_LENGTH)
    if not ids:
        raise TextError("The sentence is empty: type at least one word.")
    if len(ids) > most:
        raise TextError("The sentence has {n:,} tokens; up to {most} can be shown: shorten it.", n=len(ids), most=most)
    return tuple(ids)


def _listed(words: Iterable[str]) -> str:
    return ", ".join([*dict.fromkeys(words)][:_NAMED])


def _mended_sentences(text: str, near: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Replaces the unknown words by the most similar ones, then by the next, and so on; empty if a word has no similar one."""
    if not all(near.values()):
        return ()
    return tuple(dict.fromkeys(_mended(text, near, place) for place in range(_OFFERED)))


def _mended(text: str, near: Mapping[str, Sequence[str]], place: int) -> str:
    """Replaces every unknown word by the similar one at this place, or by the last of them."""
    for unknown, words in near.items():
        text = re.sub(rf"(?<!\w){re.escape(unknown)}(?!\w)", words[min(place, len(words) - 1)], text, flags=re.IGNORECASE)
    return text


class UntaughtError(TextError):
    """A sentence of known words, but of a kind that was never taught: the answer is a guess."""


def check_taught(translation: Translation, text: str) -> None:
    """Raises UntaughtError for a sentence of known words that the language lacks; it offers the nearest that it has."""
    words = tuple(tokenize(text))
    if translation.answers(words):
        return
    spelled = {"i": "I"} | {word.lower(): word for word in re.findall(r"\w+", text)}
    run, near = _nearest_taught(translation, words)
    shown = " ".join(spelled.get(word, word) for word in run if word not in (BEGIN, END))
    offered = tuple(as_people_write([spelled.get(word, word) for word in sentence]) for sentence in near)
    raise UntaughtError(
        _never_taught(run, words),
        words=shown,
        n=len(words),
        most=drawing.LONGEST,
        nearest={"src": offered or (translation.example,)},
    )


@shared_cache(2**20)
def _nearest_taught(translation: Translation, words: tuple[str, ...]) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    return missing(words, translation.scope), nearest(words, translation.scope, translation.source_words)[:_OFFERED]


def _never_taught(run: Sequence[str], words: Sequence[str]) -> str:
    """Returns the message for these words, or for the missing run of them."""
    if len(words) > LONGEST:
        return N_("The model was taught sentences of up to {most} words; this one has {n}, and it may leave out a part.")
    if run and run[0] != BEGIN and run[-1] != END:
        return N_("The model was never taught “{words}”.")
    if run and run[-1] != END:
        return N_("The model was never taught a sentence that begins with “{words}”.")
    if run and run[0] != BEGIN:
        return N_("The model was never taught a sentence that ends in “{words}”.")
    return N_("The model knows these words, but was never taught a sentence of this form.")


def answer_ids(vocabulary: Vocabulary, translation: Translation | None, text: str, src: Sequence[int]) -> tuple[int, ...]:
    """Returns the ids of a typed answer. Raises InputError for a word that the answers lack."""
    if translation is None:
        return tuple(vocabulary.encode(text))
    words = answer_tokens(text, translation.target_words)
    # Chinese may fall into words in several ways: the right one is meant, if there is one.
    right = (answer for answer in translation.answers(vocabulary.decode(src)) if "".join(answer) == "".join(words))
    return tuple(vocabulary.ids(next(right, words)))


@dataclass(frozen=True)
class Verdict:
    """A model's answer beside all right ones.

    Attributes:
        language: of the answer, "fr" or "zh".
        right: every right answer with its probability in the language, the most probable first; empty if the sentence is of a
            kind that was never taught.
    """

    language: str
    answer: tuple[str, ...]
    right: Mapping[tuple[str, ...], float]

    @property
    def is_right(self) -> bool:
        return self.answer in self.right

    @property
    def was_taught(self) -> bool:
        return bool(self.right)

    def text(self, answer: Sequence[str]) -> str:
        """Writes an answer as text."""
        return sentence_text(answer, self.language)


def verdict(translation: Translation, source: Sequence[str], answer: Sequence[str]) -> Verdict:
    """Compares an answer with the right answers to this source."""
    return Verdict(translation.language, tuple(answer), translation.answers(source))
