"""Suggests known words for an unknown one, and lists all words by kind."""

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import cache

from everyday.english import WORDS
from everyday.tables import read
from everyday.words import (
    ADJECTIVES,
    ADVERBS,
    DEMONSTRATIVES,
    NAMES,
    NOUNS,
    NUMBERS,
    PHRASES,
    PLACES,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTITIES,
    TIMES,
    VERBS,
)

_MOST = 3  # similar words that are named
_NEARNESS = 0.76  # of spelling: one wrong letter in five, not in four
_LONG = 6  # letters from which on a word may be another unknown one, misspelt: nobody is told "sleep" (lie) for "lime"
_NUMERALS = ("five", "ten")

Entry = tuple[str, ...]  # a word with its other forms, the base first


def similar_words(word: str, known: Collection[str] = WORDS) -> list[str]:
    """Returns up to three known words, the nearest in meaning or else in spelling first; none for a known word."""
    word = word.lower()
    if word in known:
        return []
    if word.isdecimal():
        return [number for number in _NUMERALS if number in known]
    return _among(known, _meant(word)) or _among(known, (near for other in _spelt_like(word) for near in _meant(other)))


def _spelt_like(word: str) -> list[str]:
    unknown = _table() if len(word) >= _LONG else ()
    return get_close_matches(word, WORDS, _MOST, _NEARNESS) or get_close_matches(word, unknown, 1, _NEARNESS)


def _among(known: Collection[str], words: Iterable[str]) -> list[str]:
    """Returns the known words among these; if there are none, others of their kind."""
    near = list(dict.fromkeys(words))
    kind = (other for word in near for other in _of_its_kind(word))
    found = [word for word in near if word in known] or [word for word in dict.fromkeys(kind) if word in known]
    return found[:_MOST]


def _meant(word: str) -> list[str]:
    """Returns words of the grammar for a word: itself, similar ones, or those similar to its base form, in its form first."""
    if word in _bases():
        return _near(word)
    base, ending = _inflected().get(word, ("", ""))
    near = _near(base) if base else []
    return [*(_in_form(each, ending) for each in near), *near]


def _near(base: str) -> list[str]:
    return list(_table().get(base, (base,)))


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """Returns the known words that are similar to an unknown one, the nearest first."""
    rows = read("english/similar_words", "known unknown")
    return {word: row.words("known", WORDS) for row in rows for word in row.words("unknown")}


@cache
def _bases() -> dict[str, None]:
    """Returns all words with any entry, in a fixed order."""
    return dict.fromkeys((*WORDS, *_table()))


# Forms


@cache
def _inflected() -> dict[str, tuple[str, str]]:
    """Maps inflected forms by rule, even wrong ones ("swimmed"), to the word and the ending."""
    return {form: (base, ending) for base in _bases() for ending in _endings(base) for form in _with(base, ending)}


def _endings(base: str) -> tuple[str, ...]:
    """Returns the endings that the word may have, by those of its nearest word."""
    nearest = _near(base)[0]
    if nearest in NOUNS:
        return ("s",)
    if nearest in VERBS:
        return ("ed", "ing", "s")
    return ("er", "est", "ly") if nearest in ADJECTIVES else ()


def _with(word: str, ending: str) -> Iterator[str]:
    """Yields the spellings of the word with the ending."""
    yield word + ending
    if ending == "s":
        yield word + "es"
    else:
        yield word + word[-1] + ending
    if word.endswith("e"):
        yield word[:-1] + ending
    if word.endswith("y"):
        yield word[:-1] + ("ies" if ending == "s" else "i" + ending)


def _in_form(word: str, ending: str) -> str:
    """Returns the word's form with this ending: "mice" for "mouse" and s; itself if it has no such form."""
    if word in NOUNS and ending == "s":
        return NOUNS[word].plural or word
    if word in VERBS:
        verb = VERBS[word]
        return {"s": verb.third, "ed": verb.past, "ing": verb.ing}.get(ending) or word
    return word


# Kinds


@cache
def words_by_kind() -> dict[str, tuple[Entry, ...]]:
    """Returns all words of the grammar, by kind; each with its other forms."""
    nouns: dict[str, list[Entry]] = {}
    for noun in NOUNS.values():
        nouns.setdefault(_kind_of_noun(noun.kinds), []).append(_forms(noun.english, noun.plural))
    adjectives = [adjective.english for adjective in ADJECTIVES.values() if "colour" not in adjective.kinds]
    colours = [adjective.english for adjective in ADJECTIVES.values() if "colour" in adjective.kinds]
    return {
        "people": tuple(nouns["people"]),
        "animals": tuple(nouns["animals"]),
        "food": tuple(nouns["food"]),
        "things": tuple(nouns["things"]),
        "places": (*nouns["places"], *_each(place for place in PLACES if place not in NOUNS)),
        "languages": tuple(nouns["languages"]),
        "adjectives": _each(adjectives),
        "colours": _each(colours),
        "verbs": tuple(_forms(verb.english, verb.third, verb.ing, verb.past) for verb in VERBS.values()),
        "names": _each(NAMES),
        "pronouns": tuple(_forms(subject, said) for subject, said in PRONOUNS.items()),
        "determiners": (("the",), ("a", "an"), *_each((*POSSESSIVES, *DEMONSTRATIVES, *QUANTITIES)), ("'s",)),
        "numbers": _each(NUMBERS),
        "time": _each((*TIMES, *ADVERBS)),
        "questions": _each(("what", "who", "where", "when", "why")),
        "helpers": (("be", "am", "is", "are", "was", "were"), ("do", "does", "did"), ("can",), ("not",)),
        "links": _each((*PREPOSITIONS, "with", "and", "very", "so", "too", "very much", "a lot", "please")),
        "phrases": _each(PHRASES),
    }


def _kind_of_noun(kinds: frozenset[str]) -> str:
    for sort, kind in _KINDS_OF_NOUNS.items():
        if sort in kinds:
            return kind
    return "things"


_KINDS_OF_NOUNS = {
    "person": "people",
    "animal": "animals",
    "food": "food",
    "drink": "food",
    "language": "languages",
    "goal": "places",
    "sky": "places",
    "thing": "things",
    "surface": "places",
}


def _forms(*forms: str | None) -> Entry:
    return tuple(dict.fromkeys(form for form in forms if form))


def _each(words: Iterable[str]) -> tuple[Entry, ...]:
    return tuple((word,) for word in words)


def _of_its_kind(word: str) -> Iterator[str]:
    """Yields the other words of the same kind, in their base form."""
    for entries in words_by_kind().values():
        if any(word in entry for entry in entries):
            yield from (entry[0] for entry in entries)
