"""Sentences as trees, independent of language. All are frozen, so that they can be keys."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from everyday.words import POSSESSIVES, VERBS, Adjective, Noun, Verb

Tense = Literal["present", "progressive", "past", "can", "want", "need", "like", "love"]  # from "can" on: to do something


@dataclass(frozen=True)
class Pronoun:
    """`word` is the form of the subject: i, you, he, she, it, we, they; "what" asks for an object and "who" for a subject."""

    word: str


@dataclass(frozen=True)
class Name:
    word: str


@dataclass(frozen=True)
class NounPhrase:
    """A noun and what belongs to it: "my two very old cats".

    Attributes:
        determiner: the, a, this, that, these, those, a possessive, some, many, "a lot of", no, or None.
        number: one, two, …; after a determiner or alone.
        owner: "Anna's", "my father's", in the place of a determiner.
        joined: whether "and" is between its two adjectives.
        of: the content: "a cup of tea".
        shared: whether the determiner, number or owner of the phrase before also counts here ("my brother and sister").
    """

    noun: Noun
    plural: bool = False
    determiner: str | None = None
    number: str | None = None
    owner: "Name | NounPhrase | None" = None
    adjectives: tuple[Adjective, ...] = ()
    joined: bool = False
    very: bool = False
    of: Noun | None = None
    shared: bool = False

    @property
    def whose(self) -> str | None:
        """The pronoun of a possessive: "i" for "my"."""
        return POSSESSIVES.get(self.determiner or "")


Phrase = Pronoun | Name | NounPhrase


@dataclass(frozen=True)
class Place:
    """ "in the garden", "at school", "home", "here", "from China": `where` is a phrase or a key of words.PLACES."""

    preposition: str | None
    where: NounPhrase | str


@dataclass(frozen=True)
class Action:
    """A verb with up to two objects. `gerund`: "like (or love) swimming" for "to swim". `much`: "very much", "a lot" …"""

    verb: Verb
    tense: Tense = "present"
    objects: tuple[Phrase, ...] = ()
    gerund: bool = False
    much: str | None = None


@dataclass(frozen=True)
class Quality:
    """One adjective or two with "and"; `degree` is very, too or so."""

    adjectives: tuple[Adjective, ...]
    degree: str | None = None


@dataclass(frozen=True)
class Identity:
    """Is somebody or something: "is a teacher", "is my friend"."""

    what: Phrase


@dataclass(frozen=True)
class Being:
    """Is somewhere, or with somebody: the clause says where."""


@dataclass(frozen=True)
class Clause:
    """Somebody does or is something. A command has no subject.

    Attributes:
        asked: why, where or when, at the beginning of a question.
        past: "was" for "is"; an action has its tense.
        adverb: always, often, sometimes, never (then the clause is not `negated`).
        company: "with Anna". `place_first`: the place is before it in English.
        time_first: the time is at the beginning in English.
        also: "too" at the end.
        please: at the end, or `please_first`.
    """

    subject: tuple[Phrase, ...]
    predicate: Action | Quality | Identity | Being
    negated: bool = False
    question: bool = False
    asked: str | None = None
    past: bool = False
    adverb: str | None = None
    company: Phrase | None = None
    place: Place | None = None
    place_first: bool = False
    time: str | None = None
    time_first: bool = False
    also: bool = False
    please: bool = False
    please_first: bool = False


@dataclass(frozen=True)
class Pointing:
    """ "this is my book", "are those your keys", "that is not good". `this` is one of words.DEMONSTRATIVES."""

    this: str
    what: tuple[Phrase, ...] | Quality
    negated: bool = False
    question: bool = False


@dataclass(frozen=True)
class There:
    """ "there are two cats in the garden"."""

    what: tuple[Phrase, ...]
    place: Place | None = None
    negated: bool = False
    question: bool = False


@dataclass(frozen=True)
class Where:
    """ "where is my book"."""

    subject: tuple[Phrase, ...]


@dataclass(frozen=True)
class Asking:
    """ "who is he", "what is this": `word` is who, what, how or "how old", `about` a phrase or one of words.DEMONSTRATIVES."""

    word: str
    about: tuple[Phrase, ...] | str


@dataclass(frozen=True)
class Phrases:
    """One or two phrases alone: "a red apple", "my mother and my father"; `please`: "a coffee please"."""

    parts: tuple[Phrase, ...]
    please: bool = False


@dataclass(frozen=True)
class Description:
    """Adjectives alone: "very beautiful"."""

    quality: Quality


@dataclass(frozen=True)
class Fixed:
    """A set phrase, one of words.PHRASES; a greeting may say `to` whom ("good morning, mom", "thank you, my friend")."""

    text: str
    to: Phrase | None = None


@dataclass(frozen=True)
class Prefaced:
    """A set phrase, one of words.PREFACES, before a sentence: "yes, I am happy", "excuse me, where is the station"."""

    preface: Fixed
    rest: "Clause | Pointing | There | Where | Asking | Phrases | Description | Fixed"


Sentence = Prefaced | Clause | Pointing | There | Where | Asking | Phrases | Description | Fixed


def several(subject: tuple[Phrase, ...]) -> bool:
    """True if the verb of this subject is plural in English."""
    if len(subject) != 1:
        return len(subject) > 1
    (one,) = subject
    return one.word in ("you", "we", "they") if isinstance(one, Pronoun) else isinstance(one, NounPhrase) and one.plural


def phrases_of(sentence: Sentence) -> Iterator[Phrase]:
    """Yields all phrases of the sentence, without those within others."""
    match sentence:
        case Prefaced(_, rest):
            yield from phrases_of(rest)
        case Clause(subject, predicate):
            yield from subject
            if isinstance(predicate, Action):
                yield from predicate.objects
            if isinstance(predicate, Identity):
                yield predicate.what
            if sentence.company:
                yield sentence.company
            if sentence.place and isinstance(sentence.place.where, NounPhrase):
                yield sentence.place.where
        case Phrases(phrases) | Where(phrases):
            yield from phrases
        case Pointing(_, what) | There(what) | Asking(_, what):
            yield from () if isinstance(what, Quality | str) else what


def plain(sentence: Sentence) -> Sentence:
    """Returns the plain form: "he does not have friends" for "he has no friends", "I come from" for "I am from China"."""
    match sentence:
        case Clause(_, Being(), place=Place("from")):
            return replace(sentence, predicate=Action(VERBS["come"]))
        case Clause(_, Action(objects=objects) as action) if _none(objects):
            return replace(sentence, negated=True, predicate=replace(action, objects=_some(objects)))
        case There(what) | Pointing(_, what) if not isinstance(what, Quality) and _none(what):
            return replace(sentence, negated=True, what=_some(what))
        case Prefaced(_, rest):
            return replace(sentence, rest=plain(rest))  # type: ignore[arg-type]
    return sentence


def _none(phrases: tuple[Phrase, ...]) -> bool:
    return bool(phrases) and all(isinstance(phrase, NounPhrase) and phrase.determiner == "no" for phrase in phrases)


def _some(none: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """Returns the phrases without their "no"."""
    phrases = [phrase for phrase in none if isinstance(phrase, NounPhrase)]
    return tuple(replace(phrase, determiner=None if phrase.plural or not phrase.noun.counted else "a") for phrase in phrases)
