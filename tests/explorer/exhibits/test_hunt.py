"""Pins the rules of the hunt: a code holds for good and says nothing, looks cost, and a wrong accusation costs more."""

import datetime
from itertools import pairwise

import pytest

from explorer.exhibits.hunt.game import (
    POINTS,
    PRICES,
    VARIANTS,
    WRONG,
    Game,
    Puzzle,
    puzzle_of,
    puzzle_of_day,
    read_accused,
    read_looks,
)
from explorer.exhibits.hunt.looks import PANELS
from explorer.exhibits.hunt.words import BOXES, WAYS
from transformer_core.analysis.sabotage import SABOTAGES, SUSPECTS, Suspect

GUILTY, OTHER, THIRD = Suspect("positions", "encoder"), Suspect("norm", "encoder"), Suspect("keys", "cross")
PUZZLE = Puzzle(2, 5)


def test_links_of_today_hold_for_good() -> None:
    codes = {(1, 0): 6475, (2, 5): 2051, (3, 5): 6322, (20, 5): 9118, (20, 96): 464}
    assert {place: Puzzle(*place).code for place in codes} == codes
    assert {place: puzzle_of(code) for place, code in codes.items()} == {place: Puzzle(*place) for place in codes}
    assert {number: str(SABOTAGES[number].suspect) for number in (1, 8, 15, 20)} == {
        1: "padding-encoder",
        8: "norm-decoder",
        15: "keys-cross",
        20: "even-cross",
    }


def test_every_puzzle_has_a_code_of_its_own_and_every_other_number_is_none() -> None:
    puzzles = [Puzzle(number, variant) for number in SABOTAGES for variant in range(VARIANTS)]
    assert [puzzle_of(puzzle.code) for puzzle in puzzles] == puzzles
    found = [code for code in range(-5, 12_000) if puzzle_of(code) is not None]
    assert sorted(puzzle.code for puzzle in puzzles) == found


def test_the_puzzles_of_some_days_are_every_fault_and_never_twice_the_same() -> None:
    first = datetime.date(2026, 11, 29)
    days = [puzzle_of_day(first + datetime.timedelta(days=i)) for i in range(len(SABOTAGES))]
    assert {puzzle.number for puzzle in days} == set(SABOTAGES)
    assert all(one.sabotage.suspect != other.sabotage.suspect for one, other in pairwise(days))


def test_looks_and_wrong_accusations_are_paid_for_and_the_rest_is_the_score() -> None:
    assert Game(PUZZLE).points == POINTS and not Game(PUZZLE).is_over
    game = Game(PUZZLE, ("shares", "encoder"), (OTHER,))
    assert game.points == POINTS - PRICES["shares"] - PRICES["encoder"] - WRONG and not game.is_over
    found = Game(PUZZLE, ("shares", "encoder"), (OTHER, GUILTY))
    assert found.is_found and found.is_over and found.points == game.points
    lost = Game(PUZZLE, ("first",), (OTHER, THIRD))
    assert lost.points == 0 and lost.is_over and not lost.is_found


def test_the_looks_by_which_every_fault_can_be_told_leave_a_point() -> None:
    """Those that tests/explorer/model_on_screen/test_sabotages.py reads, all together."""
    assert sum(PRICES[look] for look in ("shares", "encoder", "cross", "writing", "lengths")) < POINTS


def test_a_look_never_takes_the_last_point_and_is_bought_once() -> None:
    game = Game(PUZZLE, ("first", "lengths"))
    assert game.points == 2 and [look for look in PRICES if game.affords(look)] == ["ask", "shares"]
    assert not Game(PUZZLE, ("first", "lengths", "ask")).affords("shares")


def test_after_the_end_there_is_no_price() -> None:
    found = Game(PUZZLE, ("first",), (GUILTY,), ("first", "lengths"))
    assert found.points == POINTS - PRICES["first"] and found.seen == ("first", "lengths")
    assert [look for look in PRICES if not found.affords(look)] == ["lengths", "first"]
    assert Game(PUZZLE, (), (), ("first",)).seen == (), "it is not over"


@pytest.mark.parametrize("text", ["x", "ask.", "ask.first.nothing", ".", "ask first"])
def test_nonsense_in_an_address_is_none(text: str) -> None:
    assert read_looks(text) is None and read_accused(text) is None


def test_an_address_is_read_once_each_in_its_order() -> None:
    assert read_looks("first.ask.first") == ("first", "ask") and read_looks("") == ()
    assert read_accused(f"{THIRD}.{GUILTY}") == (THIRD, GUILTY)


def test_everybody_can_be_accused_and_every_look_shows_something() -> None:
    assert sorted(str(each) for box in BOXES.values() for each in box) == sorted(map(str, SUSPECTS))
    assert set(PANELS) == set(PRICES) - {"ask"}
    assert {suspect.kind for suspect in SUSPECTS} == set(WAYS)
