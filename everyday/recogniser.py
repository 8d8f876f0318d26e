"""Parses English sentences: returns the tree that says exactly these words, if there is one.

Recursive descent proposes trees: a reader yields what can be read from a position on, with the position after it. A proposal
counts if it is well formed and `english` says it in the very words that were read, so that the rules of agreement ("he eats",
"an apple", "there are") are in one place. Sense is not checked: only whether a verb takes an object, not of which kind; "the
house eats a cat" is a sentence.

One string, one tree. Ambiguities are resolved so:

- A set phrase is one ("very good" is no description, "what is your name" no question); a greeting to somebody is no preface.
- "where is my book" and "who is my friend" ask about a book and a friend, in the trees that are made for it.
- A phrase without a determiner behind "and" shares the determiner, number or owner before it wherever that can be said of it
  ("the cat and dogs", "my bread and milk"); else it stands for itself ("a cat and milk", "a tea and milk").
- A place and company belong to the clause, never to a noun; what stands behind "look at" is looked at, and is no place.
- "her" before a noun is a possessive. "too" before an adjective is a degree, at the end it is "also". A verb phrase without a
  subject is a command.
- "the fish" is one fish, unless it cannot be ("the fish are old"); "fish" alone is several.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from everyday.english import english
from everyday.sentence import (
    Action,
    Asking,
    Being,
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
    Tense,
    There,
    Where,
    phrases_of,
    several,
)
from everyday.words import (
    ADJECTIVES,
    ADVERBS,
    DEMONSTRATIVES,
    GREETINGS,
    NAMES,
    NOUNS,
    NUMBERS,
    PHRASES,
    PLACE_NAMES,
    PLACES,
    POSSESSIVES,
    PREFACES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTITIES,
    TIMES,
    VERBS,
    WITHOUT_TO,
    Noun,
    Verb,
)

LONGEST = 14  # words of a sentence

Words = tuple[str, ...]  # ends in "", so that there is a word at every position
Unprefaced = Clause | Pointing | There | Where | Asking | Phrases | Description | Fixed

_NOUN_FORMS: dict[str, list[tuple[Noun, bool]]] = {}
for _noun in NOUNS.values():
    _NOUN_FORMS.setdefault(_noun.english, []).append((_noun, False))
    if _noun.plural:
        _NOUN_FORMS.setdefault(_noun.plural, []).append((_noun, True))
_BASE = {verb.english: verb for verb in VERBS.values()}
_THIRD = {verb.third: verb for verb in VERBS.values()}
_PAST = {verb.past: verb for verb in VERBS.values() if verb.past}
_ING = {verb.ing: verb for verb in VERBS.values() if verb.ing}

_SUBJECTS = {word: word for word in PRONOUNS}
_OBJECTS = {said: word for word, said in PRONOUNS.items()}
_NO_PRONOUNS: dict[str, str] = {}
_WHO = (Pronoun("who"),)
_DETERMINERS = (*QUANTITIES, "no", "the", "a", "an", *DEMONSTRATIVES, *POSSESSIVES)
_BEFORE_NUMBERS = (None, "the", "these", "those", *POSSESSIVES)
_INDEFINITE = (None, "a", "no", *QUANTITIES)
_BE = ("am", "is", "are", "was", "were")
_HELPERS = (*_BE, "can", "do", "does", "did")
_ASKED = ("where", "why", "when")
_DEGREES = ("very", "too", "so")
_MUCH = ("very much", "a lot", "so much")
_WISHES: dict[str, Tense] = {
    "want": "want",
    "wants": "want",
    "need": "need",
    "needs": "need",
    "like": "like",
    "likes": "like",
    "love": "love",
    "loves": "love",
}
_WITH_GERUND = ("like", "love")
_ORDERED = ("tea", "coffee")  # "a coffee" is a cup of it
_VESSELS = ("cup", "cups")
_LIKE_NAMES = ("mom", "dad")  # nouns that need no determiner
_MOVING = ("run", "walk", "swim", "drive")  # these may have a goal, as "go" and "come" do
_OWNERS_IN_A_ROW = 2  # "Anna's mother's book"


def trees(words: Sequence[str]) -> list[Sentence]:
    """Returns the tree that says exactly these words, or an empty list."""
    if not 0 < len(words) <= LONGEST:
        return []
    text = " ".join(words)
    if text in PHRASES:
        return [Fixed(text)]
    said = list(words)
    for tree in _sentences((*words, "")):
        if [word.text for word in english(tree)] == said:
            return [tree]
    return []


def subject_end(words: Sequence[str], at: int) -> int:
    """Returns the position after the longest subject that begins here; `at` itself if none does."""
    return max((end for _, end in _phrases((*words[at : at + LONGEST], ""), 0, _SUBJECTS)), default=0) + at


def _sentences(words: Words) -> Iterator[Sentence]:
    """Yields proposals for all words, the preferred one first."""
    yield from _greetings(words)
    yield from _prefaced(words)
    yield from _others(words)


def _prefaced(words: Words) -> Iterator[Prefaced]:
    for preface in PREFACES:
        said, at = _optional(words, 0, (preface,))
        if said and not _end(words, at):
            rest = words[at:]
            if _text(rest) in PHRASES:
                yield Prefaced(Fixed(said), Fixed(_text(rest)))
            for sentence in (*_greetings(rest), *_others(rest)):
                yield Prefaced(Fixed(said), sentence)


def _text(words: Words) -> str:
    return " ".join(words[:-1])


def _others(words: Words) -> Iterator[Unprefaced]:
    yield from _askings(words)
    yield from _clauses(words)
    yield from _pointings(words)
    yield from _theres(words)
    yield from _fragments(words)


def _end(words: Words, at: int) -> bool:
    return at == len(words) - 1


def _optional(words: Words, at: int, options: Sequence[str]) -> tuple[str | None, int]:
    """Returns the option at this position, if any, and the position after it."""
    for option in options:
        said = tuple(option.split())
        if words[at : at + len(said)] == said:
            return option, at + len(said)
    return None, at


# Phrases


def _phrases(words: Words, at: int, pronouns: Mapping[str, str]) -> Iterator[tuple[tuple[Phrase, ...], int]]:
    """Yields one phrase, or two with "and". `pronouns`: the allowed ones, by their form here."""
    for first, behind in _phrase(words, at, pronouns):
        yield (first,), behind
        if words[behind] == "and":
            for second, end in _phrase(words, behind + 1, pronouns):
                if not _shares(first, second):
                    yield (first, second), end
            for second, end in _noun_phrase(words, behind + 1):
                if _shares(first, second):
                    yield (first, replace(second, shared=True)), end


def _shares(first: Phrase, second: Phrase) -> bool:
    """True if the second has no determiner, number or owner, and can be said with those of the first."""
    return (
        isinstance(first, NounPhrase)
        and isinstance(second, NounPhrase)
        and not _bare(first)
        and _bare(second)
        and not (first.determiner == "a" and not second.noun.counted)
        and _fits(replace(second, determiner=first.determiner, number=first.number, owner=first.owner))
    )


def _bare(phrase: NounPhrase) -> bool:
    return not (phrase.determiner or phrase.number or phrase.owner)


def _phrase(words: Words, at: int, pronouns: Mapping[str, str]) -> Iterator[tuple[Phrase, int]]:
    word = words[at]
    if word in pronouns:
        yield Pronoun(pronouns[word]), at + 1
    if word in NAMES or word in PLACE_NAMES:
        yield from _belongings(words, at + 1, Name(word), _OWNERS_IN_A_ROW)
    for phrase, behind in _noun_phrase(words, at):
        if _fits(phrase):
            yield from _belongings(words, behind, phrase, _OWNERS_IN_A_ROW)


def _belongings(words: Words, at: int, owner: Name | NounPhrase, more: int) -> Iterator[tuple[Phrase, int]]:
    """Yields the phrase itself, or what belongs to it: up to `more` "'s" in a row."""
    yield owner, at
    if more and words[at] == "'s" and _owns(owner):
        for phrase, behind in _noun_phrase(words, at + 1, owner):
            if _fits(phrase):
                yield from _belongings(words, behind, phrase, more - 1)


def _owns(phrase: Name | NounPhrase) -> bool:
    """True if "'s" may follow: not after "cats" (that would be "cats'"), nor after what is not one thing or person."""
    if isinstance(phrase, Name):
        return phrase.word in NAMES
    ends_in_s = phrase.plural and str(phrase.noun.plural).endswith("s")
    certain = not _bare(phrase) or phrase.noun.english in _LIKE_NAMES
    return certain and not ends_in_s and not phrase.of and phrase.determiner not in QUANTITIES


def _noun_phrase(words: Words, at: int, owner: Name | NounPhrase | None = None) -> Iterator[tuple[NounPhrase, int]]:
    """Yields whatever looks like a noun phrase, whether or not its parts go together."""
    determiner = None
    if owner is None:
        determiner, at = _optional(words, at, _DETERMINERS)
    number, at = _optional(words, at, NUMBERS)
    very, at = _optional(words, at, ("very",))
    first, at = _optional(words, at, tuple(ADJECTIVES))
    joined = first is not None and words[at] == "and" and words[at + 1] in ADJECTIVES
    second, at = _optional(words, at + joined, tuple(ADJECTIVES))
    adjectives = tuple(ADJECTIVES[adjective] for adjective in (first, second) if adjective)
    of = NOUNS.get(words[at + 2]) if words[at] in _VESSELS and words[at + 1] == "of" else None
    for noun, plural in _NOUN_FORMS.get(words[at], ()):
        phrase = NounPhrase(noun, plural, "a" if determiner == "an" else determiner, number, owner, adjectives, joined)
        yield replace(phrase, very=very is not None, of=of), at + (3 if of else 1)


def _fits(phrase: NounPhrase) -> bool:
    """True if the parts of the phrase go together."""
    return _adjectives_fit(phrase) and _determiner_fits(phrase) and _content_fits(phrase.of)


def _adjectives_fit(phrase: NounPhrase) -> bool:
    adjectives = phrase.adjectives
    if phrase.very and (not adjectives or (len(adjectives) == 2 and not phrase.joined)):
        return False
    states = any("state" in adjective.kinds for adjective in adjectives)
    return not states and len(set(adjectives)) == len(adjectives) and not (adjectives and "language" in phrase.noun.kinds)


def _content_fits(noun: Noun | None) -> bool:
    """True for something to eat or drink that is not counted, as in a cup of tea."""
    return noun is None or (not noun.counted and bool(noun.kinds & {"food", "drink"}))


def _determiner_fits(phrase: NounPhrase) -> bool:
    noun, determiner, number = phrase.noun, phrase.determiner, phrase.number
    if "language" in noun.kinds:
        return _bare(phrase)
    if "sky" in noun.kinds and not noun.counted:
        return determiner == "the" and not number
    if not noun.counted:
        portion = determiner != "a" or noun.english in _ORDERED
        return portion and not number and determiner not in ("many", "these", "those")
    if number == "one":
        return not (phrase.plural or determiner or phrase.owner)
    if phrase.plural:
        return determiner in _BEFORE_NUMBERS if number else determiner not in ("a", "this", "that")
    if number:
        return False
    if _bare(phrase):
        return noun.english in _LIKE_NAMES and not phrase.adjectives
    return phrase.owner is not None or determiner in ("the", "a", "no", "this", "that", *POSSESSIVES)


# Clauses


def _clauses(words: Words) -> Iterator[Clause]:
    for clause, at in _beginnings(words):
        for whole, end in _tails(words, at, clause):
            if _end(words, end) and _well_formed(whole):
                yield whole


def _beginnings(words: Words) -> Iterator[tuple[Clause, int]]:
    """Yields clauses up to their objects, or up to what somebody is."""
    please, start = _optional(words, 0, ("please",))
    polite = please is not None
    time, at = _optional(words, start, TIMES)
    if time:
        for clause, behind in _told(words, at):
            yield replace(clause, time=time, time_first=True, please=polite, please_first=polite), behind
        return
    for clause, behind in (*_told(words, at), *_questions(words, at), *_commands(words, at)):
        yield replace(clause, please=polite, please_first=polite), behind


def _told(words: Words, at: int) -> Iterator[tuple[Clause, int]]:
    for subject, behind in _phrases(words, at, _SUBJECTS):
        for clause, end in _statements(words, behind):
            yield replace(clause, subject=subject), end


def _statements(words: Words, at: int) -> Iterator[tuple[Clause, int]]:
    """Yields what follows a subject."""
    if words[at] in _HELPERS:
        negated, behind = _optional(words, at + 1, ("not",))
        yield from _helped(words, at, behind, Clause((), Being(), negated is not None))
        return
    adverb, at = _optional(words, at, ADVERBS)
    for action, behind in (
        *_action(words, at, _BASE, "present"),
        *_action(words, at, _THIRD, "present"),
        *_action(words, at, _PAST, "past"),
        *_wish(words, at),
    ):
        yield Clause((), action, adverb=adverb), behind


def _questions(words: Words, start: int) -> Iterator[tuple[Clause, int]]:
    if words[start] == "who":
        for clause, behind in _statements(words, start + 1):
            yield replace(clause, subject=_WHO, question=True), behind
    asked, helper = _optional(words, start, (*_ASKED, "what"))
    if words[helper] in _HELPERS:
        negated, at = _optional(words, helper + 1, ("not",))
        for subject, behind in _phrases(words, at, _SUBJECTS):
            part = Clause(subject, Being(), negated is not None, question=True, asked=asked if asked in _ASKED else None)
            yield from _helped(words, helper, behind, part, for_what=asked == "what")


def _commands(words: Words, start: int) -> Iterator[tuple[Clause, int]]:
    for action, behind in _action(words, start, _BASE, "present"):
        yield Clause((), action), behind
    negated, at = _optional(words, start, ("do not",))
    for action, behind in _action(words, at, _BASE, "present") if negated else ():
        yield Clause((), action, negated=True), behind
    be, at = _optional(words, at, ("be",))
    if be:
        yield from _states(words, at, Clause((), Being(), negated is not None))


def _helped(words: Words, helper: int, at: int, part: Clause, for_what: bool = False) -> Iterator[tuple[Clause, int]]:
    """Yields what follows a form of be, can or do with its "not" or its subject. `for_what`: "what" is the object."""
    adverb, at = _optional(words, at, ADVERBS)
    part = replace(part, past=words[helper] in ("was", "were"), adverb=adverb)
    actions: Iterable[tuple[Action, int]]
    match words[helper]:
        case "can":
            actions = _action(words, at, _BASE, "can", for_what)
        case "did":
            actions = _action(words, at, _BASE, "past", for_what)
        case "do" | "does":
            actions = (*_action(words, at, _BASE, "present", for_what), *_wish(words, at, for_what))
        case _:
            actions = () if part.past else _action(words, at, _ING, "progressive", for_what)
    for action, behind in actions:
        yield replace(part, predicate=action), behind
    if words[helper] in _BE and not for_what:
        yield from _states(words, at, part)


def _states(words: Words, at: int, part: Clause) -> Iterator[tuple[Clause, int]]:
    """Yields what follows "to be": an adjective, what somebody is, or nothing yet."""
    yield part, at
    for quality, behind in _quality(words, at):
        yield replace(part, predicate=quality), behind
    for what, behind in _phrase(words, at, _OBJECTS):
        yield replace(part, predicate=Identity(what)), behind


def _wish(words: Words, at: int, for_what: bool = False) -> Iterator[tuple[Action, int]]:
    """Yields an action that somebody wants, needs, likes or loves to do."""
    tense = _WISHES.get(words[at])
    if tense and words[at + 1] == "to":
        yield from _action(words, at + 2, _BASE, tense, for_what)
    if tense in _WITH_GERUND:
        for action, behind in _action(words, at + 1, _ING, tense, for_what):
            yield replace(action, gerund=True), behind


def _action(
    words: Words, at: int, forms: Mapping[str, Verb], tense: Tense, for_what: bool = False
) -> Iterator[tuple[Action, int]]:
    """Yields a verb in one of these forms, with its objects."""
    verb = forms.get(words[at])
    if verb is None or (tense == "past" and verb.past is None):
        return
    for objects, behind in _asked_object(words, at + 1, verb) if for_what else _objects(words, at + 1, verb):
        much, end = _optional(words, behind, _MUCH)
        yield Action(verb, tense, objects, much=much), end


def _objects(words: Words, at: int, verb: Verb) -> Iterator[tuple[tuple[Phrase, ...], int]]:
    if verb.objects and (not verb.particle or words[at] == verb.particle):
        yield from _phrases(words, at + 1 if verb.particle else at, _OBJECTS)
    if "optional" in verb.kinds or not (verb.objects or "asked" in verb.kinds):
        yield (), at


def _asked_object(words: Words, at: int, verb: Verb) -> Iterator[tuple[tuple[Phrase, ...], int]]:
    if (verb.objects or "asked" in verb.kinds) and (not verb.particle or words[at] == verb.particle):
        yield (Pronoun("what"),), at + 1 if verb.particle else at


def _quality(words: Words, at: int) -> Iterator[tuple[Quality, int]]:
    degree, at = _optional(words, at, _DEGREES)
    first = ADJECTIVES.get(words[at])
    if first:
        yield Quality((first,), degree), at + 1
        second = ADJECTIVES.get(words[at + 2]) if words[at + 1] == "and" else None
        if second and second != first:
            yield Quality((first, second), degree), at + 3


def _tails(words: Words, at: int, clause: Clause) -> Iterator[tuple[Clause, int]]:
    """Yields the clause with all that may follow."""
    for part, behind in _surroundings(words, at, clause):
        time, end = (part.time, behind) if part.time else _optional(words, behind, TIMES)
        also, end = _optional(words, end, ("too",))
        part = replace(part, time=time, also=also is not None)
        yield part, end
        if words[end] == "please" and not part.please:
            yield replace(part, please=True), end + 1


def _surroundings(words: Words, at: int, clause: Clause) -> Iterator[tuple[Clause, int]]:
    """Yields the clause with company and a place, in either order."""
    yield clause, at
    for company, behind in _company(words, at):
        yield replace(clause, company=company), behind
        for place, end in _place(words, behind):
            yield replace(clause, company=company, place=place), end
    for place, behind in _place(words, at):
        yield replace(clause, place=place), behind
        for company, end in _company(words, behind):
            yield replace(clause, company=company, place=place, place_first=True), end


def _company(words: Words, at: int) -> Iterator[tuple[Phrase, int]]:
    if words[at] == "with":
        yield from _phrase(words, at + 1, _OBJECTS)


def _place(words: Words, at: int) -> Iterator[tuple[Place, int]]:
    if words[at] in WITHOUT_TO:
        yield Place(None, words[at]), at + 1
    if words[at] in PREPOSITIONS:
        preposition, where = words[at], words[at + 1]
        if where in PLACES and (PLACES[where] == preposition or (preposition == "to" and where not in WITHOUT_TO)):
            yield Place(preposition, where), at + 2
        if preposition == "from":
            if where in PLACE_NAMES:
                yield Place(preposition, where), at + 2
            return
        for phrase, behind in _phrase(words, at + 1, _NO_PRONOUNS):
            if isinstance(phrase, NounPhrase) and "language" not in phrase.noun.kinds:
                yield Place(preposition, phrase), behind


def _well_formed(clause: Clause) -> bool:
    return _form_fits(clause) and _place_fits(clause) and _time_fits(clause) and _predicate_fits(clause)


def _form_fits(clause: Clause) -> bool:
    if clause.adverb and (clause.negated or not clause.subject):
        return False
    objects = clause.predicate.objects if isinstance(clause.predicate, Action) else ()
    none = [phrase for phrase in phrases_of(clause) if isinstance(phrase, NounPhrase) and phrase.determiner == "no"]
    return not none or (
        none == [*objects] and bool(clause.subject) and not (clause.negated or clause.question or clause.adverb)
    )


def _place_fits(clause: Clause) -> bool:
    verb = clause.predicate.verb if isinstance(clause.predicate, Action) else None
    place = clause.place
    if place is None:
        return (
            clause.company is not None
            or clause.asked == "where"
            or not (isinstance(clause.predicate, Being) or (verb and "place" in verb.kinds))
        )
    if clause.asked == "where":
        return False
    if place.preposition == "from":
        return _origin_fits(clause, verb)
    goal = place.preposition == "to" or (place.preposition is None and place.where == "home")
    if verb and "goal" in verb.kinds:
        return goal or place.preposition is None
    return not goal or (verb is not None and verb.english in _MOVING)


def _origin_fits(clause: Clause, verb: Verb | None) -> bool:
    """True if "from" a place is said of being or coming, now, and with nothing added."""
    added = clause.company or clause.time or clause.adverb or clause.also or clause.asked or clause.past
    is_or_comes = isinstance(clause.predicate, Being) or (
        isinstance(clause.predicate, Action) and clause.predicate.tense == "present" and verb == VERBS["come"]
    )
    return bool(clause.subject) and is_or_comes and not added


def _time_fits(clause: Clause) -> bool:
    past = clause.past or (isinstance(clause.predicate, Action) and clause.predicate.tense == "past")
    if clause.time and clause.asked == "when":
        return False
    return clause.time != "now" if past else clause.time != "yesterday"


def _predicate_fits(clause: Clause) -> bool:
    """True if subject and complement agree in number: "you" may be one or several."""
    if not isinstance(clause.predicate, Identity):
        return True
    what, subject = clause.predicate.what, clause.subject
    if isinstance(what, Pronoun):
        return subject == (Pronoun("it"),)
    if isinstance(what, NounPhrase) and "language" in what.noun.kinds:
        return False
    return subject in ((), (Pronoun("you"),)) or several((what,)) == several(subject)


# Other sentences


def _pointings(words: Words) -> Iterator[Pointing]:
    question = words[0] in _BE
    this = words[1 if question else 0]
    if this not in DEMONSTRATIVES or (not question and words[1] not in _BE):
        return
    negated, at = _optional(words, 2, ("not",))
    for quality, end in _quality(words, at):
        if _end(words, end):
            yield Pointing(this, quality, negated is not None, question)
    for what, end in _phrases(words, at, _NO_PRONOUNS):
        if _end(words, end) and (several(what) if DEMONSTRATIVES[this] else not several(what[:1])):
            yield Pointing(this, what, negated is not None, question)


def _theres(words: Words) -> Iterator[There]:
    question = words[1] == "there"
    there, be = (1, 0) if question else (0, 1)
    if words[there] != "there" or words[be] not in _BE:
        return
    negated, at = _optional(words, 2, ("not",))
    for what, behind in _phrases(words, at, _NO_PRONOUNS):
        none = any(isinstance(phrase, NounPhrase) and phrase.determiner == "no" for phrase in what)
        if all(_indefinite(phrase) for phrase in what) and not (none and (question or negated or len(what) > 1)):
            for place, end in ((None, behind), *_place(words, behind)):
                if _end(words, end) and (place is None or (place.preposition != "to" and place != Place(None, "home"))):
                    yield There(what, place, negated is not None, question)


def _indefinite(phrase: Phrase) -> bool:
    """True for what "there is": "a cat", not "my cat"."""
    return (
        isinstance(phrase, NounPhrase)
        and phrase.owner is None
        and phrase.determiner in _INDEFINITE
        and "language" not in phrase.noun.kinds
    )


def _askings(words: Words) -> Iterator[Where | Asking]:
    asked, at = _optional(words, 0, ("where", "who", "what", "how old", "how"))
    if asked is None or words[at] not in _BE:
        return
    for subject, end in _phrases(words, at + 1, _SUBJECTS):
        if _end(words, end):
            yield Where(subject) if asked == "where" else Asking(asked, subject)
    if asked in ("who", "what") and words[at + 1] in DEMONSTRATIVES and _end(words, at + 2):
        yield Asking(asked, words[at + 1])


def _greetings(words: Words) -> Iterator[Fixed]:
    """Yields a greeting to somebody: "hello Anna", "good morning my friend", "thank you teacher"."""
    for greeting in GREETINGS:
        _, at = _optional(words, 0, (greeting,))
        for name, end in _phrase(words, at, _NO_PRONOUNS) if at else ():
            if _end(words, end) and (isinstance(name, Name) or (isinstance(name, NounPhrase) and name.noun.alive)):
                yield Fixed(greeting, name)
        for phrase, end in _noun_phrase(words, at) if at else ():
            if _end(words, end) and phrase == NounPhrase(phrase.noun) and phrase.noun.alive:
                yield Fixed(greeting, phrase)


def _fragments(words: Words) -> Iterator[Phrases | Description]:
    for parts, behind in (*_entries(words), *_phrases(words, 0, _SUBJECTS)):
        please, end = _optional(words, behind, ("please",))
        if _end(words, end):
            yield Phrases(parts, please is not None)
    for quality, end in _quality(words, 0):
        if _end(words, end):
            yield Description(quality)


def _entries(words: Words) -> Iterator[tuple[tuple[Phrase, ...], int]]:
    """Yields a noun as in a dictionary: "cat", "red apple"."""
    for phrase, behind in _noun_phrase(words, 0):
        if _bare(phrase) and phrase.noun.plural != words[behind - 1] and _adjectives_fit(phrase) and _content_fits(phrase.of):
            yield (phrase,), behind
