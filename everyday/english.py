"""Sentences in English: their words, each with its role, by which the words of a translation are aligned with them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everyday.sentence import (
    Action,
    Asking,
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
    several,
)
from everyday.words import (
    ADJECTIVES,
    ADVERBS,
    DEMONSTRATIVES,
    NAMES,
    NOUNS,
    NUMBERS,
    PHRASES,
    PLACES,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTITIES,
    TIMES,
    VERBS,
)


class Word(NamedTuple):
    """A word and its role in the sentence.

    Roles of a phrase begin with s0, s1 (subject), o0, o1 (object; what somebody is; what there is; what stands alone), c
    (company) or p (place), and end in .det, .number, .very, .a0, .and, .a1, .noun, .of, .of.noun, or in .owner and the owner's
    own (.owner.s is the "'s"); s.and and o.and join two phrases. Of a clause: verb, particle, aux (can, want, like, …), to, do,
    be, not, adverb, much, degree, q0, q.and, q1 (qualities), c.prep, p.prep, time, also, please; where, there, this, asked
    (who, what, why, when, where). Set phrases: fixed.
    """

    text: str
    role: str


def english(sentence: Sentence) -> list[Word]:
    """Says the sentence in English."""
    return list(_said(sentence))


def _said(sentence: Sentence) -> Iterator[Word]:
    match sentence:
        case Clause():
            yield from _clause(sentence)
        case Pointing(this, what, negated, question):
            be, pointer = Word("are" if DEMONSTRATIVES[this] else "is", "be"), Word(this, "this")
            yield from (be, pointer) if question else (pointer, be)
            yield from _not(negated)
            yield from _quality(what) if isinstance(what, Quality) else _phrases(what, "o")
        case There(what, place, negated, question):
            be, there = Word("are" if several(what[:1]) else "is", "be"), Word("there", "there")
            yield from (be, there) if question else (there, be)
            yield from _not(negated)
            yield from _phrases(what, "o")
            yield from _place(place)
        case Where(subject):
            yield Word("where", "where")
            yield Word(_be(subject), "be")
            yield from _phrases(subject, "s")
        case Asking(word, about):
            yield from _words(word, "asked")
            if isinstance(about, str):
                yield Word("are" if DEMONSTRATIVES[about] else "is", "be")
                yield Word(about, "this")
            else:
                yield Word(_be(about), "be")
                yield from _phrases(about, "s")
        case Phrases(parts, please):
            yield from _phrases(parts, "o")
            if please:
                yield Word("please", "please")
        case Description(quality):
            yield from _quality(quality)
        case Prefaced(preface, rest):
            yield from _said(preface)
            yield from _said(rest)
        case Fixed(text, to):
            yield from _words(text, "fixed")
            if to:
                yield from _phrase(to, "o0", subject=False)


def _clause(clause: Clause) -> Iterator[Word]:
    predicate = clause.predicate
    if clause.please and clause.please_first:
        yield Word("please", "please")
    if clause.time and clause.time_first:
        yield from _words(clause.time, "time")
    if clause.asked:
        yield Word(clause.asked, "asked")
    if isinstance(predicate, Action):
        if predicate.objects == (Pronoun("what"),):
            yield Word("what", "asked")
        yield from _verb(clause, predicate)
    else:
        yield from _to_be(clause)
        match predicate:
            case Quality():
                yield from _quality(predicate)
            case Identity(what):
                yield from _phrase(what, "o0", subject=False)
    with_whom = [Word("with", "c.prep"), *_phrase(clause.company, "c", subject=False)] if clause.company else []
    where = list(_place(clause.place))
    yield from [*where, *with_whom] if clause.place_first else [*with_whom, *where]
    if clause.time and not clause.time_first:
        yield from _words(clause.time, "time")
    if clause.also:
        yield Word("too", "also")
    if clause.please and not clause.please_first:
        yield Word("please", "please")


def _to_be(clause: Clause) -> Iterator[Word]:
    """Yields the subject and a form of "to be" ("be" in a command), "not" and the adverb."""
    be = Word(_be(clause.subject, clause.past), "be")
    if clause.negated and not clause.subject:  # "do not be sad"
        yield from (Word("do", "do"), Word("not", "not"), be)
        return
    who = clause.subject == (Pronoun("who"),)
    yield from _turned(clause, be, list(_phrases(clause.subject, "s")), clause.question and not who)
    yield from _adverb(clause)


def _verb(clause: Clause, action: Action) -> Iterator[Word]:
    verb, subject = action.verb, list(_phrases(clause.subject, "s"))
    who = clause.subject == (Pronoun("who"),)
    third = not several(clause.subject) and clause.subject not in ((), (Pronoun("i"),))
    if action.tense == "progressive":
        assert verb.ing is not None
        yield from _to_be(clause)
        yield Word(verb.ing, "verb")
    elif action.tense == "can":
        yield from _turned(clause, Word("can", "aux"), subject, clause.question and not who)
        yield from _adverb(clause)
        yield Word(verb.english, "verb")
    else:
        do = Word("did" if action.tense == "past" else "does" if third else "do", "do")
        bare = (clause.question and not who) or clause.negated or not clause.subject
        if (clause.question and not who) or clause.negated:
            yield from _turned(clause, do, subject, clause.question and not who)
        else:
            yield from subject
        yield from _adverb(clause)
        if action.tense in ("want", "need", "like", "love"):
            yield Word(action.tense if bare or not third else action.tense + "s", "aux")
            if not action.gerund:
                yield Word("to", "to")
            form = verb.ing if action.gerund else verb.english
        else:
            form = verb.english if bare else verb.past if action.tense == "past" else verb.third if third else verb.english
        assert form is not None
        yield Word(form, "verb")
    if verb.particle and action.objects:
        yield Word(verb.particle, "particle")
    if action.objects != (Pronoun("what"),):
        yield from _phrases(action.objects, "o", subject=False)
    if action.much:
        yield from _words(action.much, "much")


def _turned(clause: Clause, verb: Word, subject: Sequence[Word], before: bool) -> Iterator[Word]:
    """Yields the finite verb before its subject, as in a question ("are not you tired": then "aren't you"), or after it."""
    if before:
        yield verb
        yield from _not(clause.negated)
        yield from subject
    else:
        yield from subject
        yield verb
        yield from _not(clause.negated)


def _be(subject: tuple[Phrase, ...], past: bool = False) -> str:
    if past:
        return "were" if several(subject) else "was"
    return "be" if not subject else "am" if subject == (Pronoun("i"),) else "are" if several(subject) else "is"


def _not(negated: bool) -> Iterator[Word]:
    if negated:
        yield Word("not", "not")


def _adverb(clause: Clause) -> Iterator[Word]:
    if clause.adverb:
        yield Word(clause.adverb, "adverb")


def _quality(quality: Quality) -> Iterator[Word]:
    if quality.degree:
        yield Word(quality.degree, "degree")
    for i, adjective in enumerate(quality.adjectives):
        if i:
            yield Word("and", "q.and")
        yield Word(adjective.english, f"q{i}")


def _phrases(phrases: Sequence[Phrase], role: str, subject: bool = True) -> Iterator[Word]:
    for i, phrase in enumerate(phrases):
        if i:
            yield Word("and", f"{role}.and")
        yield from _phrase(phrase, f"{role}{i}", subject)


def _phrase(phrase: Phrase, role: str, subject: bool = True) -> Iterator[Word]:
    match phrase:
        case Pronoun(word):
            yield Word(word if subject else PRONOUNS[word], "asked" if word == "who" else f"{role}.noun")
        case Name(word):
            yield Word(word, f"{role}.noun")
        case NounPhrase():
            yield from _noun_phrase(phrase, role)


def _noun_phrase(phrase: NounPhrase, role: str) -> Iterator[Word]:
    noun = phrase.noun.plural if phrase.plural else phrase.noun.english
    assert noun is not None
    behind = [Word("very", f"{role}.very")] if phrase.very else []
    for i, adjective in enumerate(phrase.adjectives):
        if i and phrase.joined:
            behind.append(Word("and", f"{role}.and"))
        behind.append(Word(adjective.english, f"{role}.a{i}"))
    behind.append(Word(noun, f"{role}.noun"))
    if phrase.of:
        behind += [Word("of", f"{role}.of"), Word(phrase.of.english, f"{role}.of.noun")]
    if phrase.shared:
        yield from behind
        return
    if phrase.owner:
        yield from _phrase(phrase.owner, f"{role}.owner")
        yield Word("'s", f"{role}.owner.s")
    if phrase.determiner:
        an = phrase.determiner == "a" and behind[0].text[0] in "aeiou"
        yield from _words("an" if an else phrase.determiner, f"{role}.det")
    if phrase.number:
        yield Word(phrase.number, f"{role}.number")
    yield from behind


def _place(place: Place | None) -> Iterator[Word]:
    if place is None:
        return
    if place.preposition:
        yield Word(place.preposition, "p.prep")
    if isinstance(place.where, str):
        yield Word(place.where, "p.noun")
    else:
        yield from _phrase(place.where, "p", subject=False)


def _words(text: str, role: str) -> Iterator[Word]:
    yield from (Word(word, role) for word in text.split())


def origins(source: Sequence[Word], target: Sequence[Word]) -> tuple[int | None, ...]:
    """Returns for every word of a translation the position of the English word with its role; None where English has none.

    Words that belong to a noun, such as an article or a measure word, fall back on the noun.
    """
    places = {word.role: i for i, word in reversed(list(enumerate(source)))}

    def place(role: str) -> int | None:
        if role == "verb" and role not in places:  # "I come from China" for "I am from China"
            return places.get("be")
        if role == "not" and role not in places:  # "he has no friends" is "he does not have friends"
            return places.get("o0.det")
        if role in places:
            return places[role]
        phrase, _, part = role.rpartition(".")
        return places.get(f"{phrase}.noun") if part in ("det", "number") else None

    return tuple(place(word.role) for word in target)


def _all_words() -> tuple[str, ...]:
    nouns = (form for noun in NOUNS.values() for form in (noun.english, noun.plural))
    verbs = (form for verb in VERBS.values() for form in (verb.english, verb.third, verb.ing, verb.past, verb.particle))
    phrases = " ".join((*QUANTITIES, *TIMES, *ADVERBS, *PREPOSITIONS, *PHRASES))
    verbs_of_grammar = "not be am is are was were do does did can"
    grammar = "the a an and very too so with where there what who how old why when to much 's"
    others = (*ADJECTIVES, *NAMES, *PRONOUNS, *PRONOUNS.values(), *POSSESSIVES, *DEMONSTRATIVES, *NUMBERS, *PLACES, "of")
    return tuple(
        sorted(
            {word for word in (*nouns, *verbs, *others, *phrases.split(), *grammar.split(), *verbs_of_grammar.split()) if word}
        )
    )


WORDS = _all_words()  # every word that an English sentence can have
