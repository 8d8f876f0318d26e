"""Everyday sentences at random: short and common ones often, most of them sensible, a few of any words."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from everyday.drawn_phrases import PhraseDrawing
from everyday.english import english
from everyday.recogniser import trees
from everyday.scope import EVERYDAY, SMALL, Scope
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
    There,
    Where,
    phrases_of,
    several,
)
from everyday.tables import read
from everyday.words import (
    ADJECTIVES,
    ADVERBS,
    DEMONSTRATIVES,
    GREETINGS,
    NAMES,
    NOUNS,
    PHRASES,
    PLACE_NAMES,
    POSSESSIVES,
    PREFACES,
    VERBS,
    Noun,
    Verb,
)

__all__ = ["EVERYDAY", "LONGEST", "SMALL", "Scope", "draw"]
LONGEST = 9  # words of a sentence; seven of 796 that were written by hand are longer


def draw(generator: random.Random, scope: Scope = EVERYDAY) -> Sentence:
    """Draws a sentence of at most LONGEST words."""
    drawing = _Drawing(generator, scope)
    while True:
        sentence = drawing.sentence()
        if not _names_one_twice(sentence) and len(english(sentence)) <= LONGEST:
            return sentence


@cache
def _common() -> tuple[Sentence, ...]:
    """Returns the sentences that people say, or type, most."""
    return tuple(tree for row in read("english/common_sentences", "english") for tree in trees(row.words("english")))


def _names_one_twice(sentence: Sentence) -> bool:
    """True for "I see us" or "the cat and the cat"."""
    heads = [
        phrase.noun.english if isinstance(phrase, NounPhrase) else phrase.word.replace("we", "i")
        for phrase in phrases_of(sentence)
    ]
    return len(set(heads)) < len(heads)


class _Drawing(PhraseDrawing):
    """Draws sentences: a method for every kind that a scope can name."""

    def sentence(self) -> Sentence:
        kind: Callable[[], Sentence] = getattr(self, self.weighted(self.scope.kinds))
        return kind()

    def mood(self) -> dict[str, Any]:
        question = self.maybe(0.22)
        negated = self.maybe(0.24) if not question else self.scope.additions and self.maybe(0.05)
        return {"question": question, "negated": negated}

    # --- Somebody does something. ---------------------------------------------------------------------------------------------

    def action(self) -> Clause:
        verb = self.choice(self.scope.verbs)
        tense: Any = self.weighted(self.scope.tenses)
        forms = {"progressive": verb.ing, "past": verb.past, "like": verb.ing, "love": verb.ing}
        if not forms.get(tense, "any") or verb.english in ("like", "love", "want", "need", "know"):
            tense = "present"
        gerund = tense in ("like", "love") and self.maybe(0.5)
        mood = self.mood()
        none = self.scope.additions and not any(mood.values()) and self.maybe(0.04)
        action = self.with_objects(Action(verb, tense, gerund=gerund), mood, none)
        return self.with_additions(Clause(self.asked_or_subject(action, mood), action, **mood), action)

    def asked_or_subject(self, action: Action | None, mood: dict[str, Any]) -> tuple[Phrase, ...]:
        """Draws the "who" of a question now and then, or else a subject."""
        asks_what = action is not None and action.objects == (Pronoun("what"),)
        if self.scope.additions and mood["question"] and not mood["negated"] and not asks_what and self.maybe(0.12):
            return (Pronoun("who"),)
        return self.subject()

    def with_objects(self, action: Action, mood: dict[str, Any], none: bool = False) -> Action:
        """`none`: with "no friends" as its object."""
        verb = action.verb
        if "asked" in verb.kinds:
            mood |= {"question": True, "negated": False}
            return replace(action, objects=(Pronoun("what"),))
        if not verb.objects or ("optional" in verb.kinds and self.maybe(0.3)):
            return action
        if self.scope.additions and mood["question"] and not mood["negated"] and self.maybe(0.2):
            return replace(action, objects=(Pronoun("what"),))
        if none and "language" not in verb.objects:
            return replace(action, objects=(self.none(self.acted_on(verb)),))
        much = verb.english in ("like", "love") and self.scope.additions and self.maybe(0.08)
        objects = self.objects(verb, mood["negated"])
        return replace(action, objects=objects, much=self.choice(("very much", "a lot", "so much")) if much else None)

    def objects(self, verb: Verb, negated: bool) -> tuple[Phrase, ...]:
        sort, person = self.random(), "person" in verb.kinds
        if self.scope.additions and person and sort < 0.3:
            return (Pronoun(self.choice(("i", "you", "you", "he", "she", "it", "we", "they"))),)
        if self.scope.additions and person and sort < 0.38:
            return (Name(self.choice(NAMES)),)
        if self.scope.additions and verb.english in ("see", "like", "love", "know") and sort < 0.42:
            return (Name(self.choice(PLACE_NAMES)),)
        if self.scope.additions and not person and sort < 0.04 and "language" not in verb.objects:
            return (Pronoun(self.choice(("it", "it", "they"))),)
        return self.things(self.acted_on(verb), negated)

    def acted_on(self, verb: Verb) -> Sequence[Noun]:
        """Returns the nouns that this verb acts on; now and then, any."""
        if not self.maybe(self.scope.sensible) and "language" not in verb.objects:
            return self.scope.nouns
        nouns = self.scope.of("food" if verb.english == "eat" else "", *sorted(verb.objects))
        spoken = verb.english in ("like", "love", "speak", "learn", "understand")
        return nouns if spoken else [noun for noun in nouns if "language" not in noun.kinds]

    def things(self, nouns: Sequence[Noun], negated: bool) -> tuple[Phrase, ...]:
        pair = self.scope.additions and self.maybe(0.06)
        phrases: tuple[Phrase, ...] = self.two(nouns) if pair else (self.noun_phrase(nouns, 0.33),)
        some = any(isinstance(phrase, NounPhrase) and phrase.determiner == "some" for phrase in phrases)
        return (self.noun_phrase(nouns, 0.33, indefinite=False),) if negated and some else phrases

    def none(self, nouns: Sequence[Noun]) -> NounPhrase:
        """Draws "no friends"."""
        noun = self.choice([noun for noun in nouns if not noun.kinds & {"language", "sky"}] or [NOUNS["friend"]])
        phrase = NounPhrase(noun, noun.counted and noun.plural != noun.english and self.maybe(0.7), "no")
        return self.described(phrase) if self.maybe(0.15) else phrase

    def with_additions(self, clause: Clause, action: Action) -> Clause:
        """Adds place, company, time, adverb, and what a question asks for."""
        if not self.scope.additions:
            return clause
        verb, given = action.verb, dict[str, Any]()
        if verb.english == "come" and action.tense == "present" and clause.subject and self.maybe(0.25):
            return replace(clause, place=self.origin())
        if "place" in verb.kinds or ("goal" in verb.kinds and self.maybe(0.85)):
            given["place"] = self.place("goal" in verb.kinds)
        elif (
            "goal" not in verb.kinds
            and not (verb.particle and not action.objects)
            and self.maybe(0.12 if verb.objects else 0.3)
        ):
            given["place"] = self.place(verb.english in ("run", "walk", "swim", "drive") and self.maybe(0.3))
        if verb.english == "play" and self.maybe(0.35):
            played_with = [NOUNS["ball"], NOUNS["phone"], NOUNS["computer"], *self.scope.of("animal")]
            given["company"] = self.noun_phrase(played_with, 0.25)
        elif "person" not in verb.kinds and self.maybe(0.06 if verb.objects else 0.14):
            given["company"] = self.company()
        if "place" in given and "company" in given:
            given["place_first"] = self.maybe(0.35)
        asks_what, asks_who = action.objects == (Pronoun("what"),), clause.subject == (Pronoun("who"),)
        if clause.question and not clause.negated and not (asks_what or asks_who) and self.maybe(0.25):
            given["asked"] = self.choice(("where", "where", "why", "when"))
            if given["asked"] == "where":
                given |= {"place": None, "place_first": False}
        elif not clause.negated and not _none(action) and action.tense in ("present", "past", "can") and self.maybe(0.07):
            given["adverb"] = self.choice(ADVERBS)
        elif self.maybe(0.13):
            given |= self.time(action.tense, clause.question)
        elif not asks_what and self.maybe(0.035):
            given["also"] = True
        elif self.maybe(0.03):
            given["please"] = True
        return replace(clause, **given)

    def time(self, tense: str, question: bool) -> dict[str, Any]:
        times = {
            "past": ("yesterday", "yesterday", "today"),
            "progressive": ("today", "now", "now"),
            "present": ("today", "now", "every day", "every day"),
        }
        return {"time": self.choice(times.get(tense, ("today", "now"))), "time_first": not question and self.maybe(0.25)}

    def command(self) -> Clause:
        negated, please = self.maybe(0.2), self.maybe(0.25)
        if self.maybe(0.1):
            adjective = ADJECTIVES[self.choice("nice nice good good strong fast happy clever funny sad angry".split())]
            return Clause((), Quality((adjective,)), negated=negated, please=please)
        if self.maybe(0.4):
            verb = VERBS[self.choice("help help look listen open close come go eat drink".split())]
        else:
            verb = self.choice([verb for verb in self.scope.verbs if verb.ing and verb.english not in ("live", "do")])
        action = self.with_objects(Action(verb), {"question": False, "negated": negated})
        clause = self.with_additions(Clause((), action, negated=negated), action)
        first = please and self.maybe(0.4)
        return replace(clause, adverb=None, time_first=False, also=False, please=please, please_first=first)

    # --- Somebody is something. -----------------------------------------------------------------------------------------------

    def quality(self) -> Clause:
        mood = self.mood()
        subject = self.asked_or_subject(None, mood) if self.maybe(0.65) else self.subject(self.scope.nouns)
        clause = Clause(subject, self.said_of(subject), past=self.maybe(0.1), **mood)
        if clause.question and not clause.negated and subject != (Pronoun("who"),) and self.maybe(0.12):
            return replace(clause, asked="why")
        if not clause.negated and self.maybe(0.08):
            return replace(clause, adverb=self.choice(ADVERBS))
        if self.maybe(0.05):
            return replace(clause, place=self.place())
        return self.at_a_time(clause) if self.maybe(0.94) else replace(clause, also=True)

    def said_of(self, subject: tuple[Phrase, ...], pointing: bool = False) -> Quality:
        nouns = [phrase.noun for phrase in subject if isinstance(phrase, NounPhrase)]
        if not nouns and not pointing and subject != (Pronoun("it"),):
            nouns = [NOUNS["child"]]  # a pronoun or a name is somebody
        fitting = self.fitting(nouns, before_noun=pointing)
        first = self.choice(fitting)
        if "colour" not in first.kinds and self.maybe(0.3):
            return Quality((first,), self.choice(("very", "very", "very", "too", "so")))
        if self.maybe(0.13) and len(fitting) > 1:
            return Quality((first, self.choice([adjective for adjective in fitting if adjective is not first])))
        return Quality((first,))

    def being(self) -> Clause:
        subject = self.subject() if self.maybe(0.7) else self.subject(self.scope.nouns)
        clause = Clause(subject, Being(), past=self.maybe(0.15), **self.mood())
        if self.maybe(0.1):
            return replace(clause, past=False, place=self.origin())
        if self.maybe(0.22):
            clause = replace(clause, company=self.company())
        if not clause.company or self.maybe(0.25):
            clause = replace(clause, place=self.place(), place_first=clause.company is not None and self.maybe(0.4))
        if clause.question and not clause.negated and self.maybe(0.2):
            return replace(clause, asked=self.choice(("why", "when")))
        return self.at_a_time(clause)

    def origin(self) -> Place:
        return Place("from", self.choice(PLACE_NAMES))

    def at_a_time(self, clause: Clause) -> Clause:
        """Adds a time more often to a state in the past."""
        if not self.maybe(0.3 if clause.past else 0.13):
            return clause
        return replace(clause, **self.time("past" if clause.past else "present", clause.question))

    def identity(self) -> Clause:
        if self.maybe(0.12):
            name = NounPhrase(NOUNS["name"], determiner=self.choice(tuple(POSSESSIVES)))
            return Clause((name,), Identity(Name(self.choice(NAMES))))
        subject = self.subject(self.scope.of("person")) if self.maybe(0.35) else self.subject()
        if self.maybe(0.05):
            subject = (Name(self.choice(PLACE_NAMES)),)
        it = subject == (Pronoun("it"),)
        if self.maybe(0.75) and not it:
            kinds = self.scope.of("person", "job", "job")
        else:
            kinds = self.scope.nouns if it or self.maybe(0.3) else self.scope.of("animal")
        counted = [noun for noun in kinds if _has_plural(noun) and not (it and "person" in noun.kinds)]
        plural = several(subject) and (subject != (Pronoun("you"),) or self.maybe(0.2))
        what = Identity(self.identified(self.choice(counted), plural))
        return Clause(subject, what, past=self.maybe(0.08), **self.mood())

    def identified(self, noun: Noun, plural: bool) -> NounPhrase:
        whose = self.choice((*POSSESSIVES, "my", "my", "your"))
        if plural:
            phrase = NounPhrase(noun, True, whose if self.maybe(0.5) else None)
        elif self.maybe(0.08):
            phrase = NounPhrase(noun, owner=self.owner())
        else:
            phrase = NounPhrase(noun, determiner="a" if self.maybe(0.5) else "the" if self.maybe(0.1) else whose)
        return self.described(phrase) if self.maybe(0.35) else phrase

    # --- The other kinds. -----------------------------------------------------------------------------------------------------

    def pointing(self) -> Pointing:
        this = self.choice(("this", "this", "this", "that", "that", "these", "those"))
        sort, mood = self.random(), self.mood()
        if sort < 0.28:
            return Pointing(this, self.said_of((), pointing=True), **mood)
        if sort < 0.37 and not DEMONSTRATIVES[this]:
            return Pointing(this, (Name(self.choice(NAMES)),), **mood)
        if sort < 0.45 and not DEMONSTRATIVES[this]:
            mass = [noun for noun in self.scope.of("food", "drink", "thing") if not noun.counted]
            what = NounPhrase(self.choice(mass), determiner=self.choice((None, None, "my", "your", "the")))
            return Pointing(this, (self.described(what) if self.maybe(0.3) else what,), **mood)
        counted = [noun for noun in self.scope.nouns if _has_plural(noun)]
        return Pointing(this, (self.identified(self.choice(counted), DEMONSTRATIVES[this]),), **mood)

    def there(self) -> There:
        mood = self.mood()
        noun = self.choice([noun for noun in self.scope.nouns if not noun.kinds & {"language", "sky"}])
        if not any(mood.values()) and self.maybe(0.1):
            return There((self.none([noun]),), self.place() if self.maybe(0.75) else None)
        if not noun.counted:
            what = NounPhrase(noun, determiner=None if mood["negated"] or self.maybe(0.5) else "some")
        elif self.maybe(0.5):
            what = NounPhrase(noun, determiner="a")
        elif self.maybe(0.4):
            what = NounPhrase(noun, True, number=self.number())
        else:
            what = NounPhrase(noun, True, None if mood["negated"] else self.choice(("some", "many", "a lot of", None)))
        what = self.described(what) if self.maybe(0.25) else what
        return There((what,), self.place() if self.maybe(0.75) else None, **mood)

    def where(self) -> Where:
        return Where(self.subject() if self.maybe(0.4) else (self.noun_phrase(self.scope.nouns, 0.2, indefinite=False),))

    def asking(self) -> Asking:
        sort = self.random()
        if sort < 0.35:
            return Asking("what", self.choice(tuple(DEMONSTRATIVES)))
        if sort < 0.45:
            return Asking("what", (NounPhrase(NOUNS["name"], determiner=self.choice(("his", "her", "the"))),))
        if sort < 0.55:
            return Asking("who", self.choice(("this", "that")))
        if sort < 0.7:
            about = self.subject(self.scope.living) if self.maybe(0.5) else self.subject()
            word = "how" if self.maybe(0.6) else "how old"
            return Asking(word, (Pronoun("he"),) if about == (Pronoun("you"),) else about)  # "how are you" is a set phrase
        if sort < 0.8:
            return Asking("who", (Pronoun(self.choice(("you", "he", "she", "they"))),))
        if sort < 0.88:
            return Asking("who", (Name(self.choice(NAMES)),))
        return Asking("who", (self.noun_phrase(self.scope.of("person"), 0.25, indefinite=False),))

    def phrases(self) -> Phrases:
        sort = self.random()
        if sort < 0.15:  # "red apple", as in a dictionary
            noun = self.choice([noun for noun in self.scope.nouns if noun.counted])
            phrase = NounPhrase(noun, noun.plural == noun.english or self.maybe(0.3))  # "fish" alone is several
            return Phrases((self.described(phrase) if self.maybe(0.5) else phrase,))
        if sort < 0.3:
            return Phrases(self.two(self.scope.nouns))
        if sort < 0.35:
            return Phrases((Pronoun(self.choice(self.scope.pronouns)) if self.maybe(0.5) else Name(self.choice(NAMES)),))
        return Phrases((self.noun_phrase(self.scope.nouns, 0.5),), please=self.maybe(0.05))

    def description(self) -> Description:
        adjective = self.choice(self.scope.adjectives)
        very = "colour" not in adjective.kinds and self.maybe(0.4)
        very = very and adjective.english != "good"  # "very good" is a set phrase
        return Description(Quality((adjective,), "very" if very else None))

    def common(self) -> Sentence:
        return self.choice(_common())

    def fixed(self) -> Fixed:
        if self.maybe(0.6):
            return Fixed(self.choice(PHRASES))
        called: list[Phrase] = [NounPhrase(NOUNS[noun]) for noun in ("mom", "mom", "dad", "dad", "teacher", "doctor")]
        friends = [NounPhrase(NOUNS["friend"], several, "my") for several in (False, True)]
        return Fixed(self.choice(GREETINGS), self.choice([*called, *friends, *map(Name, NAMES)]))

    def prefaced(self) -> Prefaced:
        """Draws what follows a set phrase: most often a statement or a question."""
        rest: Any = self.choice((self.action, self.quality, self.identity, self.pointing, self.where))()
        if self.maybe(0.15):
            rest = Fixed(self.choice(("please", "thank you", "thanks", "how are you", "what is your name", "i am fine")))
        preface = Fixed(self.choice(PREFACES))
        return Prefaced(Fixed("yes") if preface == rest else preface, rest)


def _none(action: Action) -> bool:
    return any(isinstance(phrase, NounPhrase) and phrase.determiner == "no" for phrase in action.objects)


def _has_plural(noun: Noun) -> bool:
    return noun.counted and noun.plural != noun.english and "sky" not in noun.kinds
