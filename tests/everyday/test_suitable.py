"""What may be shown to anyone unasked, and what no model is trained on."""

import random

import pytest

from everyday.drawing import draw
from everyday.english import english
from everyday.holdout import HOLD_OUTS, SHORTEST, held_out
from everyday.recogniser import trees
from everyday.suitable import is_suitable


@pytest.mark.parametrize(
    "text",
    [
        "hello anna", "i love my dog", "my sister is very clever", "where is the station", "the black cat sleeps on the bed",
        "do you like my house", "there is a red apple on the table", "we are at school", "can you help me", "he is a teacher",
        "a cup of tea please", "is your room clean", "she drinks hot milk", "open the window please", "this is my book",
    ],
)  # fmt: skip
def test_suitable(text: str) -> None:
    assert [is_suitable(tree) for tree in trees(text.split())] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "the park buys a cat", "i eat my dog", "she is dirty", "my mother is bad", "i do not love you", "the house is hungry",
        "he wants my sister", "the milk is in the sea", "the box is in the cup", "you are a horse", "the baby is crying",
        "we sleep with the cow", "do not eat the apple", "my fathers are here", "i do not like mary", "a big woman", "blue tea",
    ],
)  # fmt: skip
def test_silly_or_unkind(text: str) -> None:
    assert [is_suitable(tree) for tree in trees(text.split())] == [False]


def test_what_is_held_out_follows_from_the_sentence_alone() -> None:
    generator = random.Random(3)
    drawn = [draw(generator) for _ in range(4000)]
    words = [[word.text for word in english(sentence)] for sentence in drawn]
    reasons = [held_out(sentence, each) for sentence, each in zip(drawn, words, strict=True)]
    assert set(reasons) == {None, *HOLD_OUTS}
    assert reasons == [held_out(sentence, each) for sentence, each in zip(drawn, words, strict=True)]
    assert 0.85 < reasons.count(None) / len(reasons) < 0.97
    assert all(len(each) >= SHORTEST for reason, each in zip(reasons, words, strict=True) if reason == "source")


@pytest.mark.parametrize("text", ["i love you", "i am hungry", "thank you", "where is it", "help me please"])
def test_what_people_say_most_is_learned(text: str) -> None:
    (tree,) = trees(text.split())
    assert held_out(tree, text.split()) is None


def test_what_is_called_by_its_colour_is_learned() -> None:
    """Black cats do not tell how black coffee is called, nor black tea, which is red in Chinese."""
    for text in ("black coffee", "i drink black coffee"):
        words = text.split()
        assert {held_out(tree, words) for tree in trees(words)} == {None}


def test_a_pair_is_held_out_wherever_it_stands() -> None:
    """Once an adjective and a noun are held out, no sentence with them is trained on."""
    generator = random.Random(4)
    reasons: dict[str, set[str | None]] = {}
    for _ in range(15_000):
        sentence = draw(generator)
        words = [word.text for word in english(sentence)]
        if len(words) == 2 and held_out(sentence, words) == "adjective-noun":
            reasons[" ".join(words)] = set()
    for pair in reasons:
        for before in ("the", "i see the", "there is my"):
            text = f"{before} {pair}".split()
            reasons[pair] |= {held_out(tree, text) for tree in trees(text)}
    assert reasons and not any(None in found for found in reasons.values())
