"""Selects the sentences that the app may show unasked: sensible ones, with nothing unkind in them."""

from collections.abc import Sequence

from everyday.sentence import (
    Action,
    Asking,
    Being,
    Clause,
    Description,
    Fixed,
    Identity,
    Name,
    NounPhrase,
    Phrase,
    Phrases,
    Place,
    Pointing,
    Prefaced,
    Pronoun,
    Quality,
    Sentence,
    There,
    Where,
)
from everyday.words import NUMBERS, PLACE_NAMES, Adjective, Noun


def is_suitable(sentence: Sentence) -> bool:
    """True if a sentence makes sense and could hurt nobody."""
    match sentence:
        case Prefaced(_, rest):
            return is_suitable(rest) and rest != Fixed("please")
        case Clause():
            return _clause(sentence)
        case Pointing(negated=True, question=True) | There(negated=True, question=True):
            return False
        case Pointing(_, what):
            return not isinstance(what, Quality) and all(map(_natural, what))
        case There(what, place):
            return place is not None and all(map(_natural, what)) and _is_there(what[0], place)
        case Where(subject):
            return all(map(_natural, subject)) and all(map(_found_somewhere, subject))
        case Phrases(parts):
            return all(map(_natural, parts)) and _go_together(parts)
        case Asking(_, about):
            return isinstance(about, str) or all(_natural(one) and (_somebody(one) or _is(one, "animal")) for one in about)
        case Fixed():
            return True
        case Description():
            return False


# --- Phrases. -----------------------------------------------------------------------------------------------------------------

_TO_PEOPLE = frozenset("good young nice clever funny happy beautiful strong tall tired hungry thirsty busy".split())
_OPPOSITES = ({"big", "small"}, {"old", "new"}, {"old", "young"}, {"hot", "cold"}, {"fast", "slow"}, {"open", "closed"})
_OF_PLACES = frozenset("big beautiful old interesting nice".split())
_ONE_OF = frozenset("mother father mom dad family name".split())  # nobody has several
_OWNED = frozenset({"thing", "kin", "animal", "readable", "food", "drink"})
_OWNED_PLACES = frozenset("school city kitchen room garden".split())


def _natural(phrase: Phrase) -> bool:
    """True if people say it: a noun with a determiner if it needs one, and adjectives that fit and are kind."""
    if not isinstance(phrase, NounPhrase):
        return True
    noun, owner = phrase.noun, phrase.owner
    if phrase.determiner == "no":
        return False
    bare = not (phrase.determiner or phrase.number or owner or phrase.shared)
    if bare and ((noun.counted and not phrase.plural) or noun.kinds & {"goal", "kin", "sky"}):
        return False
    if "kin" in noun.kinds and noun.english not in ("friend", "family") and not (phrase.whose or owner or phrase.shared):
        return False
    if noun.english == "name" and not phrase.whose:
        return False
    if noun.english in _ONE_OF and (phrase.plural or phrase.determiner in ("these", "those")):
        return False
    if _is(phrase, "person", "goal") and (phrase.determiner in ("many", "a lot of", "some") or phrase.number in NUMBERS[2:]):
        return False
    if isinstance(owner, NounPhrase) and not (owner.whose and "kin" in owner.noun.kinds and _natural(owner)):
        return False
    if (phrase.whose or owner) and not (noun.kinds & _OWNED or noun.english in (*_OWNED_PLACES, "name")):
        return False
    opposite = {adjective.english for adjective in phrase.adjectives} in _OPPOSITES
    return not opposite and all(_said_of(adjective, phrase) for adjective in phrase.adjectives)


def _go_together(parts: Sequence[Phrase]) -> bool:
    """True if two are usually named together: people and animals, food and drink, things."""
    if len(parts) == 1:
        return True
    sorts = ({"person", "animal"}, {"food", "drink"}, {"thing"})
    return all(map(_somebody, parts)) or any(all(_is(part, *sort) for part in parts) for sort in sorts)


def _said_of(adjective: Adjective, of: Phrase) -> bool:
    if isinstance(of, Name) and of.word in PLACE_NAMES:
        return adjective.english in _OF_PLACES
    if not isinstance(of, NounPhrase) or "person" in of.noun.kinds:
        return adjective.english in _TO_PEOPLE
    return of.noun.english in adjective.suitable_for or bool(of.noun.kinds & adjective.suitable_for)


def _is(phrase: Phrase, *kinds: str) -> bool:
    return isinstance(phrase, NounPhrase) and bool(phrase.noun.kinds & set(kinds))


def _somebody(phrase: Phrase) -> bool:
    if isinstance(phrase, NounPhrase):
        return _is(phrase, "person")
    return phrase != Pronoun("it") and phrase.word not in PLACE_NAMES


# --- Clauses. -----------------------------------------------------------------------------------------------------------------

_TOGETHER = frozenset("eat play dance sing work live go come walk run swim laugh speak learn".split())
_BY_ANIMALS = frozenset("see eat drink like want sleep run play swim love".split())


def _clause(clause: Clause) -> bool:
    company = [clause.company] if clause.company else []
    if clause.question and clause.negated:
        return False
    if (clause.question and Pronoun("i") in clause.subject) or (clause.company and not _somebody(clause.company)):
        return False
    if not all(map(_natural, [*clause.subject, *company])):
        return False
    if clause.place and not all(_can_be(who, clause.place) for who in clause.subject):
        return False
    match clause.predicate:
        case Action():
            together = clause.company is None or clause.predicate.verb.english in _TOGETHER
            return together and not clause.time_first and _acts(clause)
        case Quality(adjectives, degree):
            definite = all(not isinstance(who, NounPhrase) or who.determiner != "a" for who in clause.subject)
            fits = all(_said_of(adjective, who) for adjective in adjectives for who in clause.subject)
            opposite = {adjective.english for adjective in adjectives} in _OPPOSITES
            return definite and fits and not opposite and degree != "too" and not clause.negated and not clause.place
        case Identity(what):
            return _natural(what) and all(_is_one(who, what) for who in clause.subject)
        case Being():
            return clause.place is not None and all(map(_found_somewhere, clause.subject))


def _acts(clause: Clause) -> bool:
    action = clause.predicate
    assert isinstance(action, Action)
    verb = action.verb.english
    if verb == "cry" or (
        clause.negated and verb in ("like", "love", "help", "understand") and any(map(_somebody, action.objects))
    ):
        return False
    if not clause.subject and clause.negated and action.objects:
        return False
    animals = verb in _BY_ANIMALS and action.tense != "past"
    if not all(_somebody(who) or (animals and _is(who, "animal")) for who in clause.subject):
        return False
    return all(_natural(what) and _acted_on(verb, what) for what in action.objects)


def _acted_on(verb: str, what: Phrase) -> bool:
    """True if people do this to that, and nobody minds."""
    if what == Pronoun("what"):
        return True
    if not isinstance(what, NounPhrase):
        return verb in ("see", "like", "love", "help", "know", "find", "understand", "listen", "look", "watch")
    if verb == "eat":
        return "food" in what.noun.kinds and "animal" not in what.noun.kinds
    if verb in ("want", "buy", "take", "need", "have", "find", "look"):
        kept = _is(what, "thing", "food", "drink") and what.noun.english not in ("house", "boat", "train", "bus")
        own = verb == "have" and _is(what, "kin", "animal") and (what.determiner == "a" or what.number is not None)
        return (kept and not _is(what, "animal")) or own
    if verb in ("cook", "drive", "watch", "learn", "speak"):
        kinds = {"cook": "food", "drive": "vehicle", "watch": "watchable", "learn": "language", "speak": "language"}
        return _is(what, kinds[verb])
    return not _is(what, "abstract") or verb in ("like", "love", "read", "write", "sing", "listen", "understand", "know")


def _is_one(who: Phrase, what: Phrase) -> bool:
    if isinstance(what, Name):
        return isinstance(who, NounPhrase) and who.noun.english == "name"
    if isinstance(who, Name) and who.word in PLACE_NAMES:
        return isinstance(what, NounPhrase) and what.noun.english == "city"
    if isinstance(who, NounPhrase):
        return (
            not who.shared
            and _is(who, "person")
            and not who.adjectives
            and _is(what, "job")
            and who.noun != getattr(what, "noun", None)
        )
    return _is(what, "person") != (who == Pronoun("it"))


# --- Places. ------------------------------------------------------------------------------------------------------------------

_ON = frozenset("table chair bed".split())
_UNDER = frozenset("table chair bed tree".split())
_AT = frozenset("station restaurant hospital park school shop".split())
_TOWN = frozenset("city park street".split())
_LIVED_IN = frozenset(
    "house garden park school city kitchen room street shop restaurant station hospital car bus train boat".split()
)


def _where(place: Place) -> Noun | None:
    """Returns the noun of a place; None for a named one, such as Paris."""
    return None if isinstance(place.where, str) else place.where.noun


def _possible(place: Place) -> bool:
    if isinstance(place.where, str):
        return True
    known = {"on": _ON | {"mountain"}, "under": _UNDER, "at": _AT}.get(place.preposition or "")
    return _natural(place.where) and (known is None or place.where.noun.english in known)


def _can_be(who: Phrase, place: Place) -> bool:
    """True if this can be there: people are in no cups, and houses in no kitchens."""
    where = _where(place)
    if not _possible(place):
        return False
    if where is None or _somebody(who):
        return where is None or where.english in _LIVED_IN or (place.preposition == "on" and where.english != "table")
    return _is_there(who, place)


def _is_there(what: Phrase, place: Place) -> bool:
    where = _where(place)
    if not _possible(place) or what == Pronoun("it"):
        return False
    if where is None:
        return (_is(what, "goal") and place.where in ("paris", "london")) or (
            _is(what, "animal", "person") and place.where == "here"
        )
    if _is(what, "animal"):
        return where.english in (*_UNDER, *_LIVED_IN) and not _is(what, "food")
    if _is(what, "person"):
        return where.english in _LIVED_IN
    if _is(what, "vehicle"):
        return where.english == "street"
    if _is(what, "goal"):
        return where.english in _TOWN and not _is(what, "thing") and getattr(what, "noun", None) != where
    small = _is(what, "food", "drink", "readable") or getattr(getattr(what, "noun", None), "english", "") in (
        "cup",
        "key",
        "phone",
        "ball",
    )
    return small and where.english in ("table", "kitchen", "bag", "box", "room") and place.preposition != "under"


def _found_somewhere(what: Phrase) -> bool:
    return not _is(what, "sky", "language", "abstract", "drink", "food")
