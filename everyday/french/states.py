"""States and identities in French."""

from everyday.choice import Choose, pick
from everyday.english import Word
from everyday.french.frames import asking_role, finished, how_to_ask, joined, not_role, to_be
from everyday.french.nouns import noun_phrase
from everyday.french.phrases import IN_TOWN, noun_or_pronoun
from everyday.french.pronouns import Said, agreement, reflexive, subject_pronoun, third_person
from everyday.french.verbs import Group, middle_words
from everyday.french.words import (
    ALLER,
    AVOIR,
    ETRE,
    FAIRE,
    SE_APPELER,
    STATES,
    WEATHER,
    FrenchVerb,
    adjectives,
    is_living,
)
from everyday.sentence import Clause, Name, NounPhrase, Phrase, Pronoun, Quality


def is_so(said: Clause, quality: Quality, subject: Said, choose: Choose) -> list[Word]:
    """Says être, avoir (hungry) or faire (the weather) with adjectives; two verbs if the two adjectives need them."""
    if said.subject == (Pronoun("it"),):
        if _weather(said, quality, choose):
            il = third_person(False, False, "s0.noun", "it", "it")
            word = Word(WEATHER[quality.adjectives[0].english], "q0")
            return finished(said, il, to_be(said, il, [*_degree(quality, choose), word], FAIRE), choose)
        subject = _it(quality, subject, choose)
    town = _town(said, quality)
    if bool(town) and choose("weather", [(0.6, True), (0.4, False)]):
        il = third_person(False, False, "s0.noun", "it", "it")
        words = [*_degree(quality, choose), Word(WEATHER[quality.adjectives[0].english], "q0")]
        words += [Word(text, "s0.noun") for text in town]
        return finished(said, il, to_be(said, il, words, FAIRE), choose)
    if _well(said, quality) and choose("vais bien", [(0.6, True), (0.4, False)]):
        return finished(said, subject, to_be(said, subject, [*_degree(quality, choose), Word("bien", "q0")], ALLER), choose)
    groups: list[tuple[FrenchVerb, list[Word]]] = []
    for i, adjective in enumerate(quality.adjectives):
        verb, words = _state(adjective.english, f"q{i}", subject, choose)
        if not i:
            words = [*_degree(quality, choose), *words]
        if groups and groups[-1][0] is verb:
            groups[-1][1].extend([Word("et", "q.and"), *words])
        else:
            groups.append((verb, words))
    (verb, words), *others = groups
    whole = finished(said, subject, to_be(said, subject, words, verb), choose)
    for verb, words in others:
        whole += [Word("et", "q.and"), *_again(said, subject, to_be(said, subject, words, verb), choose)]
    return whole


def _well(said: Clause, quality: Quality) -> bool:
    good = len(quality.adjectives) == 1 and quality.adjectives[0].english == "good" and quality.degree in (None, "very")
    return said.subject == (Pronoun("i"),) and good and not (said.past or said.question)


def _again(said: Clause, subject: Said, group: Group, choose: Choose) -> list[Word]:
    """Says the second verb of "il a faim et il est fatigué"."""
    silent = subject._replace(words=[])
    if not said.subject:
        return finished(said, silent, group, choose)
    ne = not_role(said)
    group.middle = [*middle_words(said, choose), *group.middle]
    if subject.word == "who":
        return joined(silent, group, ne)
    how = how_to_ask(choose, subject, said.past) if said.question else ""
    if how == "est-ce":
        return [Word("que", asking_role(said)), *joined(_resumed(subject), group, ne)]
    if how == "inversion" or choose("again", [(0.75, True), (0.25, False)]):
        return joined(_resumed(subject), group, ne, how)
    return joined(silent, group, ne)


def _resumed(subject: Said) -> Said:
    """Returns the pronoun for a subject that was named."""
    if subject.word:
        return subject
    if subject.person in (3, 4):
        return Said([Word("nous" if subject.person == 3 else "vous", "s0.noun")], subject.person, None, True, "person", "we")
    word = "they" if subject.plural else "he"
    return third_person(bool(subject.feminine), subject.plural, "s0.noun", subject.head, word)


def _state(english: str, role: str, subject: Said, choose: Choose) -> tuple[FrenchVerb, list[Word]]:
    if english in STATES and _feels(english, subject, choose):
        return AVOIR, [Word(STATES[english], role)]
    feminine, plural = agreement(subject, choose)
    return ETRE, adjective_words(english, subject.head, feminine, plural, role, choose)


def _feels(english: str, subject: Said, choose: Choose) -> bool:
    if english in ("hungry", "thirsty"):
        return True
    if subject.head == "they":
        return choose("feels", [(0.7, True), (0.3, False)])
    return is_living(subject.head)


def adjective_words(english: str, head: str, feminine: bool, plural: bool, role: str, choose: Choose) -> list[Word]:
    french = pick(choose, role, adjectives(english, head, feminine, False))
    return [Word(text, role) for text in french.forms[2 * plural + feminine]]


def _degree(quality: Quality, choose: Choose) -> list[Word]:
    match quality.degree:
        case None:
            return []
        case "very":
            text = choose("very", [(0.75, "très"), (0.25, "vraiment")])
        case "so":
            text = choose("so", [(0.5, "si"), (0.5, "tellement")])
        case _:
            text = "trop"
    return [Word(text, "degree")]


def _weather(said: Clause, quality: Quality, choose: Choose) -> bool:
    first, *others = quality.adjectives
    if others or first.english not in WEATHER:
        return False
    if first.english != "nice" and (said.time or said.place):
        return True
    return choose("weather", [(0.35, True), (0.65, False)] if first.english == "nice" else [(0.6, True), (0.4, False)])


def _town(said: Clause, quality: Quality) -> tuple[str, ...]:
    """Returns the town of "Paris is cold": il fait froid à Paris."""
    (subject, *_), (first, *others) = said.subject or (None,), quality.adjectives
    if others or first.english not in ("hot", "cold") or len(said.subject) != 1 or not isinstance(subject, Name):
        return ()
    return IN_TOWN.get(subject.word, ())


def _it(quality: Quality, subject: Said, choose: Choose) -> Said:
    """Chooses what "it" is: somebody or something with a gender, or simply this: ce."""
    if any("living" in adjective.kinds for adjective in quality.adjectives):
        return subject
    if quality.adjectives[0].english == "nice" or choose("ce", [(0.65, True), (0.35, False)]):
        return ce("s0.noun")
    return subject


def ce(role: str, plural: bool = False) -> Said:
    return Said([Word("ce", role)], 5 if plural else 2, False, plural, "ce", "ce")


def is_somebody(said: Clause, what: Phrase, subject: Said, choose: Choose) -> list[Word]:
    third = subject.word in ("he", "she", "it", "they")
    if not isinstance(what, NounPhrase):
        subject = ce("s0.noun") if third else subject
        return finished(said, subject, to_be(said, subject, noun_or_pronoun(what, "o0", choose).words), choose)
    feminine = agreement(subject, choose)[0] if "person" in what.noun.kinds else None
    if _is_bare(what):
        phrase = noun_phrase(what, "o0", choose, "-", feminine=feminine, use=".is").words
        rest = phrase[1:] if what.determiner else phrase
        return finished(said, subject, to_be(said, subject, rest), choose)
    rest = noun_phrase(what, "o0", choose, "des", feminine=feminine).words
    if third and (subject.word == "it" or not what.whose or choose("ce", [(0.8, True), (0.2, False)])):
        subject = ce("s0.noun", what.plural)
    return finished(said, subject, to_be(said, subject, rest), choose)


def _is_bare(what: NounPhrase) -> bool:
    """True if the noun has no article: "est professeur", "sont amis"."""
    if what.adjectives or what.owner or what.number:
        return False
    if "job" in what.noun.kinds:
        return what.determiner == "a" or (what.determiner is None and what.plural)
    return what.determiner is None and what.noun.english in ("friend", "brother", "sister")


def bearer(name: NounPhrase, choose: Choose) -> Said | None:
    """Returns the person whose name it is."""
    if name.whose:
        said = subject_pronoun(name.whose, "s0", choose)
        return said._replace(words=[Word(said.words[0].text, "s0.det")])
    return noun_or_pronoun(name.owner, "s0.owner", choose) if name.owner else None


def calls_oneself(whom: Said) -> Group:
    return Group(Word(SE_APPELER.present[whom.person], "be"), [Word(reflexive(whom), "s0.noun")])
