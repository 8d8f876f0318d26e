"""Phrases of everyday sentences in Chinese: nouns with measure words and adjectives, pronouns, places."""

from collections.abc import Sequence
from dataclasses import replace

from everyday.chinese.adjectives import Adjectives
from everyday.chinese.words import (
    ELDER_OR_YOUNGER,
    IN_GENERAL,
    NAMES,
    NOUNS,
    NUMBERS,
    PLACES,
    PRONOUNS,
    Options,
    Said,
    all_words,
    options,
)
from everyday.choice import Choose, pick
from everyday.english import Word
from everyday.sentence import Name, NounPhrase, Phrase, Place
from everyday.words import NOUNS as ENGLISH_NOUNS
from everyday.words import Adjective

YOU = ((0.75, "你"), (0.15, "您"), (0.1, "你们"))
THEY = ((0.6, "他们"), (0.25, "她们"), (0.15, "它们"))
PEOPLE = ((0.7, "他们"), (0.3, "她们"))
THINGS = ((1.0, "它们"),)
AND = ((0.8, "和"), (0.2, "跟"))
EITHER = ((0.6, True), (0.4, False))
_MANY = ((0.7, ("很多",)), (0.3, ("许多",)))
_SOME = {
    "several": ((0.6, ("一些",)), (0.4, ("几", "measure"))),
    "much": ((0.6, ("一些",)), (0.4, ("一点",))),
    "subject": ((1.0, ("一些",)),),
    "asked": ((0.5, ("一些",)), (0.5, ())),
}
_ELDER = {"big": True, "old": True, "small": False, "young": False}
_OLD_ONE = {"man": options("老人"), "woman": options("老太太/老妇人")}
# With these "the" is always said: 男人 alone is men at large.
_PARTICULAR = frozenset("man woman boy girl friend brother sister son daughter".split())
_OF_ONE = ("know", "understand", "sing")  # likewise: 知道那首歌
_UNIQUE = frozenset("sun moon sky sea music".split())
# Behind a noun that one is in; the others take 里. Places that one goes to may do without it (在公园).
_ON_IT = frozenset("bed tree street bus train boat chair table mountain picture phone sky".split())
_INSIDE_OR_AT = frozenset("park school shop restaurant station hospital kitchen garden room bathroom city".split())
_AS_PLACES = {"sea": ("海",), "street": ("街",), "sky": ("天",)}
_UNDER = ((0.6, ("下面",)), (0.4, ("下",)))
_IN_OR_AT = ((0.7, ("里",)), (0.3, ()))


class Speaker(Adjectives):
    """Says phrases of one sentence.

    Attributes:
        you, they, them, their: the pronouns to choose from.
        without_one: how likely an "a" is not said.
        negated, asks: the kind of clause that objects stand in.
        verb: the English verb that they belong to.
        group: a family is meant as one thing (家庭), not as its people.
    """

    def __init__(self, choose: Choose):
        super().__init__(choose)
        self.you: Sequence[tuple[float, str]] = YOU
        self.they: Sequence[tuple[float, str]] = THEY
        self.them: Sequence[tuple[float, str]] = THEY
        self.their = "their"
        self.without_one = 0.0
        self.negated = self.asks = self.group = False
        self.verb = ""

    # --- Phrases. ---------------------------------------------------------------------------------------------------------

    def phrases(self, phrases: Sequence[Phrase], role: str, use: str) -> list[Word]:
        """`use`: subject, object, what (somebody is), there, place, goal, owner, alone, called (to)."""
        words: list[Word] = []
        for i, phrase in enumerate(phrases):
            if i:
                words.append(Word(self.choose("and", AND) if use == "subject" else "和", f"{role}.and"))
                phrase = _whole(phrase, phrases[i - 1])
            words += self.phrase(phrase, f"{role}{i}", use)
        return words

    def phrase(self, phrase: Phrase, role: str, use: str) -> list[Word]:
        if isinstance(phrase, NounPhrase):
            return self.noun_phrase(phrase, role, use)
        said = NAMES[phrase.word] if isinstance(phrase, Name) else self.pronoun(phrase.word, use)
        return [Word(said, "asked" if phrase.word == "who" else f"{role}.noun")]

    def pronoun(self, word: str, use: str = "subject") -> str:
        if word == "you":
            return self.choose("you", self.you)
        if word == "they":
            return self.choose("they", self.they) if use == "subject" else self.choose("them", self.them)
        return PRONOUNS[word]

    def noun_phrase(self, phrase: NounPhrase, role: str, use: str) -> list[Word]:
        if phrase.of:
            return self.cup_of(phrase, role, use)
        adjectives, head, measure = self.head(phrase, use)
        described = self.described(phrase, adjectives, role, len(head[-1]) == 1)
        words = self.determined(phrase, role, use, measure, described)
        words += described
        words += [Word(text, f"{role}.noun") for text in head]
        return words

    def cup_of(self, phrase: NounPhrase, role: str, use: str) -> list[Word]:
        """Says 一杯茶, 那杯热茶: the cup is the measure word of its content."""
        assert phrase.of
        inside, noun, det = NOUNS[phrase.of.english].said[0][1][0], f"{role}.noun", f"{role}.det"
        cup = Word("杯", noun)
        described = self.described(replace(phrase, noun=phrase.of), tuple(enumerate(phrase.adjectives)), role, len(inside) == 1)
        tea = [*described, Word(inside, f"{role}.of.noun")]
        if phrase.whose or phrase.owner:
            owner = replace(phrase, adjectives=(), of=None, number=None, plural=False)
            before = [*self.determined(owner, role, use, NOUNS["cup"].measure, []), Word("那", noun)]
        elif phrase.determiner in ("the", "this", "that", "these", "those"):
            before = [Word("这" if phrase.determiner in ("this", "these") else "那", det)]
        elif phrase.determiner in ("many", "a lot of"):
            before = [Word(self.choose("many", _MANY)[0], det)]
        elif phrase.determiner == "a" and use != "subject" and self.chance("one", self.without_one):
            return tea
        else:
            before = []
        if phrase.number:
            before.append(Word(NUMBERS[phrase.number], f"{role}.number"))
        elif phrase.plural and phrase.determiner not in ("many", "a lot of"):
            before.append(Word("几", noun))
        elif not before:
            before.append(Word("一", det))
        return [*before, cup, *tea]

    def head(self, phrase: NounPhrase, use: str) -> tuple[tuple[tuple[int, Adjective], ...], Said, Options]:
        """Returns the adjectives that are left to say, with their places, the noun and its measure word."""
        noun, adjectives = phrase.noun.english, tuple(enumerate(phrase.adjectives))
        said, measure = NOUNS[noun]
        mine = bool(phrase.whose or phrase.owner)
        if noun in IN_GENERAL:
            for i, adjective in adjectives:
                if adjective.english in _ELDER:
                    left = tuple(each for each in adjectives if each[0] != i)
                    return left, self.several(phrase, use, ELDER_OR_YOUNGER[noun, _ELDER[adjective.english]]), measure
            general = phrase.plural and not (phrase.number or mine or phrase.shared)
            if general or (phrase.determiner == "a" and (self.negated or self.asks)):
                return adjectives, IN_GENERAL[noun], measure
        elif noun in _OLD_ONE and adjectives and adjectives[-1][1].english == "old" and not (phrase.very or phrase.joined):
            return adjectives[:-1], self.several(phrase, use, self.choose("old " + noun, _OLD_ONE[noun])), measure
        elif noun == "family" and not (adjectives or phrase.number or phrase.plural or self.group):
            if mine:
                return adjectives, ("家人",), measure
            if phrase.determiner in ("the", "this", "that"):
                return adjectives, ("人",), ((1.0, ("家",)),)
        elif noun == "house" and mine and use in ("place", "goal") and not (adjectives or phrase.number or phrase.plural):
            if self.chance("home", 0.5):
                return adjectives, ("家",), measure
        elif noun == "rice" and self.verb == "buy" and not adjectives:
            return adjectives, ("大米",), measure
        elif use in ("place", "goal") and noun in _AS_PLACES and not adjectives:
            return adjectives, _AS_PLACES[noun], measure
        elif noun == "baby" and mine:
            return adjectives, self.several(phrase, use, ("宝宝",)), measure
        return adjectives, self.several(phrase, use, pick(self.choose, noun, said)), measure

    def several(self, phrase: NounPhrase, use: str, said: Said) -> Said:
        """Returns the noun, with 们 for several people."""
        if not phrase.plural or phrase.number or use in ("what", "there") or "person" not in phrase.noun.kinds:
            return said
        if phrase.noun.english == "family" or (phrase.noun.english in IN_GENERAL and phrase.determiner == "the"):
            return said
        if use == "called":
            return (said[0] + "们",)
        if phrase.determiner == "the":
            those = self.chance("those people", 0.4)
        elif phrase.whose or phrase.owner or (use == "subject" and not phrase.determiner and not phrase.shared):
            those = self.chance("people", 0.5)
        else:
            return said
        return said if those else (said[0] + "们",)

    # --- Determiners. -----------------------------------------------------------------------------------------------------

    def determined(self, phrase: NounPhrase, role: str, use: str, measure: Options, described: list[Word]) -> list[Word]:
        determiner, det = phrase.determiner, f"{role}.det"
        if phrase.owner:
            words = self.phrase(phrase.owner, f"{role}.owner", "owner")
            return [*words, *self.owned(phrase, role, f"{role}.owner.s", measure, described)]
        if phrase.whose:
            return self.possessed(phrase, role, use, measure, described)
        if determiner in ("this", "that", "these", "those"):
            return [Word("这" if determiner in ("this", "these") else "那", det), *self.pointed(phrase, role, measure)]
        if determiner == "the":
            return self.the(phrase, role, use, measure)
        if phrase.number:
            return self.counted(phrase, role, measure)
        if determiner == "a":
            if use != "subject" and self.chance("one", self.without_one):
                return []
            return [Word("一", det), Word(self.measure(phrase, measure), det)]
        if determiner == "some":
            return self.some(phrase, role, use, measure)
        if determiner in ("many", "a lot of"):
            many = ("很多",) if self.negated else self.choose("many", _MANY)
            return [Word(text, det) for text in many]
        assert determiner is None, determiner
        return []

    def measure(self, phrase: NounPhrase, measure: Options) -> str:
        return pick(self.choose, "measure " + phrase.noun.english, measure)[0]

    def counted(self, phrase: NounPhrase, role: str, measure: Options) -> list[Word]:
        if not phrase.number:
            return []
        number = f"{role}.number"
        return [Word(NUMBERS[phrase.number], number), Word(self.measure(phrase, measure), number)]

    def pointed(self, phrase: NounPhrase, role: str, measure: Options) -> list[Word]:
        """Says what follows 这 or 那."""
        if phrase.number:
            return self.counted(phrase, role, measure)
        noun = phrase.noun.english
        if phrase.plural or noun == "money":
            pair = noun == "shoe" and self.chance("pair", 0.4)
            return [Word("双" if pair else "些", f"{role}.det")]
        if not phrase.noun.counted and self.chance("portion", 0.5):
            return [Word("些", f"{role}.det")]
        return [Word(self.measure(phrase, measure), f"{role}.det")]

    def the(self, phrase: NounPhrase, role: str, use: str, measure: Options) -> list[Word]:
        noun = phrase.noun
        that = Word("那", f"{role}.det")
        if phrase.number:
            return [that, *self.counted(phrase, role, measure)]
        if noun.english in _UNIQUE or "language" in noun.kinds:
            return []
        if phrase.plural and "person" in noun.kinds and noun.english not in IN_GENERAL and noun.english != "family":
            said = use not in ("what", "there") and not self.chance("those people", 0.4)
            return [] if said else [that, Word("些", that.role)]
        if noun.english == "family" or (noun.english in _PARTICULAR and use != "owner"):
            return [that, Word("些", that.role)] if phrase.plural else [that, Word(self.measure(phrase, measure), that.role)]
        if not noun.counted:
            return []
        if use == "object" and self.verb in _OF_ONE:
            return [that, *self.pointed(phrase, role, measure)]
        if self.chance("the place", 0.15) if use in ("place", "goal") else self.chance(f"the {use}", 0.6):
            return [that, *self.pointed(phrase, role, measure)]
        return []

    def possessor(self, phrase: NounPhrase) -> str:
        whose = phrase.whose
        assert whose
        if whose == "they":
            return self.choose("they", self.they) if self.their == "they" else self.choose("their", PEOPLE)
        return self.pronoun(whose)

    def possessed(self, phrase: NounPhrase, role: str, use: str, measure: Options, described: list[Word]) -> list[Word]:
        """Says a possessive: without 的 before another 的, often before kin."""
        det = f"{role}.det"
        words = [Word(self.possessor(phrase), det)]
        kin = "kin" in phrase.noun.kinds and not described and not phrase.number and use != "called"
        kin = kin and not (self.group and phrase.noun.english == "family")
        if kin and (use == "owner" or self.chance("kin", 0.5)):
            return words
        return [*words, *self.owned(phrase, role, det, measure, described)]

    def owned(self, phrase: NounPhrase, role: str, de: str, measure: Options, described: list[Word]) -> list[Word]:
        """Says 的 after the owner, unless another 的 follows: 我漂亮的猫, 我那只又大又漂亮的猫."""
        if phrase.number:
            return [Word("的", de), *self.counted(phrase, role, measure)]
        if not any(word.text == "的" for word in described):
            return [Word("的", de)]
        if phrase.joined or phrase.very:
            return [Word("那", de), *self.pointed(phrase, role, measure)]
        return []

    def some(self, phrase: NounPhrase, role: str, use: str, measure: Options) -> list[Word]:
        if self.negated:
            return []
        how = "subject" if use == "subject" else "asked" if self.asks else "several" if phrase.plural else "much"
        said = self.choose("some " + how, _SOME[how])
        return [Word(self.measure(phrase, measure) if text == "measure" else text, f"{role}.det") for text in said]

    # --- Places. ----------------------------------------------------------------------------------------------------------

    def where(self, place: Place, inside: bool = False) -> list[Word]:
        """Says the place where one is, without 在; `inside`: 里 is not left out."""
        where = place.where
        if isinstance(where, str):
            return [Word(text, "p.noun") for text in pick(self.choose, where, PLACES[where])]
        words = self.phrase(where, "p", "place")
        words += [
            Word(text, "p.prep") for text in self.behind(place.preposition or "", where.noun.english, words[-1].text, inside)
        ]
        return words

    def behind(self, preposition: str, noun: str, said: str, inside: bool) -> Said:
        if preposition == "on":
            return ("上",)
        if preposition == "under":
            return self.choose("under", _UNDER)
        if noun in ("sea", "river") and preposition != "in":
            return ("边",)
        if preposition == "in":
            if noun in _ON_IT:
                return ("上",)
            maybe = not inside and (noun in _INSIDE_OR_AT or said == "家")
            return self.choose("in", _IN_OR_AT) if maybe else ("里",)
        if noun in ("table", "bed", "chair", "door", "window", "tree", "box", "car"):
            return ("旁边",)
        return ("里",) if noun in ("house", "city") and said != "家" and preposition == "at" else ()

    def goal(self, place: Place) -> list[Word]:
        """Says the place that one goes to."""
        where = place.where
        if where == "work":
            return [Word("上班", "p.noun")]
        if isinstance(where, str) or place.preposition in ("on", "under"):
            return self.where(place)
        noun = where.noun.english
        town = noun == "city" and where.determiner == "the" and not (where.adjectives or where.plural)
        if town and self.chance("town", 0.4):
            return [Word("城里", "p.noun")]
        words = self.phrase(where, "p", "goal")
        if noun in ("sea", "river"):
            words.append(Word("边", "p.noun"))
        return words


def _whole(phrase: Phrase, before: Phrase) -> Phrase:
    """Returns a phrase that shares the determiner before it, with that determiner if Chinese repeats it (那只猫和那只狗)."""
    if not (isinstance(phrase, NounPhrase) and phrase.shared and isinstance(before, NounPhrase)):
        return phrase
    again = not before.plural and not before.owner and not before.whose
    if again or before.number:
        return replace(phrase, determiner=before.determiner, number=before.number, shared=False)
    if before.determiner == "the":
        return replace(phrase, determiner="the", shared=False)
    return phrase


_PEOPLE = {noun.english for noun in ENGLISH_NOUNS.values() if "person" in noun.kinds} - {"family"}
TOKENS = (
    {word for table in (YOU, THEY, AND) for _, word in table}
    | all_words(_MANY, *_SOME.values(), *_OLD_ONE.values(), _UNDER, *((((1.0, said),)) for said in _AS_PLACES.values()))
    | {said[0] + "们" for noun, (ways, _) in NOUNS.items() for _, said in ways if noun in _PEOPLE}
    | {said + "们" for said in "哥哥 弟弟 姐姐 妹妹 老人 老太太 老妇人".split()}
    | set("的 这 那 些 双 一 几 又 和 家人 人 家 大米 上 里 边 旁边 城里 上班".split())
) - {"measure"}
