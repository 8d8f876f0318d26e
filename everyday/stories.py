"""Mini stories of three to five sentences, in English and in Chinese, for models that say the next word.

A story is drawn from a template (`lexica/<language>/stories.tsv`): words, and parts in capitals that a table of words fills in
(`story_words.tsv`). `A` and `B` are two persons, `THING` is a noun, `THING2` another one, `THING.adj` its adjective, and `A.he`
"he" or "she". A "/" stands between the ways to say a sentence; "-" leaves it out. Every choice is even: the template, the way
to say each sentence, and what each part stands for. So the probability of each next word is known, see `Stories.next_words`.
"""

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Literal, NamedTuple, get_args

from everyday.holdout import is_chosen
from everyday.tables import Row, read
from everyday.tokenizer import tokenize

Kind = Literal["repeated", "pronoun", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
END = "<end>"  # follows the last word of a story
WORD = "word"  # the form of a name, a noun or a number that is the word itself
PRONOUNS = frozenset({"he", "him", "his"})  # their forms
_CONTENT = frozenset({WORD, "adj"})
_HELD_OUT = 1 / 10  # of all combinations

Filling = Mapping[str, str]  # what a part may stand for: its forms by their names


class Part(NamedTuple):
    """A place of a template that is filled in, with one form of what its slot stands for."""

    slot: str
    form: str

    @property
    def kind(self) -> str:
        """The kind of words that fill it in: of A and B persons, of THING2 things."""
        return "person" if len(self.slot) == 1 else self.slot.rstrip("2").lower()


@dataclass(frozen=True)
class Story:
    """A story as it was drawn.

    Attributes:
        kinds: of each token: "repeated" for a name, a noun, an adjective or a number of the story that came before; "pronoun"
            for "he", "her" and the like; "other". The first two follow with certainty from what came before.
        held_out: whether no model is trained on it.
    """

    tokens: tuple[str, ...]
    kinds: tuple[Kind, ...]
    held_out: bool


@dataclass(frozen=True, eq=False)
class Wording:
    """A template with one way to say each of its sentences."""

    template: str
    places: tuple[str | Part, ...]

    @cached_property
    def slots(self) -> dict[str, tuple[str, ...]]:
        """The slots in the order of their first mention, each with those before it that must stand for another word."""
        kinds = {place.slot: place.kind for place in self.places if isinstance(place, Part)}
        return {slot: tuple(other for other in [*kinds][:i] if kinds[other] == kinds[slot]) for i, slot in enumerate(kinds)}

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(_kind(place, self.places[:i]) for i, place in enumerate(self.places))

    def is_held_out(self, tokens: Sequence[str]) -> bool:
        """True if no model is trained on a story of this wording: the content words that fill in its parts decide."""
        return is_chosen(" ".join([self.template, *(tokens[i] for i in self._content)]), _HELD_OUT)

    @cached_property
    def _content(self) -> Sequence[int]:
        """Where each content word is mentioned first, in an order that no way to say a sentence changes."""
        first = {place: i for i, place in reversed([*enumerate(self.places)]) if isinstance(place, Part)}
        return [first[part] for part in sorted(first) if part.form in _CONTENT]


def _kind(place: str | Part, before: Sequence[str | Part]) -> Kind:
    if not isinstance(place, Part):
        return "other"
    if place.form in PRONOUNS:
        return "pronoun"
    return "repeated" if place.form in _CONTENT and place in before else "other"


@dataclass(frozen=True)
class _Reading:
    """A wording that agrees with the beginning of a story.

    Attributes:
        weight: the probability of both.
        fillings: what each slot may stand for that the beginning has mentioned.
    """

    wording: Wording
    weight: float
    fillings: Mapping[str, Sequence[Filling]]


@dataclass(frozen=True, eq=False)
class Stories:
    """The stories of a language.

    Attributes:
        language: "en" or "zh".
        templates: the wordings of each template.
        fillings: what a part may stand for, by its kind.
    """

    language: str
    templates: Mapping[str, Sequence[Wording]]
    fillings: Mapping[str, Sequence[Filling]]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every token that a story can have, sorted."""
        places = {place for wordings in self.templates.values() for wording in wordings for place in wording.places}
        filled = {filling[part.form] for part in places if isinstance(part, Part) for filling in self.fillings[part.kind]}
        return tuple(sorted(filled | {place for place in places if isinstance(place, str)}))

    @cached_property
    def longest(self) -> int:
        """The most tokens of a story."""
        return max(len(wording.places) for wordings in self.templates.values() for wording in wordings)

    @cached_property
    def tokenize(self) -> Callable[[str], list[str]]:
        """Splits what a person types into tokens; words that no story has stay as they are."""
        return _english_tokens if self.language == "en" else _chinese_tokens(self.words)

    def draw(self, generator: random.Random) -> Story:
        """Draws any story, held out or not."""
        wording = generator.choice(self.templates[generator.choice([*self.templates])])
        meant: dict[str, Filling] = {}
        for slot, others in wording.slots.items():
            meant[slot] = generator.choice(self._left(slot, tuple(meant[other][WORD] for other in others)))
        tokens = tuple(place if isinstance(place, str) else meant[place.slot][place.form] for place in wording.places)
        return Story(tokens, wording.kinds, wording.is_held_out(tokens))

    def next_words(self, beginning: Sequence[str]) -> dict[str, float]:
        """The probability of each token that may follow a beginning, END among them, the most probable first; none where no
        story begins so.

        It is exact for what is drawn. Of the nine in ten that are for training, each whole story is by log(10/9) = 0.1 nats
        more probable; but that takes knowing which ones are held out.
        """
        *_, following = self._walk(beginning)
        weights = {token: _weight(readings) for token, readings in following.items()}
        total = sum(weights.values())
        return {token: weights[token] / total for token in sorted(weights, key=lambda token: -weights[token])}

    def surprisals(self, story: Sequence[str]) -> list[float]:
        """The negative logarithm of the probability of each token of a story, given those before it, and of END, in nats; the
        mean over stories that are drawn is the entropy. Infinite from the first token that no story has there."""
        told, before = [*story, END], 1.0
        found = []
        for token, following in zip(told, self._walk(story), strict=True):
            weight = _weight(following.get(token, ()))
            found.append(math.log(before / weight) if weight else math.inf)
            before = weight
        return found

    def _walk(self, beginning: Iterable[str]) -> Iterator[Mapping[str, Sequence[_Reading]]]:
        """At each place of a beginning, and after it: each token that may stand there, with the readings that agree with it."""
        following: Mapping[str, Sequence[_Reading]] = self._openings
        for at, token in enumerate(beginning, 1):
            yield following
            following = self._continued(following.get(token, ()), at)
        yield following

    @cached_property
    def _openings(self) -> Mapping[str, Sequence[_Reading]]:
        """The tokens that a story may begin with."""
        shares = ((1 / len(self.templates) / len(wordings), wordings) for wordings in self.templates.values())
        return self._continued([_Reading(wording, share, {}) for share, wordings in shares for wording in wordings], 0)

    def _continued(self, readings: Iterable[_Reading], at: int) -> dict[str, list[_Reading]]:
        """Each token with which these readings may go on at this place, with those that do."""
        found: dict[str, list[_Reading]] = {}
        for reading in readings:
            places = reading.wording.places
            place = places[at] if at < len(places) else END
            if isinstance(place, str):
                found.setdefault(place, []).append(reading)
                continue
            possible = reading.fillings.get(place.slot) or self._left_in(reading, place.slot)
            for token, fillings in _by_form(possible, place.form).items():
                weight = reading.weight * len(fillings) / len(possible)
                after = replace(reading, weight=weight, fillings={**reading.fillings, place.slot: fillings})
                found.setdefault(token, []).append(after)
        return found

    def _left_in(self, reading: _Reading, slot: str) -> Sequence[Filling]:
        """Finds the fillings left for a slot at its first mention; the word of each slot before it is known by then."""
        return self._left(slot, tuple(reading.fillings[other][0][WORD] for other in reading.wording.slots[slot]))

    @cached_property
    def _left(self) -> Callable[[str, tuple[str, ...]], Sequence[Filling]]:
        """A function that finds the fillings of a slot's kind whose words are not taken."""

        @cache
        def left(slot: str, taken: tuple[str, ...]) -> Sequence[Filling]:
            return [filling for filling in self.fillings[Part(slot, WORD).kind] if filling[WORD] not in taken]

        return left


def _weight(readings: Iterable[_Reading]) -> float:
    return sum(reading.weight for reading in readings)


def _by_form(fillings: Iterable[Filling], form: str) -> dict[str, list[Filling]]:
    found: dict[str, list[Filling]] = {}
    for filling in fillings:
        found.setdefault(filling[form], []).append(filling)
    return found


# --- Text. --------------------------------------------------------------------------------------------------------------------


def _english_tokens(text: str) -> list[str]:
    """Splits into English words, full stops and commas."""
    pieces = re.split(r"\s*([.,])\s*", text)
    return [token for piece in pieces for token in ([piece] if piece in (".", ",") else tokenize(piece))]


def _chinese_tokens(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Splits into these words, the longest first; what is none of them falls into characters."""
    token = re.compile("|".join([*map(re.escape, sorted(words, key=len, reverse=True)), r"\S"]))
    return lambda text: token.findall(text.translate({ord("."): "。", ord(","): "，"}))


# --- Tables. ------------------------------------------------------------------------------------------------------------------


_TABLES = {
    "en": ("english/stories", "english/story_words"),
    "zh": ("chinese/stories", "chinese/story_words"),
}


@cache
def stories(language: str) -> Stories:
    """The stories of a language, "en" or "zh".

    Raises:
        KeyError: for another language.
    """
    table, words = _TABLES[language]
    fillings: dict[str, list[Filling]] = {}
    for row in read(words, "kind words forms adjectives", keys=3):
        fillings.setdefault(row.text("kind"), []).extend(_fillings(row))
    sentences: dict[str, list[list[tuple[str | Part, ...]]]] = {}
    for row in read(table, "template sentence", keys=2):
        sentences.setdefault(row.text("template"), []).append(_ways(row, fillings))
    templates = {
        template: [Wording(template, tuple(place for way in ways for place in way)) for ways in product(*each)]
        for template, each in sentences.items()
    }
    return Stories(language, templates, fillings)


def _fillings(row: Row) -> Iterable[Filling]:
    """Every word of a row, with each of its adjectives."""
    forms = dict(form.split("=") for form in row.words("forms"))
    for word in row.words("words"):
        for adjective in row.words("adjectives") or ("",):
            article = "an" if (adjective or word)[0] in "aeiou" else "a"
            yield {WORD: word, "adj": adjective, "a": article, **forms}


def _ways(row: Row, fillings: Mapping[str, Sequence[Filling]]) -> list[tuple[str | Part, ...]]:
    """The ways to say a sentence."""
    ways = [way.split() for way in row.text("sentence").split("/")]
    return [() if way == ["-"] else tuple(_place(token, row, fillings) for token in way) for way in ways]


def _place(token: str, row: Row, fillings: Mapping[str, Sequence[Filling]]) -> str | Part:
    if not token[0].isupper():
        return token
    slot, _, form = token.partition(".")
    part = Part(slot, form or WORD)
    if not all(filling.get(part.form) for filling in fillings.get(part.kind, [{}])):
        raise row.error(f"{token} cannot be filled in")
    return part
