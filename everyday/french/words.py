"""The French words of everyday sentences: their forms, and the choice among them for an English word."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple, TypeVar

from everyday.tables import Row, read
from everyday.words import ADJECTIVES as ENGLISH_ADJECTIVES
from everyday.words import NOUN_KINDS
from everyday.words import NOUNS as ENGLISH_NOUNS
from everyday.words import VERBS as ENGLISH_VERBS

Key = TypeVar("Key")
Value = TypeVar("Value")
Weighted = tuple[tuple[float, Value], ...]


class FrenchNoun(NamedTuple):
    singular: tuple[str, ...]
    plural: tuple[str, ...]
    feminine: bool


class FrenchAdjective(NamedTuple):
    """`forms`: masculine, feminine, both in the plural. `before_vowel`: the masculine before a noun in a vowel, "bel"."""

    name: str
    forms: tuple[tuple[str, ...], ...]
    before_vowel: str
    stands_before: bool


class FrenchVerb(NamedTuple):
    """`present`: je, tu, il, nous, vous, ils. `tail` follows the verb: "faire la cuisine"."""

    infinitive: str
    present: tuple[str, ...]
    imperative: tuple[str, str]
    participle: str
    imperfect: tuple[str, ...]
    with_etre: bool = False
    reflexive: bool = False
    tail: tuple[str, ...] = ()


def starts_with_vowel(word: str) -> bool:
    """True if "le" before it becomes "l'". The h is mute, except in "haut"."""
    return word[0] in "aeiouyhéêàâôœA" and word[:4] != "haut"


def _grouped(options: Iterable[tuple[Key, tuple[float, Value]]]) -> dict[Key, list[tuple[float, Value]]]:
    """Collects the options of each key, in order."""
    found: dict[Key, list[tuple[float, Value]]] = {}
    for key, option in options:
        found.setdefault(key, []).append(option)
    return found


def _shares(options: list[tuple[float, Value]]) -> Weighted[Value]:
    """Scales the shares so that they sum to 1. Options with a share of 0 count only where there is no other."""
    total = sum(share for share, _ in options)
    if total == 0:
        return tuple((1 / len(options), value) for _, value in options)
    return tuple((share / total, value) for share, value in options if share)


def _plural(word: str) -> str:
    """Returns the regular plural, of the first word if there are several: "salles de bain"."""
    first, *rest = word.split()
    if first.endswith("al"):
        first = first[:-2] + "aux"
    elif first.endswith("eau"):
        first += "x"
    elif first[-1] not in "sx":
        first += "s"
    return " ".join([first, *rest])


# --- Nouns. -------------------------------------------------------------------------------------------------------------------


def _noun(row: Row) -> tuple[float, FrenchNoun]:
    french, feminine = row.text("french"), row.one_of("gender", {"m", "f"}) == "f"
    return row.number("share"), FrenchNoun(tuple(french.split()), tuple(_plural(french).split()), feminine)


def _key(row: Row) -> str:
    """Returns the key of a row: "room", "room.own"."""
    return ".".join((row.one_of("english", ENGLISH_NOUNS), *row.words("use", {"own", "is", "taken", "called"})))


def _nouns() -> dict[tuple[str, bool | None], Weighted[FrenchNoun]]:
    rows = read("french/nouns", "english use french gender share", keys=4)
    options = _grouped((_key(row), _noun(row)) for row in rows)
    return {
        (english, feminine): _shares([each for each in found if feminine in (None, each[1].feminine)] or found)
        for english, found in options.items()
        for feminine in (None, False, True)
    }


# English noun -> its French nouns; (…, True): the feminine ones, if any. A share of 0: said only if the gender is
# known. "room.own": a room of one's own; "teacher.is": a profession; "picture.taken", by a camera; "mom.called", as a name.
NOUNS = _nouns()


def only_gender(english: str) -> bool | None:
    """Returns whether the noun is feminine; None for friends and teachers, who can be both."""
    masculine, feminine = (NOUNS[english, gender][0][1].feminine for gender in (False, True))
    return feminine if masculine == feminine else None


# --- Adjectives. --------------------------------------------------------------------------------------------------------------

# Nouns that can be called "gros" as well as "grand", and nouns that can be "neuf".
_BULKY = frozenset(
    """cat dog bird fish rabbit cow mouse apple banana egg cake cheese bread car book box bag ball tree flower boat computer cup
    star""".split()
)
_MADE = frozenset("house car book table chair bed door window box bag cup ball phone computer shoe bike bus train boat".split())

# By the masculine; "=" for the feminine: one form of all.
_ADJECTIVES = {row.text("masculine"): row for row in read("french/adjectives", "masculine feminine before_vowel")}


def _adjective(row: Row) -> tuple[float, FrenchAdjective]:
    name, stands_before = row.text("french"), row.one_of("position", {"before", "behind"}) == "before"
    before_vowel = name
    if name.startswith("qui a "):  # "a cold man" is one who is cold: "un homme qui a froid"
        forms = [name, name, *[name.replace(" a ", " ont ")] * 2]
    elif name not in _ADJECTIVES:
        raise row.error(f"french {name!r} is missing in french/adjectives.tsv")
    else:
        feminine = _ADJECTIVES[name].text("feminine")
        before_vowel = _ADJECTIVES[name].optional("before_vowel") or name
        forms = [name] * 4 if feminine == "=" else [name, feminine, _plural(name), _plural(feminine)]
    adjective = FrenchAdjective(name, tuple(tuple(form.split()) for form in forms), before_vowel, stands_before)
    return row.number("share"), adjective


# What an adjective can be said of: English nouns, kinds of nouns, and the other tags of `_tags`.
_SAID_OF = ENGLISH_NOUNS.keys() | NOUN_KINDS | set("m f attribute living bulky made they it ce alone".split())
# English adjective, what it is said of (all of these) -> its French adjectives. The first that fits counts.
_SENSES = _grouped(
    ((row.one_of("english", ENGLISH_ADJECTIVES), row.words("said_of", _SAID_OF)), _adjective(row))
    for row in read("french/senses", "english said_of french position share", keys=4)
)


def is_living(head: str) -> bool:
    """True if somebody is meant who can be cold or hungry; a fish is food."""
    noun = ENGLISH_NOUNS.get(head)
    return head == "person" if noun is None else noun.alive and "food" not in noun.kinds


def _tags(head: str, feminine: bool, attribute: bool) -> frozenset[str]:
    """`head`: an English noun, person, thing, they, it, ce, or alone (an adjective by itself)."""
    noun = ENGLISH_NOUNS.get(head)
    tags = {head, "f" if feminine else "m"} | (noun.kinds if noun else set())
    others = {"attribute": attribute, "living": is_living(head), "bulky": head in _BULKY, "made": head in _MADE}
    return frozenset(tags | {tag for tag, holds in others.items() if holds})


@cache
def adjectives(english: str, head: str, feminine: bool, attribute: bool) -> Weighted[FrenchAdjective]:
    """Returns the French adjectives for an English one before a noun (`attribute`) or after "to be"."""
    tags = _tags(head, feminine, attribute)
    fitting = (options for (adjective, of), options in _SENSES.items() if adjective == english and tags.issuperset(of))
    return _shares(next(fitting))


# The order of adjectives before a noun: "une belle petite maison".
_ORDER = ("beau joli bon mauvais gentil méchant", "nouveau", "grand gros long haut", "vieux jeune", "petit")
RANK = {word: rank for rank, words in enumerate(_ORDER) for word in words.split()}
STATES = {"hungry": "faim", "thirsty": "soif", "hot": "chaud", "cold": "froid"}  # with avoir
WEATHER = {"hot": "chaud", "cold": "froid", "nice": "beau"}  # "it is …": il fait …

# --- Verbs. -------------------------------------------------------------------------------------------------------------------

_PRONOUNS = ("je", "tu", "il", "nous", "vous", "ils")
_COLUMNS = "infinitive je tu il nous vous ils participle"
_IRREGULAR = {row.text("infinitive"): row for row in read("french/irregular_verbs", _COLUMNS)}
_IMPERATIVES = {"être": ("sois", "soyez"), "avoir": ("aie", "ayez"), "savoir": ("sache", "sachez"), "aller": ("va", "allez")}
_WITH_ETRE = frozenset({"aller", "venir", "rentrer", "partir"})


def _verb(infinitive: str) -> FrenchVerb:
    """Returns the forms of a verb: those of the table, or the regular ones of a verb in -er."""
    if (row := _IRREGULAR.get(infinitive)) is not None:
        present, participle = [row.text(pronoun) for pronoun in _PRONOUNS], row.text("participle")
    else:
        stem = infinitive.removesuffix("er")
        present, participle = [stem + ending for ending in "e es e ons ez ent".split()], stem + "é"
    second = present[1]
    imperative = _IMPERATIVES.get(infinitive, (second[:-1] if second.endswith("es") else second, present[4]))
    stem = "ét" if infinitive == "être" else present[3].removesuffix("ons")
    imperfect = tuple(stem + ending for ending in "ais ais ait ions iez aient".split())
    return FrenchVerb(infinitive, tuple(present), imperative, participle, imperfect, infinitive in _WITH_ETRE)


def _phrase(text: str) -> FrenchVerb:
    """Parses "faire la cuisine", "se promener"."""
    reflexive = text.startswith("se ")
    infinitive, *tail = text.removeprefix("se ").split()
    verb = _verb(infinitive)
    return verb._replace(with_etre=verb.with_etre or reflexive, reflexive=reflexive, tail=tuple(tail))


def _translated(row: Row) -> tuple[float, FrenchVerb]:
    french = row.text("french")
    infinitive = french.removeprefix("se ").split()[0]
    if infinitive not in _IRREGULAR and not infinitive.endswith("er"):
        raise row.error(f"french {infinitive!r} is missing in french/irregular_verbs.tsv")
    return row.number("share"), _phrase(french)


_TRANSLATED = _grouped(
    ((row.one_of("english", ENGLISH_VERBS), row.optional("object")), _translated(row))
    for row in read("french/verbs", "english object french share", keys=3)
)
VERBS = {english: _shares(options) for (english, object_), options in _TRANSLATED.items() if not object_}
VERBS_WITH_OBJECT = {english: _shares(options) for (english, object_), options in _TRANSLATED.items() if object_}
ETRE, AVOIR, ALLER, FAIRE = map(_verb, ("être", "avoir", "aller", "faire"))
AIMER, ADORER, VOULOIR, POUVOIR = map(_verb, ("aimer", "adorer", "vouloir", "pouvoir"))
SAVOIR, DEVOIR, PARTIR, ARRIVER = map(_verb, ("savoir", "devoir", "partir", "arriver"))
RENTRER, MARCHER, SE_APPELER = _verb("rentrer"), _verb("marcher"), _phrase("se appeler")


def agreed(participle: str, feminine: bool, plural: bool) -> str:
    """Returns the participle in gender and number: "vues"."""
    with_gender = participle + "e" if feminine else participle
    return with_gender + "s" if plural and with_gender[-1] != "s" else with_gender


def said_words() -> set[str]:
    """Returns all words of the tables that a sentence can have."""
    found: set[str] = set()
    for (english, _), nouns in NOUNS.items():
        counted = ENGLISH_NOUNS[english.partition(".")[0]].counted
        for _, noun in nouns:
            found.update(noun.singular, noun.plural if counted else ())
    for options in _SENSES.values():
        for _, adjective in options:
            found.update(*adjective.forms, [adjective.before_vowel] if adjective.stands_before else [])
    for (english, _), verbs in _TRANSLATED.items():
        acting = ENGLISH_VERBS[english]
        for _, verb in verbs:
            found.update((verb.infinitive, *verb.present, *verb.imperative, *verb.tail))
            found.update(verb.imperfect if english == "live" else ())
            found.update(_participles(verb, bool(acting.objects)) if acting.past else ())
    for verb in (RENTRER, PARTIR):
        found.update((verb.infinitive, *verb.present, *verb.imperative, *_participles(verb, False)))
    for verb in (ETRE, ARRIVER, SE_APPELER, POUVOIR, SAVOIR, DEVOIR):
        found.update(verb.present)
    return found | {*ETRE.imperfect, *AVOIR.imperfect, *ETRE.imperative}


def _participles(verb: FrenchVerb, with_object: bool) -> set[str]:
    """Returns the forms of the participle: it agrees with the subject of être, with an object before avoir."""
    agrees = (False, True) if with_object or verb.with_etre else (False,)
    return {agreed(verb.participle, feminine, plural) for feminine in agrees for plural in agrees}
