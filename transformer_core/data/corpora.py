"""The corpora, each built once, when it is first needed."""

import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from everyday.drawing import EVERYDAY, LONGEST, SMALL
from everyday.tokenizer import tokenize
from everyday.translation import TRANSLATIONS, Pair, Translation
from transformer_core.data.corpus import Corpus, FixedCorpus, SampledCorpus, corpus, drawn
from transformer_core.data.draws import Example
from transformer_core.data.grammars import pronouns
from transformer_core.data.grammars.sums import sums
from transformer_core.data.stories import story_corpus
from transformer_core.data.vocabulary import SPECIAL, Vocabulary, characters


@cache
def pronoun_en() -> FixedCorpus:
    """The word that "it" stands for: "she poured water from the pitcher into the cup until it was full": "the cup"."""
    return corpus(drawn(pronouns.english, 8_000), "she poured water from the pitcher into the cup until it was full")


@cache
def pronoun_zh() -> FixedCorpus:
    """The same in Chinese, one token per character."""
    return corpus(drawn(pronouns.chinese, 3_000), "她把水从壶里倒到杯里直到它满了")


@cache
def addition() -> FixedCorpus:
    """All sums of two numbers below 100, one token per digit: "27+58=" is "85"."""
    return corpus(sums(units_first=False), "27+58=", characters)


@cache
def addition_units_first() -> FixedCorpus:
    """The same sums with the units of the answer first, so that each carry is known in time: "27+58=" is "58"."""
    return corpus(sums(units_first=True), "27+58=", characters)


@cache
def everyday(name: str, draws: int | None = None) -> SampledCorpus:
    """Everyday English and one of its translations: `name` is a key of TRANSLATIONS. `draws`: how often sentences are drawn,
    all right answers with them; None: as often as for the package, which holds them."""
    language = TRANSLATIONS[name]

    def sample(generator: random.Random) -> tuple[Example, str | None]:
        pair = language.draw_with_answers(generator)
        return example_of(pair), pair.held_out

    known = (everyday_vocabulary(language), language.example, _LONGEST, sample)
    if draws is not None:
        return SampledCorpus(*known, draws, language.answers)
    return SampledCorpus(*known, _DRAWS[language.scope], language.answers, DRAWN / f"{name}.xz")


@cache
def everyday_vocabulary(language: Translation) -> Vocabulary:
    """English words and those of the translations, sorted; both languages share it (section 5.1)."""
    return Vocabulary((*SPECIAL, *sorted({*language.source_words, *language.target_words})), 0, 1, 2, 3, tokenize)


def example_of(pair: Pair) -> Example:
    return Example(pair.source, pair.target, pair.origins, pair.answers)


DRAWN = Path(__file__).parent / "drawn"  # what `python -m transformer_core draw` has drawn
_LONGEST = (LONGEST, 20)
_DRAWS = {EVERYDAY: 200_000, SMALL: 12_000}
CORPORA: dict[str, Callable[[], Corpus]] = {name: partial(everyday, name) for name in TRANSLATIONS} | {
    "pronoun-en": pronoun_en,
    "pronoun-zh": pronoun_zh,
    "addition": addition,
    "addition-units-first": addition_units_first,
    "stories-en": partial(story_corpus, "en"),
    "stories-zh": partial(story_corpus, "zh"),
}
