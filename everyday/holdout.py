"""Decides which sentences no model is trained on: some by chance, some because their combination is never seen in training.

A hash of what is held out decides, so that it depends on no drawing and no seed.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Literal, get_args

from everyday.chinese.words import CALLED
from everyday.sentence import (
    Action,
    Clause,
    NounPhrase,
    Prefaced,
    Pronoun,
    Sentence,
    phrases_of,
)

HoldOut = Literal["source", "adjective-noun", "verb-object", "construction"]
HOLD_OUTS: tuple[HoldOut, ...] = get_args(HoldOut)
_ALIKE = frozenset("red blue green white black yellow small clean expensive happy tired clever".split())
_WIDE = frozenset("see like love have want need buy find help".split())
SHORTEST = 4  # words; shorter sentences are among the most frequent, and are learned


def held_out(sentence: Sentence, words: Sequence[str]) -> HoldOut | None:
    """Returns why this sentence is held out, the rarest reason first; None if it may be trained on.

    A construction is the shape of a clause that has three or more of its extras (tense, negation, question, place, …).
    """
    if isinstance(sentence, Prefaced):
        return held_out(sentence.rest, words)
    shape = _construction(sentence)
    if shape and is_chosen(shape, 1 / 8):
        return "construction"
    if any(is_chosen(f"{verb} {noun}", 1 / 16) for verb, noun in _verbs_and_objects(sentence)):
        return "verb-object"
    if any(is_chosen(f"{adjective} {noun}", 1 / 12) for adjective, noun in _adjectives_and_nouns(sentence)):
        return "adjective-noun"
    return "source" if len(words) >= SHORTEST and is_chosen(" ".join(words), 1 / 20) else None


def is_chosen(what: str, share: float) -> bool:
    """True for this share of all texts, always the same ones."""
    return int.from_bytes(blake2b(what.encode(), digest_size=4).digest(), "big") < share * 2**32


def _adjectives_and_nouns(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yields adjectives that are translated alike at every noun: the translation in "nice name" cannot be told from nice
    houses, nor that of black coffee from black cats where its colour has another name.
    """
    for phrase in phrases_of(sentence):
        if isinstance(phrase, NounPhrase):
            noun = phrase.noun.english
            named = (adjective.english for adjective in phrase.adjectives)
            yield from ((each, noun) for each in named if each in _ALIKE and (noun, each) not in CALLED)


def _verbs_and_objects(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yields verbs that act on many things: what is sung is always a song, and what is spoken a language."""
    if isinstance(sentence, Clause) and isinstance(action := sentence.predicate, Action) and action.verb.english in _WIDE:
        for phrase in action.objects:
            if isinstance(phrase, NounPhrase):
                yield action.verb.english, phrase.noun.english


def _construction(sentence: Sentence) -> str:
    if not isinstance(sentence, Clause):
        return ""
    predicate = sentence.predicate
    extras = {
        "tense": isinstance(predicate, Action) and predicate.tense != "present" and predicate.tense,
        "negated": sentence.negated,
        "question": sentence.question,
        "place": sentence.place is not None,
        "company": sentence.company is not None,
        "time": sentence.time,
        "adverb": sentence.adverb,
        "also": sentence.also,
        "joined": len(sentence.subject) > 1,
        "objects": isinstance(predicate, Action) and len(predicate.objects) > 1,
    }
    given = [f"{name}={value}" for name, value in extras.items() if value]
    who = "pronoun" if sentence.subject and isinstance(sentence.subject[0], Pronoun) else "other"
    return " ".join([type(predicate).__name__, who, *given]) if len(given) > 2 else ""
