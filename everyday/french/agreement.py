"""The agreement of determiners in French answers."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from everyday.french.words import NOUNS

_FEMININE = {
    "le": False, "un": False, "mon": False, "ton": False, "son": False, "ce": False,
    "la": True, "une": True, "ma": True, "ta": True, "sa": True, "cette": True,
}  # fmt: skip
_NEAR = 2  # words after a determiner among which its noun is: "ma grande maison"


class Agreement(NamedTuple):
    """A noun in French, its gender, and the index of the source word that it translates."""

    noun: str
    feminine: bool
    place: int


def agreement(determiner: str, following: Sequence[str], source: Sequence[str]) -> Agreement | None:
    """Finds the noun that a determiner agrees with among the words after it; None if its form shows no gender, or if the
    English source has no noun of that gender there.
    """
    if determiner not in _FEMININE:
        return None
    for noun in following[:_NEAR]:
        for place, word in enumerate(source):
            if (noun, _FEMININE[determiner]) in _singulars().get(word, ()):
                return Agreement(noun, _FEMININE[determiner], place)
    return None


@cache
def _singulars() -> dict[str, set[tuple[str, bool]]]:
    """Returns the one-word French nouns for each English one, with their gender."""
    found: dict[str, set[tuple[str, bool]]] = {}
    for (english, _feminine), options in NOUNS.items():
        for _probability, noun in options:
            if len(noun.singular) == 1:
                found.setdefault(english.partition(".")[0], set()).add((noun.singular[0], noun.feminine))
    return found
