"""Sentences in French, with every free choice that a French speaker has."""

from collections.abc import Callable
from typing import Any

from everyday.choice import Choose
from everyday.english import Word
from everyday.french.clauses import clause
from everyday.french.fixed import fixed, fixed_words
from everyday.french.frames import (
    COMMA,
    END,
    est_ce_que,
    finished,
    inverted,
    joined,
    subject_of,
    to_be,
)
from everyday.french.nouns import noun_phrase, with_degree
from everyday.french.phrases import phrases, place_words
from everyday.french.pronouns import Said, please, stressed, subject_pronoun, third_person
from everyday.french.states import adjective_words, bearer, calls_oneself, ce, is_so
from everyday.french.words import ALLER, AVOIR, ETRE, is_living, said_words, starts_with_vowel
from everyday.sentence import (
    Asking,
    Being,
    Clause,
    Description,
    Fixed,
    Name,
    NounPhrase,
    Phrase,
    Phrases,
    Pointing,
    Prefaced,
    Pronoun,
    Quality,
    Sentence,
    There,
    Where,
)
from everyday.words import DEMONSTRATIVES

_ELIDED = {word: word[:-1] + "'" for word in "le la je ne me te se ce de que jusque".split()}


def french(sentence: Sentence, choose: Choose) -> list[Word]:
    """Says the sentence in French; the role of every word is that of the English word it comes from."""
    words = _SAY[type(sentence)](sentence, choose)
    for i in range(len(words) - 1):
        text = words[i].text
        if text in _ELIDED and starts_with_vowel(words[i + 1].text):
            words[i] = Word(_ELIDED[text], words[i].role)
    return words


def _pointing(said: Pointing, choose: Choose) -> list[Word]:
    end = [END] if said.question else []
    if isinstance(said.what, Quality):
        return [*_pointing_quality(said, said.what, choose), *end]
    words = phrases(said.what, "o", choose).words
    many = any(isinstance(part, NounPhrase) and part.plural for part in said.what)
    if len(said.what) > 1 and not many:
        many = choose("ce sont", [(0.4, True), (0.6, False)])
    presents = said.this in ("this", "these") and not (said.negated or said.question) and _is_known(said.what)
    if presents and choose("voici", [(0.25, True), (0.75, False)]):
        return [Word("voici", "this"), *words]
    frame = Clause(_THIS_ONE, Being(), said.negated, said.question)
    subject = ce("this", many)
    return [*finished(frame, subject, to_be(frame, subject, words), choose), *end]


_THIS_ONE = (Pronoun("this"),)


def _is_known(what: tuple[Phrase, ...]) -> bool:
    """True for somebody or something that one presents: "voici mon père"."""
    return all(
        isinstance(part, Name) or (isinstance(part, NounPhrase) and bool(part.whose or part.owner or part.shared))
        for part in what
    )


def _pointing_quality(said: Pointing, quality: Quality, choose: Choose) -> list[Word]:
    frame = Clause(_THIS_ONE, quality, said.negated, said.question)
    if not DEMONSTRATIVES[said.this]:
        return is_so(frame, quality, ce("this"), choose)
    feminine = choose("these gender", [(0.65, False), (0.35, True)])
    if choose("these", [(0.5, True), (0.5, False)]):
        text = ("celles" if feminine else "ceux") + ("-ci" if said.this == "these" else "-là")
        return is_so(frame, quality, Said([Word(text, "this")], 5, feminine, True, "thing", "on"), choose)
    return is_so(frame, quality, third_person(feminine, True, "this", "thing", "they"), choose)


def _there(said: There, choose: Choose) -> list[Word]:
    words = phrases(said.what, "o", choose, "de" if said.negated else "des").words
    place = place_words(said.place, choose) if said.place else []
    y, a = Word("y", "there"), Word("a", "be")
    pas = [Word("pas", "not")] if said.negated else []
    ne = [Word("ne", "not")] if said.negated else []
    plain = [Word("il", "there"), *ne, y, a, *pas, *words]
    if not said.question:
        if place and not said.negated and choose("place first", [(0.2, True), (0.8, False)]):
            return [*place, COMMA, *plain]
        return [*plain, *place]
    how = choose("question", [(0.45, "est-ce"), (0.25, "inversion"), (0.3, "plain")])
    if how == "inversion":
        plain = [*ne, y, a, Word("-t-il", "there"), *pas, *words]
    elif how == "est-ce":
        plain = [*est_ce_que("be"), *plain]
    return [*plain, *place, END]


def _where(said: Where, choose: Choose) -> list[Word]:
    where = Word("où", "where")
    subject = subject_of(Clause(said.subject, Quality(())), choose)
    be = Word(ETRE.present[subject.person], "be")
    if subject.word:
        return [*_where_somebody(where, be, subject, choose), END]
    options = [(0.6, "first"), (0.25, "last"), (0.15, "found")]
    if subject.head == "person" or subject.person in (3, 4):
        options = [(0.7, "first"), (0.3, "last")]
    match choose("where", options):
        case "first":
            return [where, be, *subject.words, END]
        case "last":
            return [*subject.words, be, where, END]
    found = "trouvent" if subject.plural else "trouve"
    return [where, Word("se", "be"), Word(found, "be"), *subject.words, END]


def _where_somebody(where: Word, be: Word, subject: Said, choose: Choose) -> list[Word]:
    options = [(0.5, "first"), (0.3, "last"), (0.2, "est-ce")]
    if subject.word == "on":
        options = [(0.6, "last"), (0.4, "est-ce")]
    match choose("where", options):
        case "first":
            return [where, be, inverted(subject, be.text)]
        case "last":
            return [*subject.words, be, where]
    return [where, *est_ce_que("be"), *subject.words, be]


def _asking(said: Asking, choose: Choose) -> list[Word]:
    about = said.about
    if said.word in ("how", "how old"):
        return [*_how(said, choose), END]
    if isinstance(about, str) or about == (Pronoun("it"),):
        return [*_what_is_this(said.word, "this" if isinstance(about, str) else "s0.noun", choose), END]
    (name, *_) = about
    if isinstance(name, NounPhrase) and name.noun.english == "name" and said.word == "what" and not name.plural:
        whom = None if name.adjectives else bearer(name, choose)
        if whom is not None:
            return [*_whose_name(name, whom, choose), END]
    subject = subject_of(Clause(about, Quality(())), choose)
    be = Word(ETRE.present[subject.person], "be")
    if said.word == "who":
        return [*_who(subject, be, choose), END]
    if not subject.word:
        return [*_what_thing(about, subject, be, choose), END]
    if subject.word == "on" or choose("what is", [(0.6, True), (0.4, False)]):
        return [Word("que", "asked"), *est_ce_que("be"), *subject.words, be, END]
    return [*subject.words, be, Word("quoi", "asked"), END]


def _how(said: Asking, choose: Choose) -> list[Word]:
    """Says "how is your mother", "how old is he"."""
    about = said.about
    old = said.word == "how old"
    asked = [Word(word, "asked") for word in (("quel", "âge") if old else ("comment",))]
    if isinstance(about, str) or about == (Pronoun("it"),):
        subject = ce("this" if isinstance(about, str) else "s0.noun")
        if not old:
            return [*subject.words, Word("est", "be"), *asked]
        subject = third_person(choose("it gender", [(0.65, False), (0.35, True)]), False, subject.words[0].role, "it", "it")
    else:
        subject = subject_of(Clause(about, Quality(())), choose)
    alive = is_living(subject.head) or subject.head in ("they", "fish")
    verb = AVOIR if old else ALLER if alive else ETRE
    finite = Word(verb.present[subject.person], "be")
    well = [] if old or not alive else [Word("bien", "asked")]
    options = [(0.6, "turned"), (0.4, "plain")] if subject.word not in ("on", "i") else [(1.0, "plain")]
    if choose("how", options) == "turned":
        return [*asked, finite, *(subject.words if not subject.word else [inverted(subject, finite.text)])]
    return [*subject.words, finite, *(well or asked)]


def _what_is_this(word: str, role: str, choose: Choose) -> list[Word]:
    it, be = Word("ce", role), Word("est", "be")
    if word == "who":
        if choose("who", [(0.5, True), (0.5, False)]):
            return [Word("qui", "asked"), Word("est-ce", "be")]
        return [it, be, Word("qui", "asked")]
    if choose("what is", [(0.65, True), (0.35, False)]):
        return [Word("que", "asked"), *est_ce_que("be"), it, be]
    return [it, be, Word("quoi", "asked")]


def _who(subject: Said, be: Word, choose: Choose) -> list[Word]:
    who = Word("qui", "asked")
    it_is = [Word("ce", "be"), Word("est", "be"), who]
    if not subject.word:
        return [who, be, *subject.words] if choose("who", [(0.7, True), (0.3, False)]) else [*it_is, *subject.words]
    if subject.word == "on":
        return [*subject.words, be, who]
    if choose("who", [(0.55, True), (0.45, False)]):
        return [who, be, inverted(subject, be.text)]
    return it_is if subject.person in (2, 5) else [*subject.words, be, who]


def _what_thing(about: tuple[Phrase, ...], subject: Said, be: Word, choose: Choose) -> list[Word]:
    """Says "what is a cat", "what is your book"."""
    if not choose("what is", [(0.65, True), (0.35, False)]):
        return [Word("ce", "be"), Word("est", "be"), Word("quoi", "asked"), *subject.words]
    if all(isinstance(part, NounPhrase) and part.determiner in (None, "a") and not part.owner for part in about):
        return [Word("que", "asked"), *est_ce_que("be"), *subject.words]
    which = "quel" + ("le" if subject.feminine else "") + ("s" if subject.plural else "")
    return [Word(which, "asked"), be, *subject.words]


def _whose_name(name: NounPhrase, whom: Said, choose: Choose) -> list[Word]:
    how, called = Word("comment", "asked"), calls_oneself(whom)
    options = [(0.35, "first"), (0.35, "voice"), (0.3, "quel")]
    if not name.whose:
        options = [(0.6, "first"), (0.4, "quel")]
    elif whom.word in ("on", "i"):
        options = [(0.65, "voice"), (0.35, "quel")]
    match choose("name", options):
        case "first" if name.whose:
            return [how, *joined(whom, called, "", "inversion")]
        case "first":
            return [how, *called.clitics, called.finite, *whom.words]
        case "voice":
            return [how, *joined(whom, called, "")]
    return [Word("quel", "asked"), Word("est", "be"), *noun_phrase(name, "s0", choose).words]


def _alone(said: Phrases, choose: Choose) -> list[Word]:
    (first, *others) = said.parts
    if isinstance(first, Pronoun) and not others:
        if not choose("stressed", [(0.5, True), (0.5, False)]):
            words = subject_pronoun(first.word, "o0", choose).words
        else:
            words = [Word(stressed(first.word, "o0", choose), "o0.noun")]
    else:
        words = phrases(said.parts, "o", choose, _article_alone(said, choose)).words
    return [*words, *please(choose)] if said.please else words


def _article_alone(said: Phrases, choose: Choose) -> str:
    bare = any(isinstance(part, NounPhrase) and not (part.determiner or part.number or part.owner) for part in said.parts)
    if not bare or said.please:
        return "des"
    return choose("alone", [(0.4, "-"), (0.35, "des"), (0.25, "les")])


def _description(said: Description, choose: Choose) -> list[Word]:
    quality = said.quality
    feminine = choose("gender", [(0.6, False), (0.4, True)])
    words: list[Word] = []
    for i, adjective in enumerate(quality.adjectives):
        if i:
            words.append(Word("et", "q.and"))
        words += adjective_words(adjective.english, "alone", feminine, False, f"q{i}", choose)
    degree = {"very": "très", "too": "trop", "so": "si"}.get(quality.degree or "", "")
    return with_degree(words, degree, "degree")


def _prefaced(said: Prefaced, choose: Choose) -> list[Word]:
    return [*fixed(said.preface, choose), COMMA, *_SAY[type(said.rest)](said.rest, choose)]


_SAY: dict[type, Callable[[Any, Choose], list[Word]]] = {
    Clause: clause,
    Pointing: _pointing,
    There: _there,
    Where: _where,
    Asking: _asking,
    Phrases: _alone,
    Description: _description,
    Fixed: fixed,
    Prefaced: _prefaced,
}


# What the functions of French say themselves.
_FUNCTION_WORDS = """
je tu il elle on nous vous ils elles me te se le la les y en moi toi lui eux un une des du de au aux à et ni ne pas
jamais toujours souvent parfois quelquefois ce cet cette ces c' ça ceux-ci ceux-là celles-ci celles-là -là notre nos
votre vos leur leurs mon ma mes ton ta tes son sa ses quelques certains certaines nombreux nombreuses plein beaucoup
peu deux trois quatre cinq dix seul seule avec chez dans sur sous jusque ici là là-bas maison école ville travail
travailler ballon pied courant voiture nage Anna Marie Tom Paul Paris Londres France Chine est-ce que quoi qui où
quand pourquoi comment quel quelle quels quelles -je -tu -il -elle -nous -vous -ils -elles -t-il -t-elle -moi -toi -le
-la -les -y vas puis voudrais train besoin envie bien très fort vraiment si tellement trop aussi non plus aujourd'hui
maintenant hier tous jours chaque jour s' plaît ? , faim soif chaud froid beau fait faisait voici se trouve trouvent
tant âge aide secours docteur bientôt tard
""".split()
TOKENS = tuple(sorted({*said_words(), *_FUNCTION_WORDS, *fixed_words(), *_ELIDED, *_ELIDED.values()}))
