"""Pins what is said of sentences of known words that the grammar lacks: the words that no sentence has side by side, and the
nearest sentences that it has."""

import random

import pytest

from everyday import drawing
from everyday.english import WORDS, english
from everyday.recogniser import trees
from everyday.scope import EVERYDAY
from everyday.untaught import BEGIN, END, missing, nearest


@pytest.mark.parametrize(
    "sentence, run",
    [
        ("i am five", "am five"),
        ("i am ten", "am ten"),
        ("i am going to sleep", "going to sleep"),
        ("i have to go home", "have to"),
        ("there was a cat", "there was"),
        ("do you know where my book is", "know where"),
        ("how many cats are there", "how many"),
        ("on the table", f"{BEGIN} on"),
        ("he eat an apple", f"{BEGIN} he eat"),
        ("i can not see", f"not see {END}"),
        ("i love", ""),  # each run occurs, as in "i love you" and "whom do i love"
    ],
)
def test_the_words_that_no_sentence_has_side_by_side(sentence: str, run: str) -> None:
    assert missing(sentence.split(), EVERYDAY) == tuple(run.split())


def test_hardly_any_words_of_a_sentence_that_was_taught_are_said_to_be_missing() -> None:
    """None would be best; but what is rare is neither drawn nor found by joining two sentences."""
    generator = random.Random(11)
    drawn = [[word.text for word in english(drawing.draw(generator))] for _ in range(300)]
    assert len([words for words in drawn if missing(words, EVERYDAY)]) <= 0.04 * len(drawn)


@pytest.mark.parametrize(
    "sentence, near",
    [
        ("he eat an apple", "he eats an apple"),
        ("he was sleeping", "he is sleeping"),
        ("i have to go home", "i want to go home"),
        ("i can not see", "i can not see you"),
        ("the dog that you see is big", "the dog is big"),
        ("where is the cat and the dog", "where are the cat and the dog"),
        ("i do not know what you want", "i do not know"),
        ("i am five", "i am happy"),
    ],
)
def test_the_nearest_sentence(sentence: str, near: str) -> None:
    found = nearest(sentence.split(), EVERYDAY, WORDS)
    assert " ".join(found[0]) == near
    assert all(trees(each) for each in found)


def test_what_is_offered_is_in_known_words() -> None:
    assert ["i", "can", "not", "see", "it"] in map(list, nearest("i can not see".split(), EVERYDAY, WORDS))
    known = set(WORDS) - {"it"}
    assert all(known.issuperset(each) for each in nearest("i can not see".split(), EVERYDAY, sorted(known)))
