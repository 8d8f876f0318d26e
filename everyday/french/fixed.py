"""Set phrases in French."""

from everyday.choice import Choose, pick
from everyday.english import Word
from everyday.french.phrases import noun_or_pronoun
from everyday.french.pronouns import register
from everyday.sentence import Fixed, NounPhrase, Phrase
from everyday.tables import read
from everyday.words import PHRASES


def _ways() -> dict[str, dict[str | None, list[tuple[float, str]]]]:
    """Reads the ways to say each phrase, by tu or vous; None if that makes no difference."""
    found: dict[str, dict[str | None, list[tuple[float, str]]]] = {phrase: {} for phrase in PHRASES}
    for row in read("french/phrases", "english register french share", keys=3):
        by_register = found[row.one_of("english", PHRASES)]
        by_register.setdefault(row.optional("register"), []).append((row.number("share"), row.text("french")))
    return found


_WAYS = _ways()  # (e): of a woman


def fixed(said: Fixed, choose: Choose) -> list[Word]:
    by_register = _WAYS[said.text]
    options = by_register.get(None) or by_register[register(choose)]
    text = pick(choose, said.text, options)
    if "(" in text:
        feminine = choose("gender i", [(0.6, False), (0.4, True)])
        before, ending = text.split("(", 1)
        ending, after = ending.split(")", 1)
        text = before + (ending if feminine else "") + after
    words = [Word(word, "fixed") for word in text.split()]
    return [*words, *_vocative(said.to, choose)] if said.to else words


def _vocative(to: Phrase, choose: Choose) -> list[Word]:
    if isinstance(to, NounPhrase) and to.noun.english == "doctor" and not to.determiner:
        return [Word("docteur", "o0.noun")]
    return noun_or_pronoun(to, "o0", choose, "-").words


def fixed_words() -> set[str]:
    texts = " ".join(text for by_register in _WAYS.values() for options in by_register.values() for _, text in options)
    plain = texts.replace("(e)", " ").replace("(ne)", " ").split()
    feminine = texts.replace("(e)", "e").replace("(ne)", "ne").split()
    return {*plain, *feminine}
