"""Language pairs: the right answers to a sentence, their probabilities, and sentences to learn from or to show."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from everyday import drawing
from everyday.chinese import TOKENS as CHINESE
from everyday.chinese import chinese
from everyday.choice import Choose, Draw, distribution
from everyday.english import WORDS, Word, english, origins
from everyday.french import TOKENS as FRENCH
from everyday.french import french
from everyday.holdout import HoldOut, held_out
from everyday.recogniser import trees
from everyday.sentence import Sentence, plain
from everyday.suitable import is_suitable

END = "<end>"  # follows the last word of an answer
_TRIES = 20_000

Words = tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """An English sentence with one of its right translations.

    Attributes:
        origins: for every word of the translation the index of the English word that it comes from; None: no single one.
        held_out: why no model is trained on it; None: it may be.
        answers: all right translations with their probabilities, if they were asked for.
    """

    source: Words
    target: Words
    origins: tuple[int | None, ...]
    held_out: HoldOut | None
    answers: Mapping[Words, float] | None = None


@dataclass(frozen=True, eq=False)
class Translation:
    """English into one language.

    Attributes:
        name: of its task.
        say: translates a sentence, by a chooser.
        words: all words that `say` can use.
        scope: the sentences that are drawn.
        example: a sentence to start with, as one would type it.
    """

    name: str
    say: Callable[[Sentence, Choose], list[Word]]
    words: tuple[str, ...]
    scope: drawing.Scope
    example: str

    @property
    def language(self) -> str:
        """The language of the answers: "fr" or "zh"."""
        return self.name.rpartition("-")[2]

    @property
    def source_words(self) -> Sequence[str]:
        """The English words."""
        return WORDS if self.scope is drawing.EVERYDAY else self._drawn_words[0]

    @property
    def target_words(self) -> Sequence[str]:
        """The words of the translations."""
        return self.words if self.scope is drawing.EVERYDAY else self._drawn_words[1]

    @cached_property
    def _drawn_words(self) -> tuple[Sequence[str], Sequence[str]]:
        """The English words of a small language and those of its translations: those of 2,000 sentences and their answers."""
        generator = random.Random(2017)
        sources, targets = set[str](), set[str]()
        for _ in range(2000):
            sentence = drawing.draw(generator, self.scope)
            sources.update(word.text for word in english(sentence))
            targets.update(word for answer in self._distribution(sentence) for word in answer)
        return sorted(sources), sorted(targets)

    def draw(self, generator: random.Random) -> Pair:
        """Draws a sentence and one of its right answers."""
        return self._pair(drawing.draw(generator, self.scope), generator)

    def draw_with_answers(self, generator: random.Random) -> Pair:
        """Draws the same, with all right answers."""
        sentence = drawing.draw(generator, self.scope)
        return replace(self._pair(sentence, generator), answers=self._distribution(sentence))

    def _pair(self, sentence: Sentence, generator: random.Random) -> Pair:
        source, target = english(sentence), self.say(plain(sentence), Draw(generator))
        words = _texts(source)
        return Pair(words, _texts(target), origins(source, target), held_out(sentence, words))

    def answers(self, source: Sequence[str]) -> dict[Words, float]:
        """Returns every right answer with its probability, the most probable first; empty for what is not in the grammar."""
        return _answers(self, tuple(source))

    def next_words(self, source: Sequence[str], prefix: Sequence[str]) -> dict[str, float]:
        """Returns the probabilities of the word after `prefix`, END among them; empty if no right answer begins so."""
        begun, at = tuple(prefix), len(prefix)
        found: dict[str, float] = {}
        for answer, probability in self.answers(source).items():
            if answer[:at] == begun:
                word = answer[at] if len(answer) > at else END
                found[word] = found.get(word, 0.0) + probability
        total = sum(found.values())
        return {word: p / total for word, p in sorted(found.items(), key=lambda each: -each[1])}

    def suitable_sentence(self, generator: random.Random, length: int) -> str | None:
        """Draws an English sentence of that many words that may be shown to anyone; None if none was found."""
        scope = replace(self.scope, sensible=1.0)
        for _ in range(_TRIES):
            sentence = drawing.draw(generator, scope)
            words = english(sentence)
            if len(words) == length and is_suitable(sentence):
                return as_people_write([word.text for word in words])
        return None

    def _distribution(self, sentence: Sentence) -> dict[Words, float]:
        meant = plain(sentence)
        return distribution(lambda choose: _texts(self.say(meant, choose)))


def _texts(words: Sequence[Word]) -> Words:
    return tuple(word.text for word in words)


def as_people_write(words: Sequence[str]) -> str:
    """Joins words as people write them, "don't you like Anna's cat": the inverse of `tokenize`, which also reads "do not"."""
    text = " ".join(words).replace(" 's", "'s").replace("can not", "can't")
    return re.sub(r"\b(do|does|did|is|are|was|were) not\b", r"\1n't", text)


@lru_cache(maxsize=8192)
def _answers(translation: Translation, source: Words) -> dict[Words, float]:
    found: dict[Words, float] = {}
    meant = trees(source)
    for sentence in meant:
        for answer, probability in translation._distribution(sentence).items():
            found[answer] = found.get(answer, 0.0) + probability / len(meant)
    return found


TRANSLATIONS = {
    each.name: each
    for each in (
        Translation("everyday-fr", french, FRENCH, drawing.EVERYDAY, "do you like my red car"),
        Translation("everyday-zh", chinese, CHINESE, drawing.EVERYDAY, "do you like my red car"),
        Translation("small-fr", french, FRENCH, drawing.SMALL, "the red cat sees a big house"),
        Translation("small-zh", chinese, CHINESE, drawing.SMALL, "the red cat sees a big house"),
    )
}
