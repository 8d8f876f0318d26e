"""Pins: the soonest combination is the one of the smallest median, in which a seed that never got there counts as the last."""

from dataclasses import replace
from itertools import combinations as drawn

import pytest

from tests.transformer_core.sweeps import row_of
from transformer_core.analysis.sweep import apart_by_chance, combinations, overlap, rivals, varied
from transformer_core.training.sweep_rows import failed


def combination(*steps, **settings):
    (found,) = combinations([row_of(each, seed, **settings) for seed, each in enumerate(steps)])
    return found


def widths(found):
    return [each.cfg.d_model for each in found]


def test_rows_of_equal_settings_are_one_combination_in_the_order_of_the_seeds():
    rows = [row_of(150, 2, d_model=16), row_of(90, 0, d_model=32), row_of(110, 0, d_model=16), row_of(130, 1, d_model=16)]
    found = combinations(rows)
    assert widths(found) == [32, 16]
    assert [row.seed for row in found[1].rows] == [0, 1, 2]
    assert found[1].reached == [110, 130, 150] and found[1].median == 130
    assert found[1].right == (597, 600) and found[1].cpu_seconds == 3.75
    assert varied(found) == ["d_model"]
    assert found[0].parameters == rows[1].parameters != rows[0].parameters


@pytest.mark.parametrize(
    ("steps", "median"),
    [
        ((80,), 80),
        ((80, 120), 100),
        ((80, None, 120), 120),
        ((80, None), None),
        ((None, 80, None), None),
        ((None,), None),
        ((50, 60, 70, None), 65),
    ],
)
def test_a_seed_that_never_got_there_is_the_last(steps, median):
    assert combination(*steps).median == median


def test_what_failed_counts_nowhere_and_stays():
    rows = [row_of(80, 0), failed(row_of(10, 1), "killed"), row_of(100, 2)]
    (found,) = combinations(rows)
    assert (found.median, found.right, len(found.finished), len(found.rows)) == (90, (398, 400), 2, 3)
    (none,) = combinations([failed(row_of(10), "killed")])
    assert (none.median, none.reached, none.right) == (None, [], (0, 0))


def test_without_a_median_those_come_first_of_which_more_got_there_and_then_those_with_more_right():
    rows = [row_of(None, seed, d_model=8) for seed in range(2)]
    rows += [row_of(200, 0, d_model=16), row_of(None, 1, d_model=16)]
    rows += [replace(row_of(None, seed, d_model=32), right=31) for seed in range(2)]
    assert widths(combinations([*rows, row_of(700, d_model=64)])) == [64, 16, 32, 8]


def test_the_same_seed_twice_is_one_row_and_the_later():
    early = replace(row_of(300), plan="0" * 16)
    assert combination(300) == combinations([row_of(50), row_of(300)])[0]
    assert combinations([early, row_of(50)])[0].reached == [50]


def test_what_took_other_steps_at_most_is_another_combination():
    found = combinations([row_of(100), row_of(100, most_steps=40)])
    assert [each.most_steps for each in found] == [None, 40] and varied(found) == []


def test_ranges_overlap_where_they_share_a_step():
    near, far = combination(100, 140, d_model=8), combination(150, 190, d_model=16)
    assert not overlap(near, far) and not overlap(far, near)
    assert overlap(near, combination(140, 300, d_model=32)) and overlap(combination(90, 500), near)
    assert overlap(far, combination(90, None)), "a range without an end"
    assert not overlap(near, combination(150, None))


def test_rivals_are_those_that_may_be_as_soon():
    steps_of = {8: (100, 140), 16: (130, 190), 32: (150, 160), 64: (None, None)}
    rows = [row_of(step, seed, d_model=width) for width, steps in steps_of.items() for seed, step in enumerate(steps)]
    found = combinations(rows)
    assert widths(found) == [8, 32, 16, 64] and widths(rivals(found)) == [16]
    assert rivals(found[:1]) == []
    unsure = combinations([*rows[4:], row_of(100, 0, d_model=8), row_of(110, 1, d_model=8), row_of(None, 2, d_model=8)])
    assert widths(rivals(unsure)) == [32], "not those that never got there"


@pytest.mark.parametrize(("first", "second"), [(2, 2), (3, 3), (2, 3), (3, 2)])
def test_how_often_equally_fast_combinations_lie_apart(first, second):
    """All ways in which seeds of two combinations can come in one order: in two of them one is wholly before the other."""
    ways = list(drawn(range(first + second), first))
    apart = sum(max(way) < first or min(way) >= second for way in ways)
    found = [combination(*range(10, 10 + first), d_model=16), combination(*range(90, 90 + second), d_model=32)]
    assert apart_by_chance(found) == len(ways) // apart
