"""Free choices: one function is sampled, and has all its outcomes enumerated."""

import random
from collections import Counter

import pytest

from everyday.choice import RARE, Choose, Draw, distribution, right_too


def _drink(choose: Choose) -> str:
    """Tea with one choice more, coffee with none; the size is asked for twice, and chosen once."""
    drink = choose("drink", [(0.3, "tea"), (0.7, "coffee")])
    with_milk = drink == "tea" and choose("milk", [(0.5, True), (0.5, False)])
    small = choose("size", [(0.25, True), (0.75, False)])
    assert choose("size", [(0.25, True), (0.75, False)]) is small
    return f"{'small ' if small else ''}{drink}{' with milk' if with_milk else ''}"


EXPECTED = {
    "coffee": 0.525,
    "small coffee": 0.175,
    "tea with milk": 0.1125,
    "tea": 0.1125,
    "small tea with milk": 0.0375,
    "small tea": 0.0375,
}


def test_every_outcome_has_its_exact_probability_the_most_probable_first() -> None:
    found = distribution(_drink)
    assert found == pytest.approx(EXPECTED)
    assert [*found.values()] == sorted(found.values(), reverse=True)


def test_outcomes_of_several_paths_are_one() -> None:
    found = distribution(lambda choose: choose("a", [(0.5, 1), (0.5, 2)]) + choose("b", [(0.5, 1), (0.5, 2)]))
    assert found == {3: 0.5, 2: 0.25, 4: 0.25}


def test_what_is_right_too_is_an_outcome_and_never_drawn_nor_does_it_change_what_is() -> None:
    def said(choose: Choose) -> str:
        return choose("how", right_too("so", "thus", "this way")) + choose("mark", [(0.5, "."), (0.5, "!")])

    found = distribution(said)
    assert {answer: p for answer, p in found.items() if p < 0.1} == pytest.approx(
        dict.fromkeys(("thus.", "thus!", "this way.", "this way!"), RARE / 2)
    )
    assert sum(found.values()) == pytest.approx(1)
    drawn, without = random.Random(4), random.Random(4)
    for _ in range(200):
        mark = Draw(without)("mark", [(0.5, "."), (0.5, "!")])
        assert said(Draw(drawn)) == f"so{mark}"


def test_draws_come_as_often_as_their_probabilities_say() -> None:
    generator = random.Random(2017)
    counts = Counter(_drink(Draw(generator)) for _ in range(10_000))
    chi_squared = sum((counts[drink] - 10_000 * p) ** 2 / (10_000 * p) for drink, p in EXPECTED.items())
    assert chi_squared < 20.5  # of 5 degrees of freedom, exceeded once in a thousand
