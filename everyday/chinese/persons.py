"""The meanings of "you", "they" and "them" in Chinese, and what somebody is, has and is called."""

from collections.abc import Sequence

from everyday.chinese.phrases import PEOPLE, THEY, THINGS, Speaker
from everyday.choice import Choose
from everyday.english import Word
from everyday.sentence import (
    Action,
    Clause,
    Identity,
    NounPhrase,
    Phrase,
    Pronoun,
    Quality,
)

ONE_YOU = ((0.8, "你"), (0.2, "您"))
_COMMANDED_YOU = ((0.8, "你"), (0.2, "你们"))
_LOVED_YOU = ((0.9, "你"), (0.1, "你们"))
_BY_PEOPLE = frozenset(
    "speak read write buy drive cook work learn listen open close sing dance laugh understand know need do take".split()
)
_OF_PEOPLE = frozenset("watchable abstract readable language vehicle song".split())  # not of animals


def identified(what: Phrase, role: str, speaker: Speaker) -> list[Word]:
    """Says what somebody or something is: 老师, 一位老师, 我的朋友."""
    if isinstance(what, NounPhrase) and what.determiner == "a":
        if speaker.negated:
            speaker.without_one = 0.5 if what.adjectives else 1.0
        else:
            speaker.without_one = 0.2 if what.adjectives else 0.5 if "person" in what.noun.kinds else 0.25
    return speaker.phrase(what, role, "what")


def speaker_of(said: Clause, choose: Choose) -> Speaker:
    """Returns a speaker who knows whom "you", "they" and "them" may mean in this clause."""
    speaker, predicate = Speaker(choose), said.predicate
    speaker.negated = said.negated or said.adverb == "never"
    speaker.asks = said.question and not said.asked
    if len(said.subject) > 1:
        speaker.you = ONE_YOU
    elif not said.subject and not said.please:
        speaker.you = _COMMANDED_YOU
    if isinstance(predicate, Identity) and said.subject == (Pronoun("you"),):
        several = isinstance(predicate.what, NounPhrase) and predicate.what.plural
        animal = isinstance(predicate.what, NounPhrase) and "person" not in predicate.what.noun.kinds
        speaker.you = ((1.0, "你们"),) if several else ((1.0, "你"),) if animal else ONE_YOU
    if Pronoun("they") in said.subject:
        speaker.they, speaker.their = _they(said), "they"
    if isinstance(predicate, Action):
        verb = predicate.verb
        speaker.verb = verb.english
        if verb.english == "love":
            speaker.you = _LOVED_YOU
        if verb.english in ("know", "listen"):
            speaker.them = PEOPLE
        elif not verb.objects & {"person", "animal"}:
            speaker.them = THINGS
        speaker.without_one = 1.0 if speaker.negated else 0.5 if _owned(predicate) and speaker.asks else 0.0
    if said.company == Pronoun("they"):
        speaker.them = PEOPLE
    if isinstance(predicate, Quality):
        speaker.group = any(adjective.english in ("big", "small", "old") for adjective in predicate.adjectives)
    return speaker


def _owned(action: Action) -> bool:
    return action.verb.english == "have" and action.tense == "present"


def _they(said: Clause) -> Sequence[tuple[float, str]]:
    predicate = said.predicate
    if isinstance(predicate, Action):
        human = predicate.verb.english in _BY_PEOPLE or any(
            isinstance(what, NounPhrase) and what.noun.kinds & _OF_PEOPLE for what in predicate.objects
        )
        return PEOPLE if human else THEY
    if isinstance(predicate, Quality):
        adjectives = predicate.adjectives
        if any(adjective.kinds & {"thing", "colour"} for adjective in adjectives):
            return THINGS
        return PEOPLE if any(adjective.english == "busy" for adjective in adjectives) else THEY
    if isinstance(predicate, Identity) and isinstance(predicate.what, NounPhrase):
        return PEOPLE if "person" in predicate.what.noun.kinds else THINGS
    return PEOPLE if isinstance(predicate, Identity) or said.place is None else THEY


def has_a_name(whose: NounPhrase) -> bool:
    return whose.noun.english == "name" and not (whose.plural or whose.adjectives) and bool(whose.whose or whose.owner)


def owner(whose: NounPhrase, speaker: Speaker) -> list[Word]:
    """Says the owner, without 的."""
    if whose.owner:
        return speaker.phrase(whose.owner, "s0.owner", "owner")
    return [Word(speaker.possessor(whose), "s0.det")]


def at(said: Clause, speaker: Speaker) -> list[Word]:
    """Says 在 and the place."""
    if not said.place:
        return []
    return [Word("在", "p.prep" if said.place.preposition else "p.noun"), *speaker.where(said.place)]


TOKENS = {word for table in (ONE_YOU, _COMMANDED_YOU, _LOVED_YOU) for _, word in table} | {"在"}
