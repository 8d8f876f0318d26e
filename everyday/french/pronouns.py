"""French pronouns and their agreement."""

from typing import NamedTuple

from everyday.choice import Choose
from everyday.english import Word

_GENDERS = [(0.6, False), (0.4, True)]


class Said(NamedTuple):
    """A phrase in French, and what determines its agreement.

    Attributes:
        person: 0 je, 1 tu, 2 il, 3 nous, 4 vous, 5 ils.
        feminine: None if not chosen yet (I, you, we): see `agreement`.
        head: the noun that adjectives are said of: an English noun, person, thing, they, it or ce.
        word: "on", or the English pronoun of the subject.
    """

    words: list[Word]
    person: int
    feminine: bool | None
    plural: bool
    head: str
    word: str = ""


def register(choose: Choose) -> str:
    return choose("you", [(0.6, "tu"), (0.4, "vous")])


def agreement(said: Said, choose: Choose) -> tuple[bool, bool]:
    """Chooses whether feminine, whether plural: I, you and we may be of both sexes, and "vous" may be one or several."""
    plural = said.plural
    if said.word == "you" and said.person == 4:
        plural = choose("several", [(0.5, False), (0.5, True)])
    if said.feminine is not None:
        return said.feminine, plural
    return choose(f"gender {said.word}", _GENDERS), plural


def pronoun_gender(word: str, role: str, choose: Choose) -> bool:
    if word in ("it", "they"):
        return choose(f"{role} gender", [(0.65, False), (0.35, True)])
    return word == "she"


def subject_pronoun(word: str, role: str, choose: Choose) -> Said:
    here = f"{role}.noun"
    match word:
        case "i":
            return Said([Word("je", here)], 0, None, False, "person", word)
        case "you":
            formal = register(choose) == "vous"
            return Said([Word("vous" if formal else "tu", here)], 4 if formal else 1, None, False, "person", word)
        case "we":
            if choose("we", [(0.6, "nous"), (0.4, "on")]) == "on":
                return Said([Word("on", here)], 2, None, True, "person", "on")
            return Said([Word("nous", here)], 3, None, True, "person", word)
    feminine = pronoun_gender(word, role, choose)
    plural = word == "they"
    return third_person(feminine, plural, here, word if word in ("it", "they") else "person", word)


def third_person(feminine: bool, plural: bool, role: str, head: str, word: str = "") -> Said:
    text = ("elle" if feminine else "il") + ("s" if plural else "")
    return Said([Word(text, role)], 5 if plural else 2, feminine, plural, head, word)


def please(choose: Choose) -> list[Word]:
    to = "vous" if register(choose) == "vous" else "te"
    return [Word(text, "please") for text in ("s'", "il", to, "plaît")]


def stressed(word: str, role: str, choose: Choose) -> str:
    """Returns the pronoun by itself or after a preposition: moi, toi, lui."""
    match word:
        case "i":
            return "moi"
        case "you":
            return "vous" if register(choose) == "vous" else "toi"
        case "we":
            return "nous"
    feminine = pronoun_gender(word, role, choose)
    if word == "they":
        return "elles" if feminine else "eux"
    return "elle" if feminine else "lui"


_REFLEXIVE = ("me", "te", "se", "nous", "vous", "se")


def reflexive(subject: Said) -> str:
    return _REFLEXIVE[subject.person]
