"""Which word each word of a translation comes from, and what is drawn; trees in English: `test_recogniser.py`."""

import random

import pytest

from everyday.drawing import EVERYDAY, LONGEST, SMALL, draw
from everyday.english import WORDS, Word, english, origins
from everyday.sentence import Action, Clause, NounPhrase, Pronoun, Sentence
from everyday.words import ADJECTIVES, NOUNS, VERBS


def _says(sentence: Sentence) -> str:
    return " ".join(word.text for word in english(sentence))


def test_words_of_a_translation_come_from_those_with_their_role() -> None:
    red_apple = NounPhrase(NOUNS["apple"], adjectives=(ADJECTIVES["red"],))
    source = english(Clause((Pronoun("she"),), Action(VERBS["see"], objects=(red_apple,))))  # she sees red apple
    target = [
        Word("elle", "s0.noun"),
        Word("voit", "verb"),
        Word("la", "o0.det"),
        Word("pomme", "o0.noun"),
        Word("rouge", "o0.a0"),
        Word("pas", "not"),
    ]
    assert origins(source, target) == (0, 1, 3, 3, 2, None)


@pytest.mark.parametrize("scope", [EVERYDAY, SMALL], ids=["everyday", "small"])
def test_draws_are_short_and_of_known_words(scope: object) -> None:
    generator = random.Random(7)
    for _ in range(2000):
        words = english(draw(generator, scope))  # type: ignore[arg-type]
        assert 1 <= len(words) <= LONGEST and {word.text for word in words} <= set(WORDS)


def test_the_small_language_is_of_about_forty_words() -> None:
    generator = random.Random(7)
    words = {word.text for _ in range(4000) for word in english(draw(generator, SMALL))}
    assert 36 <= len(words) <= 44


def test_short_common_sentences_are_drawn_again_and_again() -> None:
    generator = random.Random(7)
    drawn = [_says(draw(generator)) for _ in range(20_000)]
    assert {"i love you", "where are you", "i am hungry"} <= set(drawn)
    assert len(set(drawn)) < 0.9 * len(drawn)
