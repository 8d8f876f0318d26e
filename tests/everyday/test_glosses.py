"""The glosses of all words of a translation."""

import random
from collections import Counter, defaultdict

import pytest

from everyday.glosses import gloss_in, glosses, origins
from everyday.translation import TRANSLATIONS
from tools.gloss_origins import word_pairs

LANGUAGES = {"fr": "everyday-fr", "zh": "everyday-zh"}


@pytest.mark.parametrize(("language", "name"), LANGUAGES.items())
def test_every_word_of_a_translation_has_a_gloss_and_no_other_word(language, name):
    assert glosses(language).keys() == set(TRANSLATIONS[name].target_words)


@pytest.mark.parametrize(("language", "name"), LANGUAGES.items())
def test_a_gloss_is_what_the_word_comes_from_where_it_comes_from_one_word(language, name):
    generator, seen = random.Random(5), defaultdict(Counter)
    for _ in range(3000):
        pair = TRANSLATIONS[name].draw(generator)
        for word, origin in zip(pair.target, pair.origins, strict=True):
            seen[word][None if origin is None else pair.source[origin]] += 1
    clear = {word: found.most_common(1)[0] for word, found in seen.items() if found.total() >= 20}
    clear = {word: english for word, (english, n) in clear.items() if english and n > 0.9 * seen[word].total()}
    assert len(clear) > 50
    others = {word: english for word, english in clear.items() if glosses(language)[word].lower() != english}
    assert len(others) < 0.06 * len(clear), others


def test_words_of_grammar_have_glosses_as_well():
    assert [glosses("fr")[word] for word in ("n'", "t'", "aime", "le")] == ["not", "you", "like", "the"]
    assert [glosses("zh")[word] for word in ("只", "的", "我")] == ["(one)", "(’s)", "I"]


@pytest.mark.parametrize(("language", "name"), LANGUAGES.items())
def test_the_table_has_the_english_words_that_a_word_stands_for(language, name):
    """If this fails, run python -m tools.gloss_origins."""
    pairs = list(word_pairs(TRANSLATIONS[name], 2000, seed=7))
    lacking = [pair for pair in pairs if pair[1] not in origins(language)[pair[0]]]
    assert len(lacking) < 0.01 * len(pairs), lacking
    assert "music" not in origins("fr")["la"], "an article stands for no noun"


def test_a_gloss_follows_what_the_model_looks_at():
    reads = "my sister reads in the bed".split()
    assert gloss_in("fr", "lit", reads, [0, 0, 0.9, 0, 0, 0.1], 0.05) == "reads"
    assert gloss_in("fr", "lit", reads, [0, 0, 0.1, 0, 0, 0.9], 0.05) == "bed"
    assert gloss_in("fr", "lit", reads, [0.5, 0.5, 0, 0, 0, 0], 0.05) == "bed", "that of the table"
    assert gloss_in("zh", "我", ["i", "sleep"], [0.9, 0.1], 0.05) == "I"
    assert gloss_in("fr", "closing", ["i", "sleep"], [0.9, 0.1], 0.05) == ""
