"""Adjectives before a Chinese noun: 大房子, 漂亮的房子, 小黑猫, 又大又漂亮的房子."""

from collections.abc import Sequence

from everyday.chinese.words import CALLED, COLOURS, Said, attribute, quality, short_colour
from everyday.choice import Choose, pick
from everyday.english import Word
from everyday.sentence import NounPhrase
from everyday.words import Adjective

VERY = ((0.6, "很"), (0.4, "非常"))
_SIZES = ("大", "小")


class Adjectives:
    """Says the adjectives of a phrase."""

    def __init__(self, choose: Choose):
        self.choose = choose

    def chance(self, key: str, probability: float) -> bool:
        if probability in (0.0, 1.0):
            return bool(probability)
        return self.choose(key, ((probability, True), (1 - probability, False)))

    def described(
        self, phrase: NounPhrase, adjectives: Sequence[tuple[int, Adjective]], role: str, one_sign: bool
    ) -> list[Word]:
        """`one_sign`: the noun is one character, not joined by 红色 directly (我黄色的鸟; 我的黄色汽车 or 我黄色的汽车)."""
        if not adjectives:
            return []
        noun = phrase.noun.english
        (i, first), *more = adjectives
        if phrase.very and i == 0:
            said = self.of(first, noun)
            words = [Word(text, f"{role}.a0") for text in said[:-1]]
            words += [Word(self.choose("very", VERY), f"{role}.very"), Word(said[-1], f"{role}.a0"), Word("的", f"{role}.a0")]
            for j, second in more:
                words += [Word(text, f"{role}.a{j}") for text in self.bare(second, noun)]
            return words
        if not more:
            mine = bool(phrase.whose or phrase.owner)
            return self.attribute(first, noun, f"{role}.a{i}", directly=mine and not one_sign)
        return self.two(phrase, role, one_sign)

    def of(self, adjective: Adjective, of: str) -> Said:
        """Returns the adjective after 很."""
        said = quality(adjective.english, of)
        return pick(self.choose, f"{adjective.english} {of}", said)

    def joined(self, adjective: Adjective, of: str) -> Said:
        """Returns the adjective after 又, in its shorter form if there is one (又高又聪明)."""
        ways = quality(adjective.english, of)
        longer = [said for _, said in ways if len(said) > 1]
        return min((said for _, said in ways), key=len) if longer else self.of(adjective, of)

    def bare(self, adjective: Adjective, noun: str) -> Said:
        """Returns the adjective directly before the noun, without 的."""
        if adjective.english in COLOURS:
            return (CALLED.get((noun, adjective.english)) or COLOURS[adjective.english] + "色",)
        said = attribute(adjective.english, noun)[0][1]
        return said[:-1] if said[-1] == "的" and len(said) == 2 else self.of(adjective, noun)

    def attribute(self, adjective: Adjective, noun: str, role: str, directly: bool = False) -> list[Word]:
        """`directly`: a colour may stand before the noun without 的."""
        colour = COLOURS.get(adjective.english)
        if colour:
            called = CALLED.get((noun, adjective.english))
            short = called or (short_colour(noun, adjective.english) and self.chance("colour", 0.5))
            said: Said = (called or colour,) if short else (colour + "色", "的")
            if not short and directly and self.chance("colour directly", 0.5):
                said = (colour + "色",)
        else:
            ways = attribute(adjective.english, noun)
            said = pick(self.choose, f"{adjective.english} 的 {noun}", ways)
        return [Word(text, role) for text in said]

    def two(self, phrase: NounPhrase, role: str, one_sign: bool) -> list[Word]:
        """Orders two adjectives: the more telling one is nearer to the noun, sizes are nearest."""
        noun = phrase.noun.english
        first, second = phrase.adjectives
        one, other = f"{role}.a0", f"{role}.a1"
        if first.english in COLOURS and second.english in COLOURS:
            colours = [COLOURS[each.english] + "色" for each in (first, second)]
            return [Word(colours[0], one), Word("和", f"{role}.and"), Word(colours[1], other), Word("的", other)]
        if second.english in COLOURS:
            return self.with_colour(first, second, noun, (one, other), one_sign)
        if first.english in COLOURS:
            return self.with_colour(second, first, noun, (other, one), one_sign)
        listed = None if phrase.joined else self.listed(first, second, noun, one, other)
        if listed:
            return listed
        return [
            Word("又", one),
            *(Word(text, one) for text in self.joined(first, noun)),
            Word("又", f"{role}.and" if phrase.joined else other),
            *(Word(text, other) for text in self.joined(second, noun)),
            Word("的", other),
        ]

    def listed(self, first: Adjective, second: Adjective, noun: str, one: str, other: str) -> list[Word] | None:
        """Says 漂亮的大房子, 聪明漂亮的女孩; None where only 又 … 又 … is said."""
        said, more = attribute(first.english, noun)[0][1], attribute(second.english, noun)[0][1]
        before, behind = [Word(text, one) for text in said], [Word(text, other) for text in more]
        if len(said) == 1 < len(more):
            return behind + before
        if len(more) == 1 < len(said):
            return before + behind
        alike = len(said) == len(more) == 2 and len(said[0]) == len(more[0]) == 2
        return [before[0], *behind] if alike and self.chance("listed", 0.5) else None

    def with_colour(
        self, adjective: Adjective, colour: Adjective, noun: str, roles: tuple[str, str], one_sign: bool
    ) -> list[Word]:
        role, colour_role = roles
        said = self.attribute(adjective, noun, role)
        called = CALLED.get((noun, colour.english))
        if called:
            return [*said, Word(called, colour_role)]
        sign = COLOURS[colour.english]
        short = short_colour(noun, colour.english)
        if said[-1].text == "的":
            short = short and (one_sign or self.chance("colour", 0.5))
            return [*said, Word(sign if short else sign + "色", colour_role)]
        if said[0].text in _SIZES and short and self.chance("colour", 0.5):
            return [*said, Word(sign, colour_role)]
        return [Word(sign + "色", colour_role), Word("的", colour_role), *said]


TOKENS = {*(very for _, very in VERY), "的", "又", "和"}
