"""Statements, questions and commands in French: the order of subject, verb and negation."""

from everyday.choice import Choose
from everyday.english import Word
from everyday.french.objects import negated
from everyday.french.phrases import phrases
from everyday.french.pronouns import Said, register, subject_pronoun, third_person
from everyday.french.verbs import Group, middle_words
from everyday.french.words import ETRE, FrenchVerb, only_gender
from everyday.sentence import Action, Being, Clause, Identity, NounPhrase, Pronoun

END = Word("?", "end")
COMMA = Word(",", "end")
_WHO = (Pronoun("who"),)
YOU = (Pronoun("you"),)
_THEY = (Pronoun("they"),)
_ASKED = {"why": "pourquoi", "where": "où", "when": "quand"}


def subject_of(said: Clause, choose: Choose) -> Said:
    parts = said.subject
    if not parts:
        formal = register(choose) == "vous"
        return Said([], 4 if formal else 1, None, False, "person", "you")
    if isinstance(said.predicate, Identity) and isinstance(what := said.predicate.what, NounPhrase):
        if parts == YOU and what.plural:
            choose("you", [(1.0, "vous")])
            return Said([Word("vous", "s0.noun")], 4, None, True, "person", "you")
        if parts == _THEY and (feminine := only_gender(what.noun.english)) is not None:
            return third_person(feminine, True, "s0.noun", "they", "they")
    if parts == _WHO:
        return Said([Word("qui", "asked")], 2, False, False, "person", "who")
    if len(parts) == 1 and isinstance(parts[0], Pronoun):
        return subject_pronoun(parts[0].word, "s0", choose)
    predicate = said.predicate
    passing = isinstance(predicate, Being) or (isinstance(predicate, Action) and predicate.tense in ("progressive", "past"))
    bare = passing and any(isinstance(part, NounPhrase) and _without_article(part) for part in parts)
    return phrases(parts, "s", choose, choose("generic", [(0.5, "les"), (0.5, "des")]) if bare else "les")


def _without_article(part: NounPhrase) -> bool:
    return part.determiner is None and not part.number and not part.owner


def to_be(said: Clause, subject: Said, rest: list[Word], verb: FrenchVerb = ETRE) -> Group:
    """Says the form of être (or avoir, faire) and what follows."""
    forms = verb.imperfect if said.past else verb.present
    return Group(Word(forms[subject.person], "be"), rest=rest, command=verb.imperative[subject.person == 4])


def finished(said: Clause, subject: Said, group: Group, choose: Choose) -> list[Word]:
    """Says subject and verb as a statement, question or command."""
    if not isinstance(said.predicate, Action):
        group.middle = [*middle_words(said, choose), *group.middle]
    if not said.subject:
        return _command(said, group)
    ne = not_role(said)
    if not said.question:
        return joined(subject, group, ne)
    if subject.word == "who":
        if choose("qui est-ce qui", [(0.15, True), (0.85, False)]):
            subject = subject._replace(words=[*subject.words, Word("est-ce", "asked"), Word("qui", "asked")])
        return joined(subject, group, ne)
    if said.asked:
        return _asked_for(said, subject, group, ne, choose)
    return joined(subject, group, ne, how_to_ask(choose, subject, said.past), asking_role(said))


def not_role(said: Clause) -> str:
    return "not" if said.negated else "adverb" if said.adverb == "never" else ""


def asking_role(said: Clause) -> str:
    predicate = said.predicate
    if not isinstance(predicate, Action) or predicate.tense == "progressive":
        return "be"
    return "aux" if predicate.tense == "can" else "do"


def how_to_ask(choose: Choose, subject: Said, past: bool = False) -> str:
    """Chooses the form of a question: est-ce que, inversion, or intonation alone."""
    named_with_us = not subject.word and subject.person in (3, 4)  # "Anna et moi"
    no_est_ce = subject.head == "ce" and (past or subject.plural)
    if subject.word in ("on", "i") or named_with_us or no_est_ce:
        return choose("question", [(0.6, "est-ce"), (0.4, "plain")])
    if subject.word:
        return choose("question", [(0.45, "est-ce"), (0.25, "inversion"), (0.3, "plain")])
    return choose("question", [(0.5, "est-ce"), (0.2, "inversion"), (0.3, "plain")])


def _asked_for(said: Clause, subject: Said, group: Group, ne: str, choose: Choose) -> list[Word]:
    """Says "why are you sad": pourquoi es-tu triste, pourquoi est-ce que tu es triste, pourquoi tu es triste."""
    asked = [Word(_ASKED[said.asked or ""], "asked")]
    if turns(subject, group, ne) and said.asked != "why" and choose("turned", [(0.35, True), (0.65, False)]):
        return [*asked, *group.clitics, group.finite, *subject.words]
    how = how_to_ask(choose, subject, said.past)
    if how != "plain":
        return [*asked, *joined(subject, group, ne, how, asking_role(said))]
    plain = joined(subject, group, ne)
    return [*asked, *plain] if said.asked == "why" else [*plain, *asked]


def turns(subject: Said, group: Group, ne: str) -> bool:
    """True if a noun can follow the verb: "où habite Anna"."""
    return not (subject.word or subject.person in (3, 4) or group.middle or group.rest or ne)


def joined(subject: Said, group: Group, ne: str, how: str = "", asked: str = "") -> list[Word]:
    """Joins subject and verb. `ne`: the role of "ne", or nothing; `how`: of `how_to_ask`; `asked`: the role of est-ce que."""
    verb = [*group.clitics, group.finite]
    if ne:
        verb.insert(0, Word("ne", ne))
    behind = [*group.middle, *group.rest]
    if how == "inversion":
        if subject.head == "ce":
            verb[-1] = Word("est-ce", group.finite.role)
            return [*verb, *behind]
        before = [] if subject.word else subject.words
        return [*before, *verb, inverted(subject, group.finite.text), *behind]
    words = [*subject.words, *verb, *behind]
    return [*est_ce_que(asked), *words] if how == "est-ce" else words


def est_ce_que(role: str) -> list[Word]:
    return [Word("est-ce", role), Word("que", role)]


def inverted(subject: Said, finite: str) -> Word:
    """Returns "-tu", "-t-elle"."""
    third = "-elle" if subject.feminine else "-il"
    pronoun = ("-je", "-tu", third, "-nous", "-vous", third + "s")[subject.person]
    if subject.person == 2 and finite[-1] in "ae":
        pronoun = "-t" + pronoun
    return Word(pronoun, subject.words[-1].role)


def _command(said: Clause, group: Group) -> list[Word]:
    verb, role = group.command, group.finite.role
    behind = [*group.middle, *group.rest]
    if negated(said):
        return [Word("ne", not_role(said)), *group.clitics, Word(verb, role), *behind]
    strong = {"me": "-moi", "te": "-toi"}
    clitics = [Word(strong.get(word.text, "-" + word.text), word.role) for word in group.clitics]
    return [Word("vas" if verb == "va" and clitics else verb, role), *clitics, *behind]
