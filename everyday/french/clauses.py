"""Clauses in French: actions and states with their time, place and company."""

from everyday.choice import Choose
from everyday.english import Word
from everyday.french.frames import (
    COMMA,
    END,
    YOU,
    asking_role,
    finished,
    joined,
    not_role,
    subject_of,
    to_be,
    turns,
)
from everyday.french.objects import WHAT, goes_there, negated
from everyday.french.phrases import noun_or_pronoun, place_words
from everyday.french.pronouns import Said, please, register, stressed
from everyday.french.states import bearer, calls_oneself, is_so, is_somebody
from everyday.french.verbs import Group, action, sometimes
from everyday.sentence import Action, Being, Clause, Identity, Name, NounPhrase, Phrase, Quality


def clause(said: Clause, choose: Choose) -> list[Word]:
    predicate = said.predicate
    if isinstance(predicate, Identity) and not said.past and (named := _name_clause(said, predicate, choose)):
        return named
    subject = subject_of(said, choose)
    if isinstance(predicate, Action):
        words = _acts(said, predicate, subject, choose)
    elif isinstance(predicate, Quality):
        words = is_so(said, predicate, subject, choose)
    elif isinstance(predicate, Identity):
        words = is_somebody(said, predicate.what, subject, choose)
    else:
        words = finished(said, subject, to_be(said, subject, []), choose)
    return _with_circumstances(said, subject, words, choose)


def _acts(said: Clause, what: Action, subject: Said, choose: Choose) -> list[Word]:
    if call := _call(said, what, choose):
        return call
    group = action(said, what, subject, choose)
    if said.also and not negated(said) and said.subject and choose("also", [(0.5, True), (0.5, False)]):
        group.middle.append(Word("aussi", "also"))
    if what.objects == WHAT:
        return _what(said, what, subject, group, choose)
    may_i = group.finite.text == "peux" and subject.word == "i" and said.question and not said.asked
    if may_i and choose("puis-je", [(0.3, True), (0.7, False)]):
        group.finite = Word("puis", "aux")
        return joined(subject, group, not_role(said), "inversion")
    return finished(said, subject, group, choose)


def _call(said: Clause, what: Action, choose: Choose) -> list[Word] | None:
    """Says "help!" and "see you", which are no commands."""
    if said.subject or said.negated or said.company or said.place:
        return None
    if what.verb.english == "see" and what.objects == YOU:
        text = choose("see you", [(0.7, "à bientôt"), (0.3, "à plus tard")])
        return [Word(word, "verb") for word in text.split()]
    if what.verb.english != "help" or what.objects:
        return None
    text = choose("help", [(0.35, "à la aide"), (0.3, "au secours"), (0.35, "")])
    text = text or ("aidez -moi" if register(choose) == "vous" else "aide -moi")
    return [Word(word, "verb") for word in text.split()]


def _what(said: Clause, what: Action, subject: Said, group: Group, choose: Choose) -> list[Word]:
    """Says "what do you want": qu'est-ce que tu veux, que veux-tu, tu veux quoi."""
    ne, need = not_role(said), what.verb.english == "need"
    options = [(0.6, "est-ce"), (0.4, "plain")]
    if turns(subject, group, ne) and not need:
        options = [(0.45, "est-ce"), (0.25, "plain"), (0.3, "turned")]
    elif subject.word not in ("on", "i") and (subject.word or (need and subject.person in (2, 5))):
        options = [(0.45, "est-ce"), (0.3, "inversion"), (0.25, "plain")]
    how = choose("what", options)
    asked = [Word("de", "asked"), Word("quoi", "asked")] if need else [Word("que", "asked")]
    if how == "turned":
        return [*asked, *group.clitics, group.finite, *subject.words]
    if how == "plain":
        return [*joined(subject, group, ne), *(asked if need else [Word("quoi", "asked")])]
    return [*asked, *joined(subject, group, ne, how, asking_role(said))]


def _with_circumstances(said: Clause, subject: Said, words: list[Word], choose: Choose) -> list[Word]:
    asks = said.question or (isinstance(said.predicate, Action) and said.predicate.objects == WHAT)
    statement = bool(said.subject) and not asks
    front: list[Word] = []
    time = _time(said.time, choose)
    first = 0.8 if said.time_first else 0.3
    if time and statement and choose("time first", [(first, True), (1 - first, False)]):
        front, time = time, []
    roles = {word.role for word in words}
    if said.adverb == "sometimes" and "adverb" not in roles:
        front.append(Word(sometimes(choose), "adverb"))
    back = _surroundings(said, subject, choose)
    if said.also and "also" not in roles:
        also, leads = _also(said, subject, statement and not front, choose)
        front, back = ([*front, *also], back) if leads else (front, [*back, *also])
    back += time
    if said.please:
        asked = please(choose)
        first = 0.4 if said.please_first else 0.1
        if choose("please first", [(first, True), (1 - first, False)]):
            front = [*asked, COMMA, *front]
        else:
            back += asked
    return [*front, *words, *back, END] if asks else [*front, *words, *back]


def _time(time: str | None, choose: Choose) -> list[Word]:
    if time is None:
        return []
    if time == "every day":
        text = choose("every day", [(0.7, "tous les jours"), (0.3, "chaque jour")])
    else:
        text = {"today": "aujourd'hui", "now": "maintenant", "yesterday": "hier"}[time]
    return [Word(word, "time") for word in text.split()]


def _surroundings(said: Clause, subject: Said, choose: Choose) -> list[Word]:
    company, place = _company(said, choose), _place(said, subject, choose)
    if not (company and place):
        return [*company, *place]
    needed = isinstance(said.predicate, Action) and said.predicate.verb.kinds & {"goal", "place"}
    first = 0.85 if needed else 0.7 if said.place_first else 0.3
    return [*place, *company] if choose("order", [(first, True), (1 - first, False)]) else [*company, *place]


def _company(said: Clause, choose: Choose) -> list[Word]:
    company = said.company
    if company is None:
        return []
    plays = isinstance(said.predicate, Action) and said.predicate.verb.english == "play"
    if plays and _some_ball(company) and choose("au ballon", [(0.3, True), (0.7, False)]):
        return [Word("au", "c.prep"), Word("ballon", "c.noun")]
    return [Word("avec", "c.prep"), *noun_or_pronoun(company, "c", choose).words]


def _some_ball(company: Phrase) -> bool:
    if not isinstance(company, NounPhrase) or company.noun.english != "ball":
        return False
    return company.determiner in ("a", "the") and not (company.plural or company.adjectives)


def _place(said: Clause, subject: Said, choose: Choose) -> list[Word]:
    place, predicate = said.place, said.predicate
    if place is None or (isinstance(predicate, Action) and goes_there(predicate, place, choose)):
        return []
    if place.where == "work" and place.preposition == "to" and choose("work", [(0.35, True), (0.65, False)]):
        return [Word("travailler", "p.noun")]
    if place.where == "here" and isinstance(predicate, Being):
        return [Word(choose("here", [(0.6, "ici"), (0.4, "là")]), "p.noun")]
    if place.where == "there" and not isinstance(predicate, Action):
        return [Word(choose("there", [(0.6, "là"), (0.4, "là-bas")]), "p.noun")]
    return place_words(place, choose, subject)


def _also(said: Clause, subject: Said, statement: bool, choose: Choose) -> tuple[list[Word], bool]:
    """Returns the words for "too", and whether they come first: "moi aussi, je …"."""
    if negated(said):
        return [Word("non", "also"), Word("plus", "also")], False
    if statement and subject.word in ("i", "you", "we", "on") and choose("moi aussi", [(0.3, True), (0.7, False)]):
        word = "we" if subject.word == "on" else subject.word
        return [Word(stressed(word, "s0", choose), "also"), Word("aussi", "also"), COMMA], True
    return [Word("aussi", "also")], False


def _name_clause(said: Clause, identity: Identity, choose: Choose) -> list[Word] | None:
    """Says "my name is Anna": je m'appelle Anna."""
    if len(said.subject) != 1 or not isinstance(identity.what, Name):
        return None
    (name,) = said.subject
    if not isinstance(name, NounPhrase) or name.noun.english != "name" or name.plural or name.adjectives:
        return None
    whom = bearer(name, choose)
    if whom is None or not choose("s'appeler", [(0.7, True), (0.3, False)]):
        return None
    called = calls_oneself(whom)
    called.rest = noun_or_pronoun(identity.what, "o0", choose).words
    return _with_circumstances(said, whom, finished(said, whom, called, choose), choose)
