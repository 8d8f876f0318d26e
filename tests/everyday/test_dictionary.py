"""The dictionary of each language that is translated into."""

from collections import Counter

import pytest

from everyday.dictionary import dictionary
from everyday.glosses import origins
from everyday.translation import TRANSLATIONS

LANGUAGES = {"fr": "everyday-fr", "zh": "everyday-zh"}


@pytest.mark.parametrize(("language", "name"), LANGUAGES.items())
def test_every_entry_is_a_word_of_both_languages_and_may_stand_for_its_translation(language, name):
    translation = TRANSLATIONS[name]
    for entry in dictionary(language):
        assert entry.english in translation.source_words and entry.translation in translation.target_words, entry
        assert entry.english in origins(language)[entry.translation], entry


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_twice_and_each_kind_has_a_few(language):
    entries = dictionary(language)
    for words in ([entry.english for entry in entries], [entry.translation for entry in entries]):
        assert len(set(words)) == len(words)
    kinds = Counter(entry.kind for entry in entries)
    assert kinds.keys() == {"people", "animals", "food", "things", "places", "adjectives", "colours", "verbs", "numbers"}
    assert min(kinds.values()) >= 5, kinds


def test_a_word_that_is_a_verb_and_something_else_counts_as_a_verb():
    kinds = {entry.english: entry.kind for entry in dictionary("fr")}
    assert (kinds["open"], kinds["work"], kinds["cat"], kinds["red"]) == ("verbs", "verbs", "animals", "colours")
