"""Explains sentences of known words that the grammar lacks: the words that no sentence has side by side, and the nearest
sentences that it has.

Adjacent words come from drawn sentences, by kinds of words: "am five" is missing as much as "am ten".
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from everyday import drawing
from everyday.english import english
from everyday.recogniser import trees
from everyday.scope import Scope
from everyday.suitable import is_suitable
from everyday.words import (
    ADJECTIVES,
    NAMES,
    NOUNS,
    NUMBERS,
    PLACE_NAMES,
    PLACES,
    VERBS,
    Noun,
    Verb,
)

BEGIN, END = "<", ">"  # the ends of a sentence
_DRAWN = 6_000  # sentences
_RUN = 3  # words side by side, at most
_ENDS = 24  # beginnings and endings of sentences, for each kind of word
_STEPS = 3  # changes that lead to another sentence, at most
_KEPT = 8  # sentences that are changed once more

Words = tuple[str, ...]


# Words side by side


def missing(words: Sequence[str], scope: Scope) -> Words:
    """Returns the shortest run of words that no sentence has, with BEGIN or END if none begins or ends so; empty if every run
    occurs, but not the whole.
    """
    return next((run for run in _runs((BEGIN, *words, END)) if not _is_said(run, scope)), ())


def _runs(words: Words) -> Iterator[Words]:
    for length in range(2, _RUN + 1):
        yield from (words[at : at + length] for at in range(len(words) - length + 1))


@lru_cache(maxsize=1024)
def _is_said(run: Words, scope: Scope) -> bool:
    """True if a sentence has these words: a drawn one, or one that begins and ends like drawn ones, because rare sentences are
    not drawn.
    """
    seen, beginnings, endings = _drawn(scope)
    begun, ended = beginnings.get(_kind(run[0]), ()), endings.get(_kind(run[-1]), ())
    whole = ((*first, *run, *last) for first in begun for last in ended)
    return _kinds(run) in seen or any(trees([word for word in words if word not in (BEGIN, END)]) for words in whole)


@cache
def _drawn(scope: Scope) -> tuple[set[Words], dict[str, list[Words]], dict[str, list[Words]]]:
    """Returns, of drawn sentences, all runs by their kinds, and what comes before and after a word of each kind."""
    generator = random.Random(2017)
    drawn = [(BEGIN, *(word.text for word in english(drawing.draw(generator, scope))), END) for _ in range(_DRAWN)]
    seen = {_kinds(run) for words in drawn for run in _runs(words)}
    beginnings, endings = dict[str, dict[Words, Words]](), dict[str, dict[Words, Words]]()
    for words in sorted(drawn, key=len):
        kinds = _kinds(words)
        for at, kind in enumerate(kinds):
            beginnings.setdefault(kind, {}).setdefault(kinds[:at], words[:at])
            endings.setdefault(kind, {}).setdefault(kinds[at + 1 :], words[at + 1 :])
    return seen, _some(beginnings), _some(endings)


def _some(found: dict[str, dict[Words, Words]]) -> dict[str, list[Words]]:
    return {kind: [*by_kinds.values()][:_ENDS] for kind, by_kinds in found.items()}


# Kinds of words

# Words that stand wherever the others of their row do; any other word of the grammar's own is a kind by itself.
_ALIKE = {
    word: row
    for row in (
        "he she", "we they", "me him us them", "my your his our their", "this that", "these those", "in under on",
        "often sometimes always never", "very so", "does did", "some many", "today now yesterday", "was were",
    )
    for word in row.split()
}  # fmt: skip


def _kinds(words: Sequence[str]) -> Words:
    return tuple(map(_kind, words))


@cache
def _kind(word: str) -> str:
    return " ".join(sorted(_roles(word))) or _ALIKE.get(word, word)


def _roles(word: str) -> Iterator[str]:
    """Yields the roles that a word can have."""
    yield from (_role_of_noun(noun, word == noun.plural) for noun in NOUNS.values() if word in (noun.english, noun.plural))
    for verb in VERBS.values():
        forms = {"base": verb.english, "third": verb.third, "ing": verb.ing, "past": verb.past}
        yield from (f"{name} {_role_of_verb(verb)}" for name, form in forms.items() if form == word)
    if word in ADJECTIVES:
        yield "state" if "state" in ADJECTIVES[word].kinds else "adjective"
    if word in NAMES or word in PLACES:
        yield "name" if word in NAMES else "place" if word in PLACE_NAMES else word
    if word in NUMBERS:
        yield "one" if word == "one" else "number"


def _role_of_noun(noun: Noun, plural: bool) -> str:
    if "language" in noun.kinds:
        return "language"
    if noun.english in ("mom", "dad"):
        return "moms" if plural else "mom"
    return "nouns" if plural else "noun" if noun.counted else "mass"


def _role_of_verb(verb: Verb) -> str:
    wish = {"want": "wish", "need": "wish", "like": "like", "love": "like"}.get(verb.english, "")
    objects = ("optional " if "optional" in verb.kinds else "") + ("object" if verb.objects else "")
    return " ".join([wish, objects, verb.particle or "", *sorted(verb.kinds & {"place", "goal", "asked"})])


# The nearest sentences

_SMALL = """a the my this i you he she it we they me him her is are am was do does did can not to with want like
some very one what where who""".split()
_OTHERS = "happy hungry good big cat book milk mom anna here home today sleep eat see".split()


def nearest(words: Sequence[str], scope: Scope, known: Sequence[str]) -> list[Words]:
    """Returns sentences of the grammar, in known words, that are reached by the fewest changes of these words, the nearest
    first: suitable ones, or else the nearest alone. Empty if it would take too many changes.
    """
    reached: dict[Words, float] = {tuple(words): 0.0}
    for _step in range(_STEPS):
        changed: dict[Words, float] = {}
        for sentence, cost in reached.items():
            for more, other in _changes(sentence, scope, known):
                changed[other] = min(changed.get(other, cost + more), cost + more)
        if found := sorted(filter(trees, changed), key=lambda other: changed[other]):
            return [other for other in found if len(other) > 1 and is_suitable(trees(other)[0])] or found[:1]
        far = {other: cost + _unseen(other, scope) for other, cost in changed.items()}
        reached = {other: changed[other] for other in sorted(far, key=lambda other: far[other])[:_KEPT]}
    return []


def _unseen(sentence: Words, scope: Scope) -> int:
    """Counts the runs of a sentence that were not drawn."""
    return sum(_kinds(run) not in _drawn(scope)[0] for run in _runs((BEGIN, *sentence, END)))


def _changes(sentence: Words, scope: Scope, known: Sequence[str]) -> Iterator[tuple[float, Words]]:
    """Yields sentences that differ in one place, where adjacent words were not drawn, and how much they differ."""
    first, last = _place(sentence, scope)
    for start in range(last):
        for end in range(max(start, first) + 1, len(sentence) + 1):
            if end - start < len(sentence):
                yield sum(map(_weight, sentence[start:end])), (*sentence[:start], *sentence[end:])
    for at in range(first, last):
        for cost, word in _instead(sentence[at]):
            if word in known:
                yield cost, (*sentence[:at], word, *sentence[at + 1 :])
    for at in range(first, last + 1):
        yield from ((0.7, (*sentence[:at], word, *sentence[at:])) for word in _SMALL if word in known)


def _weight(word: str) -> float:
    """Returns how much is lost without a word."""
    return 0.6 if word in _SMALL else 1.0


def _place(sentence: Words, scope: Scope) -> tuple[int, int]:
    """Returns the range of a sentence's first unseen run; all of it if there is none."""
    said, (seen, *_rest) = (BEGIN, *sentence, END), _drawn(scope)
    for length in range(2, _RUN + 1):
        for at in range(len(said) - length + 1):
            if _kinds(said[at : at + length]) not in seen:
                return max(at - 1, 0), min(at - 1 + length, len(sentence))
    return 0, len(sentence)


def _instead(word: str) -> Iterator[tuple[float, str]]:
    """Yields replacements of a word, and how much each changes: its other forms come first."""
    forms = next((entry for entry in _forms() if word in entry), ())
    yield from ((0.5, form) for form in forms if form != word)
    yield from ((_weight(word) + 0.3, small) for small in _SMALL)
    yield from ((_weight(word) + 0.6, other) for other in _OTHERS)


@cache
def _forms() -> list[Words]:
    nouns = [(noun.english, noun.plural) for noun in NOUNS.values()]
    verbs = [(verb.english, verb.third, verb.ing, verb.past) for verb in VERBS.values()]
    return [tuple(form for form in entry if form) for entry in (*nouns, *verbs, ("am", "is", "are", "was", "were"))]
