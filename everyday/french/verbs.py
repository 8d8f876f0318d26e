"""Actions in French: verbs in their tenses, and the words after the finite verb."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from everyday.choice import Choose
from everyday.english import Word
from everyday.french.objects import (
    WHAT,
    Doing,
    clitic_agreement,
    goes_there,
    means_somebody,
    with_objects,
)
from everyday.french.pronouns import Said, agreement
from everyday.french.words import (
    ADORER,
    AIMER,
    AVOIR,
    DEVOIR,
    ETRE,
    POUVOIR,
    SAVOIR,
    VOULOIR,
    FrenchVerb,
    agreed,
)
from everyday.sentence import Action, Clause, NounPhrase, Pronoun

_SKILLS = frozenset("swim sing speak read write cook drive dance".split())
_NEVER_UNDER_WAY = frozenset({"go", "come", "live"})  # not "en train de"


@dataclass
class Group:
    """A finite verb and the words around it; `middle` comes after it (pas, toujours), `rest` last."""

    finite: Word
    clitics: list[Word] = field(default_factory=list)
    middle: list[Word] = field(default_factory=list)
    rest: list[Word] = field(default_factory=list)
    command: str = ""  # the finite verb as a command


def action(clause: Clause, said: Action, subject: Said, choose: Choose) -> Group:
    doing = with_objects(clause, said, subject, choose)
    return _in_tense(clause, said, subject, doing, choose)


def _in_tense(clause: Clause, said: Action, subject: Said, doing: Doing, choose: Choose) -> Group:
    person, middle, much = subject.person, middle_words(clause, choose), _much(clause, said, choose)
    match said.tense:
        case "past":
            return _past(clause, said, subject, doing, [*middle, *much], choose)
        case "can" if not _just_present(clause, said, choose):
            able = SAVOIR if _skill(clause, said) and choose("skill", [(0.6, True), (0.4, False)]) else POUVOIR
            return _with_infinitive(Word(able.present[person], "aux"), [], middle, doing, much)
        case "want":
            return _want(clause, subject, doing, middle, much, choose)
        case "need":
            if not clause.negated and choose("need", [(0.6, True), (0.4, False)]):
                return _with_infinitive(Word(DEVOIR.present[person], "aux"), [], middle, doing, much)
            need = [Word("besoin", "aux"), Word("de", "to")]
            return _with_infinitive(Word(AVOIR.present[person], "aux"), need, middle, doing, much)
        case "like":
            well = [Word("bien", "aux")] if _says_bien(clause, said, choose) else []
            return _with_infinitive(Word(AIMER.present[person], "aux"), [], [*middle, *much, *well], doing)
        case "love":
            fond = AIMER if clause.negated or much or choose("love", [(0.4, True), (0.6, False)]) else ADORER
            return _with_infinitive(Word(fond.present[person], "aux"), [], [*middle, *much], doing)
        case "progressive" if _under_way(clause, said, choose):
            under_way = [Word("en", "be"), Word("train", "be"), Word("de", "be")]
            return _with_infinitive(Word(ETRE.present[person], "be"), under_way, middle, doing)
    return _present(clause, said, subject, doing, [*middle, *much], choose)


def _present(clause: Clause, said: Action, subject: Said, doing: Doing, middle: list[Word], choose: Choose) -> Group:
    verb, english = doing.verb, said.verb.english
    if english == "like" and _says_bien(clause, said, choose):
        middle = [*middle, Word("bien", "verb")]
    finite = verb.present[subject.person]
    plain = not (clause.negated or clause.question or clause.adverb or said.much or doing.clitics)
    if english == "want" and subject.person == 0 and plain:
        finite = choose("voudrais", [(0.75, finite), (0.25, "voudrais")])
    rest = [*_tail(verb), *doing.objects]
    return Group(Word(finite, "verb"), doing.clitics, middle, rest, verb.imperative[subject.person == 4])


def _tail(verb: FrenchVerb) -> list[Word]:
    return [Word(word, "verb") for word in verb.tail]


def _says_bien(clause: Clause, said: Action, choose: Choose) -> bool:
    """True for "j'aime bien les chats"; of people, more often than not."""
    if said.much or clause.adverb or clause.negated or clause.question or clause.also or not clause.subject:
        return False
    liked = said.tense == "present" and any(map(means_somebody, said.objects))
    return choose("bien", [(0.7, True), (0.3, False)] if liked else [(0.25, True), (0.75, False)])


def _past(clause: Clause, said: Action, subject: Said, doing: Doing, middle: list[Word], choose: Choose) -> Group:
    verb = doing.verb
    if said.verb.english == "live" and choose("imperfect", [(0.5, True), (0.5, False)]):
        return Group(Word(verb.imperfect[subject.person], "verb"), doing.clitics, middle, doing.objects)
    if doing.with_etre:
        text = agreed(verb.participle, *agreement(subject, choose))
    elif doing.agrees_with:
        text = agreed(verb.participle, *doing.agrees_with)
    elif doing.clitics and len(said.objects) == 1 and isinstance(said.objects[0], Pronoun):
        text = agreed(verb.participle, *clitic_agreement(said.objects[0], choose))
    else:
        text = verb.participle
    helper = ETRE if doing.with_etre else AVOIR
    did = (clause.question and subject.word != "who") or clause.negated
    finite = Word(helper.present[subject.person], "do" if did else "verb")
    return Group(finite, doing.clitics, middle, [Word(text, "verb"), *_tail(verb), *doing.objects])


def _want(clause: Clause, subject: Said, doing: Doing, middle: list[Word], much: list[Word], choose: Choose) -> Group:
    options = [(0.75, "vouloir"), (0.25, "envie")]
    if subject.person == 0 and not (clause.negated or clause.question or clause.adverb):
        options = [(0.6, "vouloir"), (0.2, "envie"), (0.2, "voudrais")]
    how = choose("want", options)
    if how == "envie":
        longing = [Word("envie", "aux"), Word("de", "to")]
        return _with_infinitive(Word(AVOIR.present[subject.person], "aux"), longing, middle, doing, much)
    finite = "voudrais" if how == "voudrais" else VOULOIR.present[subject.person]
    return _with_infinitive(Word(finite, "aux"), [], middle, doing, much)


def _with_infinitive(finite: Word, link: list[Word], middle: list[Word], doing: Doing, much: Sequence[Word] = ()) -> Group:
    """`link` leads to the infinitive: "en train de"."""
    infinitive = Word(doing.verb.infinitive, "verb")
    return Group(finite, [], middle, [*link, *doing.clitics, infinitive, *much, *_tail(doing.verb), *doing.objects])


def _just_present(clause: Clause, said: Action, choose: Choose) -> bool:
    """True for "I can see a cat" = je vois un chat."""
    english = said.verb.english
    if english in ("see", "understand") or (english == "find" and clause.negated):
        return choose("just", [(0.5, True), (0.5, False)])
    return False


def _skill(clause: Clause, said: Action) -> bool:
    general = all(isinstance(phrase, NounPhrase) and phrase.determiner in (None, "a") for phrase in said.objects)
    free = not (clause.place or clause.time or clause.adverb or clause.company)
    return said.verb.english in _SKILLS and free and (general or said.objects == WHAT)


def _under_way(clause: Clause, said: Action, choose: Choose) -> bool:
    if said.verb.english in _NEVER_UNDER_WAY or clause.adverb or said.much or clause.asked:
        return False
    if clause.place and goes_there(said, clause.place, choose):
        return False
    if clause.time in ("today", "every day", "yesterday"):
        return False
    return choose("under way", [(0.15, True), (0.85, False)] if clause.negated else [(0.3, True), (0.7, False)])


def _much(clause: Clause, said: Action, choose: Choose) -> list[Word]:
    if not said.much:
        return []
    english = said.verb.english
    if said.much == "so much":
        return [Word(choose("much", [(0.6, "tellement"), (0.4, "tant")]), "much")]
    if english == "love" and any(map(means_somebody, said.objects)):
        return choose("much", [(0.6, [Word("beaucoup", "much")]), (0.4, [Word("très", "much"), Word("fort", "much")])])
    if said.tense == "want" or english in ("want", "need"):
        return [Word("vraiment", "much")]
    if english == "know" and said.objects and not clause.negated:
        return [Word("très", "much"), Word("bien", "much")]
    return [Word("beaucoup", "much")]


def middle_words(clause: Clause, choose: Choose) -> list[Word]:
    """Returns pas, jamais or an adverb, after the finite verb."""
    words = []
    if clause.negated:
        words.append(Word("pas", "not"))
    match clause.adverb:
        case "never":
            words.append(Word("jamais", "adverb"))
        case "always" | "often":
            words.append(Word({"always": "toujours", "often": "souvent"}[clause.adverb], "adverb"))
        case "sometimes" if not clause.negated and choose("sometimes where", [(0.3, False), (0.7, True)]):
            words.append(Word(sometimes(choose), "adverb"))
    return words


def sometimes(choose: Choose) -> str:
    return choose("sometimes", [(0.7, "parfois"), (0.3, "quelquefois")])
