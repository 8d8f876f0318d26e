"""French verbs with their objects: the choice of the verb, and the pronouns before it."""

from dataclasses import dataclass

from everyday.choice import Choose, pick
from everyday.english import Word
from everyday.french.nouns import noun_phrase
from everyday.french.phrases import home, noun_or_pronoun, phrases, place_words
from everyday.french.pronouns import Said, agreement, pronoun_gender, reflexive, register
from everyday.french.words import (
    AIMER,
    ALLER,
    ARRIVER,
    MARCHER,
    PARTIR,
    RENTRER,
    VERBS,
    VERBS_WITH_OBJECT,
    FrenchVerb,
)
from everyday.sentence import Action, Clause, Name, NounPhrase, Phrase, Place, Pronoun
from everyday.words import PLACE_NAMES

_MOVES = frozenset("run walk swim drive".split())
_ON_TIME = frozenset({"train", "bus", "boat"})  # "le train arrive"
_IN_GENERAL = frozenset({"like", "love", "know", "understand"})  # "aimer les chats"
_FOOD = {"eat": "dish", "cook": "dish"} | dict.fromkeys("buy like love want need".split(), "food")  # where fish may be some
WHAT = (Pronoun("what"),)


@dataclass
class Doing:
    """A verb with its objects, before it has a tense."""

    verb: FrenchVerb
    clitics: list[Word]
    objects: list[Word]
    agrees_with: tuple[bool, bool] | None = None  # a participle with "avoir": with the object before it
    with_etre: bool = False


def goes_there(said: Action, place: Place, choose: Choose) -> bool:
    """True if the verb already expresses the place."""
    moves = said.verb.english in _MOVES and place.preposition == "to" and not said.objects
    there = place.where == "there" and said.verb.english == "go" and choose("y", [(0.5, True), (0.5, False)])
    return moves or (place.where == "home" and place.preposition is None) or there


def _says_y(clause: Clause, said: Action, choose: Choose) -> bool:
    """True for "aller", which never stands alone: "j'y vais"."""
    if said.verb.english != "go" or clause.asked == "where":
        return False
    return clause.place is None or (clause.place.where == "there" and goes_there(said, clause.place, choose))


def negated(clause: Clause) -> bool:
    return clause.negated or clause.adverb == "never"


def with_objects(clause: Clause, said: Action, subject: Said, choose: Choose) -> Doing:
    place = clause.place
    verb, where = _verb_and_place(clause, said, place, subject, choose)
    clitics = [Word(reflexive(subject), "verb")] if verb.reflexive else []
    y = [Word("y", "p.noun" if place else "verb")] if verb is ALLER and _says_y(clause, said, choose) else []
    doing = Doing(verb, clitics, [], None, verb.with_etre)
    if said.objects and said.objects != WHAT:
        if said.verb.english == "need":
            _need(said.objects, doing, negated(clause), choose)
        else:
            _add_objects(clause, said, subject, doing, choose)
    doing.clitics += y
    doing.objects += where
    return doing


def _verb_and_place(
    clause: Clause, said: Action, place: Place | None, subject: Said, choose: Choose
) -> tuple[FrenchVerb, list[Word]]:
    """Returns the verb, and the place if the two depend on one another: "walk to school" = aller à l'école à pied."""
    english = said.verb.english
    if place and place.where == "home" and place.preposition is None:
        return _home(english, subject, choose)
    if english in _MOVES and place and place.preposition == "to" and not said.objects:
        return _move(english, place, choose)
    return _verb(clause, said, subject, choose), []


def _home(english: str, subject: Said, choose: Choose) -> tuple[FrenchVerb, list[Word]]:
    if english in ("go", "come"):
        back = choose("home", [(0.8, True), (0.2, False)] if english == "go" else [(0.7, True), (0.3, False)])
        verb = RENTRER if back else VERBS[english][0][1]
        return verb, home("p.noun", choose, subject if back else None)
    how = {"walk": "à pied", "run": "en courant", "drive": "en voiture", "swim": "à la nage"}.get(english)
    manner = [Word(word, "verb") for word in how.split()] if how else []
    return RENTRER, [*home("p.noun", choose, subject), *manner]


def _move(english: str, place: Place, choose: Choose) -> tuple[FrenchVerb, list[Word]]:
    words = place_words(place, choose)
    how = {"walk": "à pied", "drive": "en voiture"}.get(english)
    if how and choose("move", [(0.6, True), (0.4, False)]):
        return ALLER, [*words, *(Word(word, "verb") for word in how.split())]
    if isinstance(place.where, NounPhrase) and words[0].text in ("dans", "en"):
        words = noun_phrase(place.where, "p", choose, "des", "à", "p.prep").words
    if words[0].text in ("à", "au", "aux") and (english != "run" or choose("until", [(0.5, True), (0.5, False)])):
        words.insert(0, Word("jusque", "p.prep"))
    return MARCHER if english == "walk" else VERBS[english][0][1], words


def _verb(clause: Clause, said: Action, subject: Said, choose: Choose) -> FrenchVerb:
    english, objects = said.verb.english, said.objects
    options = VERBS[english]
    if english in VERBS_WITH_OBJECT and objects and objects != WHAT:
        options = VERBS_WITH_OBJECT[english]
    elif english == "love" and (clause.negated or said.much or not clause.subject or any(map(means_somebody, objects))):
        return AIMER
    elif english == "walk" and (said.tense == "can" or clause.asked == "where"):
        return MARCHER
    elif english == "go" and not clause.place and clause.asked != "where":
        return ALLER if choose("leave", [(0.5, True), (0.5, False)]) else PARTIR
    elif english == "go":
        return ALLER
    elif english == "come" and said.tense == "progressive" and not clause.place and not clause.asked:
        return ARRIVER if subject.head in _ON_TIME or choose("arrive", [(0.5, True), (0.5, False)]) else options[0][1]
    return pick(choose, "verb", options)


def means_somebody(phrase: Phrase) -> bool:
    match phrase:
        case Pronoun(word):
            return word not in ("it", "what")
        case Name(word):
            return word not in PLACE_NAMES
    return "person" in phrase.noun.kinds and phrase.noun.english != "family"


def _need(objects: tuple[Phrase, ...], doing: Doing, is_negated: bool, choose: Choose) -> None:
    """Adds the object of avoir besoin, or "en" for it and them."""
    (first, *others) = objects
    things = not others and first in (Pronoun("it"), Pronoun("they"))
    if things and (first == Pronoun("it") or choose("en", [(0.4, True), (0.6, False)])):
        doing.clitics.append(Word("en", "o0.noun"))
        return
    parts = []
    for i, phrase in enumerate(objects):
        if i:
            parts.append(Word("et", f"o{i}.and"))
        bare = isinstance(phrase, NounPhrase) and phrase.determiner == "a" and is_negated
        article = "de" if bare and choose("besoin", [(0.5, True), (0.5, False)]) else "-"
        parts += noun_or_pronoun(phrase, f"o{i}", choose, article, "de").words
    doing.objects += parts


def _add_objects(clause: Clause, said: Action, subject: Said, doing: Doing, choose: Choose) -> None:
    objects, english = said.objects, said.verb.english
    (first, *others) = objects
    fond = english in ("like", "love")
    if isinstance(first, Pronoun) and not others:
        if first.word == "it" and fond and choose("ça", [(0.6, True), (0.4, False)]):
            doing.objects.append(Word("ça", "o0.noun"))
        else:
            _clitic(first, subject, doing, choose)
        return
    if any(isinstance(phrase, Pronoun) for phrase in objects):
        whole = phrases(objects, "o", choose)
        doing.clitics.append(Word({3: "nous", 4: "vous"}.get(whole.person, "les"), "o0.noun"))
        doing.agrees_with = (bool(whole.feminine), True)
        doing.objects += [Word(",", "end"), *whole.words]  # "je les vois, lui et Anna"
        return
    article = "les" if english in _IN_GENERAL else "-" if english == "speak" else _article(clause, said, choose)
    use = ".taken" if english == "take" else _FOOD.get(english, "")
    union = "et"
    if negated(clause) and others:
        union = choose("ni", [(0.5, "et"), (0.5, "ni")])
    if others or not isinstance(first, NounPhrase):
        doing.objects += phrases(objects, "o", choose, article, union=union).words
    else:
        doing.objects += noun_phrase(first, "o0", choose, article, use=use).words


def _article(clause: Clause, said: Action, choose: Choose) -> str:
    if not negated(clause):
        return "des"
    if said.tense in ("can", "want", "need", "like", "love"):
        return choose("de", [(0.6, "de"), (0.4, "des")])
    return "de"


def _clitic(pronoun: Pronoun, subject: Said, doing: Doing, choose: Choose) -> None:
    word = pronoun.word
    if word in ("i", "you", "we") and (subject.word == word or (subject.word, word) == ("on", "we")):
        doing.clitics.append(Word(reflexive(subject), "o0.noun"))
        doing.with_etre = True
        return
    if word in ("i", "you", "we"):
        text = {"i": "me", "we": "nous"}.get(word) or ("vous" if register(choose) == "vous" else "te")
        doing.clitics.append(Word(text, "o0.noun"))
        return
    if word == "they":
        doing.clitics.append(Word("les", "o0.noun"))
        return
    feminine = pronoun_gender(word, "o0", choose)
    doing.clitics.append(Word("la" if feminine else "le", "o0.noun"))


def clitic_agreement(pronoun: Pronoun, choose: Choose) -> tuple[bool, bool]:
    """Returns the agreement of a participle with this object: feminine, plural."""
    word = pronoun.word
    if word in ("i", "you", "we"):
        formal = word == "you" and register(choose) == "vous"
        return agreement(Said([], 4 if formal else 1, None, word == "we", "person", word), choose)
    return pronoun_gender(word, "o0", choose), word == "they"
