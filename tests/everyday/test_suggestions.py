"""Words that the grammar lacks: which known ones are named for them. All known words, by kind."""

import pytest

from everyday.english import WORDS
from everyday.suggestions import similar_words, words_by_kind


@pytest.mark.parametrize(
    ("word", "first"),
    [
        # What it means.
        ("zebra", "horse"), ("pizza", "bread"), ("juice", "water"), ("nurse", "doctor"), ("hotel", "house"), ("truck", "car"),
        ("germany", "france"), ("shirt", "shoe"), ("pink", "red"), ("large", "big"), ("kid", "child"), ("mum", "mom"),
        ("film", "movie"), ("pretty", "beautiful"), ("smart", "clever"), ("tomorrow", "today"), ("usually", "always"),
        ("begin", "open"), ("sell", "buy"), ("hear", "listen"), ("enjoy", "like"), ("believe", "know"), ("but", "and"),
        ("its", "his"), ("which", "what"), ("six", "five"), ("7", "five"), ("someone", "he"), ("john", "tom"),
        ("german", "french"), ("bye", "goodbye"), ("could", "can"),
        # Forms of such words, in the same form.
        ("zebras", "horses"), ("kids", "children"), ("hated", "like"),
        ("talked", "spoke"), ("talking", "speaking"), ("cherries", "apples"), ("largest", "big"),
        # Forms of known words that the grammar lacks, right or wrong.
        ("bigger", "big"), ("happiest", "happy"), ("slowly", "slow"), ("liked", "like"), ("wanting", "want"),
        ("mouses", "mice"), ("childs", "children"), ("eated", "ate"), ("swimmed", "swam"), ("goed", "went"),
        ("eaten", "ate"), ("knew", "know"),
        ("waters", "water"), ("best", "good"),
        # Spelling.
        ("freind", "friend"), ("beatiful", "beautiful"), ("choclate", "chocolate"), ("hous", "house"), ("mountian", "mountain"),
        ("elefant", "horse"), ("Zebra", "horse"),
    ],
)  # fmt: skip
def test_the_word_most_like_it(word: str, first: str) -> None:
    assert similar_words(word)[0] == first


@pytest.mark.parametrize("word", ["", "xyzzy", "qqqq", "asdf", "我", "lime", "'s", "a" * 10_000, "?!", "\ud800"])
def test_nothing_is_like_it(word: str) -> None:
    assert similar_words(word) == []


def test_at_most_three_are_named_and_no_known_word_is_unknown() -> None:
    assert similar_words("zebra") == ["horse", "cow", "dog"]
    assert similar_words("large") == ["big"]
    assert similar_words("eated") == ["ate", "eat"]
    assert not any(similar_words(word) for word in WORDS)


def test_a_smaller_language_names_its_own_words() -> None:
    known = {"cat", "bird", "apple", "red", "see", "i"}
    assert similar_words("zebra", known) == ["cat", "bird"]
    assert similar_words("dog", known) == ["cat", "bird"]
    assert similar_words("banana", known) == ["apple"]
    assert similar_words("blue", known) == ["red"]
    assert similar_words("cat", known) == similar_words("table", known) == []
    assert similar_words("zebra", ()) == []


def test_words_by_kind_are_all_words() -> None:
    by_kind = words_by_kind()
    forms = [form for entries in by_kind.values() for entry in entries for form in entry]
    assert {word for form in forms for word in form.split()} == set(WORDS)
    assert all(by_kind.values()) and all(entry for entries in by_kind.values() for entry in entries)
    assert all(len(set(entries)) == len(entries) for entries in by_kind.values())


def test_words_stand_with_their_forms_under_their_kind() -> None:
    by_kind = words_by_kind()
    assert ("mouse", "mice") in by_kind["animals"] and ("fish",) in by_kind["animals"]
    assert ("tea",) in by_kind["food"] and ("child", "children") in by_kind["people"]
    assert ("garden", "gardens") in by_kind["places"] and ("here",) in by_kind["places"] and ("sun",) in by_kind["places"]
    assert ("book", "books") in by_kind["things"] and ("chinese",) in by_kind["languages"]
    assert ("big",) in by_kind["adjectives"] and ("red",) in by_kind["colours"]
    assert ("eat", "eats", "eating", "ate") in by_kind["verbs"] and ("like", "likes") in by_kind["verbs"]
    assert ("i", "me") in by_kind["pronouns"] and ("a", "an") in by_kind["determiners"]
    assert ("every day",) in by_kind["time"] and ("thank you",) in by_kind["phrases"]
