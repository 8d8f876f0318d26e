"""Draws phrases and places at random."""

import random
from collections.abc import Sequence
from dataclasses import replace

from everyday.scope import Scope, goes_with
from everyday.sentence import Name, NounPhrase, Phrase, Place, Pronoun
from everyday.words import (
    NAMES,
    NOUNS,
    NUMBERS,
    PLACE_NAMES,
    PLACES,
    WITHOUT_TO,
    Adjective,
    Noun,
)


class PhraseDrawing:
    """Draws phrases of a scope."""

    def __init__(self, generator: random.Random, scope: Scope):
        self.random, self.choice, self._weighted = generator.random, generator.choice, generator.choices
        self.scope = scope

    def maybe(self, probability: float) -> bool:
        return self.random() < probability

    def weighted(self, options: Sequence[tuple[str, float]]) -> str:
        return self._weighted([value for value, _ in options], [weight for _, weight in options])[0]

    def number(self) -> str:
        return self.choice((*NUMBERS[1:], "two", "three"))

    def noun_phrase(self, nouns: Sequence[Noun], described: float, indefinite: bool = True) -> NounPhrase:
        """`described`: the probability of adjectives; `indefinite`: whether it may be "a …", or lack a determiner."""
        noun = self.choice(nouns or self.scope.nouns)
        if "language" in noun.kinds:
            return NounPhrase(noun)
        if "sky" in noun.kinds and noun.english != "star":
            phrase = NounPhrase(noun, determiner="the")
        elif self.scope.additions and self.maybe(0.04):
            several = noun.counted and self.maybe(0.25) and noun.plural != noun.english
            phrase = NounPhrase(noun, several, owner=self.owner(), number="two" if several and self.maybe(0.4) else None)
        elif noun.english in ("mom", "dad") and self.maybe(0.4):
            return NounPhrase(noun)
        elif not noun.counted:
            phrase = self._mass(noun, indefinite)
        elif self.scope.additions and self.maybe(0.26):
            phrase = self._several(noun, indefinite)
        else:
            phrase = self._one(noun, indefinite)
        return self.described(phrase) if self.maybe(described) else phrase

    def _one(self, noun: Noun, indefinite: bool) -> NounPhrase:
        if indefinite and self.scope.additions and self.maybe(0.02):
            return NounPhrase(noun, number="one")
        if indefinite and noun.english == "cup" and self.maybe(0.7):
            drink = self.choice(self.scope.of("drink"))
            several = self.maybe(0.2)
            return NounPhrase(noun, several, None if several else "a", self.number() if several else None, of=drink)
        return NounPhrase(noun, determiner=self._determiner(indefinite))

    def _mass(self, noun: Noun, indefinite: bool) -> NounPhrase:
        sort = self.random()
        if indefinite and sort < 0.5:
            return NounPhrase(noun)
        if indefinite and sort < 0.54 and noun.english in ("tea", "coffee"):
            return NounPhrase(noun, determiner="a")
        if indefinite and sort < 0.62:
            return NounPhrase(noun, determiner=self.choice(("some", "some", "a lot of")))
        return NounPhrase(noun, determiner=self._determiner(indefinite=False))

    def _several(self, noun: Noun, indefinite: bool) -> NounPhrase:
        sort = self.random()
        if indefinite and sort < 0.3:
            return NounPhrase(noun, True)
        if indefinite and sort < 0.5:
            return NounPhrase(noun, True, self.choice(("some", "some", "many", "many", "a lot of")))
        if indefinite and sort < 0.63:
            return NounPhrase(noun, True, number=self.number())
        determiner = self.choice(self.scope.plural)
        if self.maybe(0.12):
            return NounPhrase(noun, True, determiner, self.number())
        one = noun.plural == noun.english and determiner not in ("these", "those")  # "my fish" is one
        return NounPhrase(noun, not one, determiner)

    def _determiner(self, indefinite: bool) -> str:
        determiner = self.choice(self.scope.singular)
        while determiner == "a" and not indefinite:
            determiner = self.choice(self.scope.singular)
        return determiner

    def owner(self) -> Name | NounPhrase:
        """Draws an owner: Anna's, my father's, the teacher's."""
        if self.maybe(0.35):
            return Name(self.choice(NAMES))
        whose = self.choice(("my", "my", "my", "your", "the", "his", "her", "our"))
        return NounPhrase(self.choice(self.scope.living), determiner=whose)

    def described(self, phrase: NounPhrase) -> NounPhrase:
        """Adds an adjective or two."""
        if phrase.of:
            return phrase
        fitting = self.fitting([phrase.noun], before_noun=True)
        first = self.choice(fitting)
        if not self.scope.additions or self.maybe(0.91):
            undetermined = phrase.determiner in (None, "a") and not phrase.number and not phrase.owner
            very = self.scope.additions and undetermined and "colour" not in first.kinds and self.maybe(0.1)
            return replace(phrase, adjectives=(first,), very=very)
        second = self.choice([adjective for adjective in fitting if adjective is not first])
        colours = ("colour" in first.kinds) + ("colour" in second.kinds)
        if colours == 1 and "colour" in first.kinds:
            first, second = second, first  # "a big red car"
        joined = colours == 2 or (colours == 0 and self.maybe(0.3))
        return replace(phrase, adjectives=(first, second), joined=joined)

    def fitting(self, nouns: Sequence[Noun], before_noun: bool) -> Sequence[Adjective]:
        """Returns adjectives that fit all these nouns; now and then, any."""
        possible = [a for a in self.scope.adjectives if not (before_noun and "state" in a.kinds)]
        if not self.maybe(self.scope.sensible):
            return possible
        return [adjective for adjective in possible if all(goes_with(adjective, noun) for noun in nouns)] or possible

    def subject(self, nouns: Sequence[Noun] = ()) -> tuple[Phrase, ...]:
        """Draws a subject: most often a pronoun, unless it is to be one of these nouns."""
        sort = self.random()
        if sort < 0.52 and not nouns:
            return (Pronoun(self.choice(self.scope.pronouns)),)
        if not self.scope.additions:
            return (self.noun_phrase(self.scope.living, 0.6),)
        if sort < 0.6 and not nouns:
            return (Name(self.choice(NAMES)),)
        pool = nouns or (self.scope.living if self.maybe(0.85) else self.scope.nouns)
        if sort < 0.62 and not nouns:
            return (Name(self.choice(PLACE_NAMES)),)
        return (self.noun_phrase(pool, 0.25),) if sort < 0.97 else self.two(pool)

    def two(self, nouns: Sequence[Noun]) -> tuple[Phrase, Phrase]:
        """Draws two phrases joined by "and", without adjectives; the second may share the determiner of the first."""
        if self.maybe(0.2) and any(noun.alive for noun in nouns):
            other = Pronoun("i") if self.maybe(0.4) else Name(self.choice(NAMES))
            if self.maybe(0.3):
                return self.noun_phrase(nouns, 0, indefinite=False), other
            return Name(self.choice(NAMES)) if self.maybe(0.6) else Pronoun(self.choice(("he", "she", "you"))), other
        first, second = self.noun_phrase(nouns, 0), self.noun_phrase(nouns, 0)
        if first.of or second.of:
            return first, self.noun_phrase([noun for noun in nouns if noun.english != "cup"], 0, indefinite=False)
        if self._may_share(first, second) and self.maybe(0.45):
            return first, replace(second, determiner=None, number=None, owner=None, very=False, shared=True)
        if not (second.determiner or second.number or second.owner):  # both are bare: "cats and dogs"; never "sky"
            if "sky" in first.noun.kinds:
                return second, first
            first = replace(first, plural=first.noun.counted, determiner=None, number=None, owner=None, very=False)
        return first, second

    @staticmethod
    def _may_share(first: NounPhrase, second: NounPhrase) -> bool:
        """True if both are counted, and both singular or both plural: "my brother and sister"."""
        determined = bool(first.owner or first.determiner not in (None, "a", "some", "many", "a lot of")) and not first.number
        alike = first.plural == second.plural and first.noun.counted and second.noun.counted
        return determined and alike and all(phrase.noun.plural != phrase.noun.english for phrase in (first, second))

    def company(self) -> Phrase:
        sort = self.random()
        if sort < 0.35:
            return Pronoun(self.choice(("i", "you", "he", "she", "we", "they")))
        return Name(self.choice(NAMES)) if sort < 0.5 else self.noun_phrase(self.scope.living, 0.2, indefinite=False)

    def place(self, going: bool = False) -> Place:
        """Draws a place where somebody is, or where somebody is `going`."""
        if self.maybe(0.4):
            where = self.choice((*PLACES, "home", "school"))
            return Place((None if where in WITHOUT_TO else "to") if going else PLACES[where], where)
        indefinite = self.maybe(0.18)
        if going:
            return Place("to", self.noun_phrase(self.scope.of("goal"), 0.15, indefinite))
        preposition = self.choice(("in", "in", "in", "in", "on", "on", "under", "at"))
        nouns: Sequence[Noun] = self.scope.of({"in": "inside", "at": "goal"}.get(preposition, "surface"))
        if preposition == "in" and self.maybe(0.15):
            nouns = (NOUNS["street"],)
        return Place(preposition, self.noun_phrase(nouns, 0.2, indefinite))
