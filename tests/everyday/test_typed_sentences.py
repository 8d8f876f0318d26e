"""Pins: most of what people type is in the grammar, with answers in both languages.

`typed_sentences.txt` was written by habit before the grammar was, from its words; the grammar was widened by it.
`typed_unseen.txt` was written by the same hand afterwards: nothing was changed by it, and some of its words are unknown.
"""

from pathlib import Path

import pytest

from everyday.english import WORDS
from everyday.recogniser import trees
from everyday.tokenizer import tokenize
from everyday.translation import TRANSLATIONS

HERE = Path(__file__).parent
SEEN, UNSEEN = (
    [tuple(tokenize(line)) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
    for name in ("typed_sentences.txt", "typed_unseen.txt")
)
KNOWN = [words for words in UNSEEN if set(words) <= set(WORDS)]


def test_the_sentences_that_the_grammar_was_widened_by_have_known_words():
    assert len(SEEN) > 600
    assert not {word for words in SEEN for word in words} - set(WORDS)


@pytest.mark.parametrize(("sentences", "least"), [(SEEN, 0.92), (KNOWN, 0.82)])
def test_most_of_what_people_type_with_known_words_is_in_the_grammar(sentences, least):
    assert len(sentences) > 150
    assert sum(bool(trees(words)) for words in sentences) / len(sentences) >= least


def test_most_sentences_typed_without_a_list_of_words_have_known_words_only():
    assert 0.86 < len(KNOWN) / len(UNSEEN) < 1


@pytest.mark.parametrize("name", ["everyday-fr", "everyday-zh"])
def test_what_is_in_the_grammar_has_answers_of_known_words(name):
    translation = TRANSLATIONS[name]
    known = set(translation.target_words)
    for words in SEEN + KNOWN:
        answers = translation.answers(words)
        assert bool(answers) == bool(trees(words))
        assert not {word for answer in answers for word in answer} - known
        assert sum(answers.values()) == pytest.approx(1 if answers else 0)
