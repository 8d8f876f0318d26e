"""Which sentences no model is trained on: some by chance, and some because what they put together is never seen together.

Decided by a hash of what is held out, so that it depends on no drawing and no seed.
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
)  # fmt: skip

HoldOut = Literal["source", "adjective-noun", "verb-object", "construction"]
HOLD_OUTS: tuple[HoldOut, ...] = get_args(HoldOut)
_ALIKE = frozenset("red blue green white black yellow small clean expensive happy tired clever".split())
_WIDE = frozenset("see like love have want need buy find help".split())
SHORTEST = 4  # words; what is shorter is among what people say most, and is learned


def held_out(sentence: Sentence, words: Sequence[str]) -> HoldOut | None:
    """Why this sentence is held out, the rarest reason first; None: it may be trained on.

    A construction is the shape of a clause that has three or more of its extras (tense, negation, question, place, …).
    """
    if isinstance(sentence, Prefaced):
        return held_out(sentence.rest, words)
    shape = _construction(sentence)
    if shape and _chosen(shape, 1 / 8):
        return "construction"
    if any(_chosen(f"{verb} {noun}", 1 / 16) for verb, noun in _verbs_and_objects(sentence)):
        return "verb-object"
    if any(_chosen(f"{adjective} {noun}", 1 / 12) for adjective, noun in _adjectives_and_nouns(sentence)):
        return "adjective-noun"
    return "source" if len(words) >= SHORTEST and _chosen(" ".join(words), 1 / 20) else None


def _chosen(what: str, share: float) -> bool:
    return int.from_bytes(blake2b(what.encode(), digest_size=4).digest(), "big") < share * 2**32


def _adjectives_and_nouns(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Of adjectives that are translated alike at every noun: how a "nice name" is called cannot be told from nice houses,
    nor black coffee from black cats where it is called by its colour."""
    for phrase in phrases_of(sentence):
        if isinstance(phrase, NounPhrase):
            noun = phrase.noun.english
            named = (adjective.english for adjective in phrase.adjectives)
            yield from ((each, noun) for each in named if each in _ALIKE and (noun, each) not in CALLED)


def _verbs_and_objects(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Of verbs that act on many things: what is sung is a song, and what is spoken a language, which none should miss."""
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
        "negated": sentence.negated, "question": sentence.question, "place": sentence.place is not None,
        "company": sentence.company is not None, "time": sentence.time, "adverb": sentence.adverb, "also": sentence.also,
        "joined": len(sentence.subject) > 1, "objects": isinstance(predicate, Action) and len(predicate.objects) > 1,
    }  # fmt: skip
    given = [f"{name}={value}" for name, value in extras.items() if value]
    who = "pronoun" if sentence.subject and isinstance(sentence.subject[0], Pronoun) else "other"
    return " ".join([type(predicate).__name__, who, *given]) if len(given) > 2 else ""
