"""Pins what a room trains: so many models, equal but for the seed, or one setting; and that recorded runs are those."""

import json

import pytest

from explorer import resources
from explorer.rooms import board
from tools import recorded_runs


def test_there_are_as_many_models_as_people_within_bounds_and_equally_many_of_each_value():
    assert [board.models_for(people) for people in (0, 8, 9, 40, 200)] == [8, 8, 9, 40, 40]
    assert [board.models_for(people, 3) for people in (0, 16, 40)] == [15, 18, 39]
    assert [board.models_for(people, 4) for people in (0, 200)] == [20, 40]


def test_the_values_of_a_setting_take_turns_and_nothing_else_differs():
    plans = board.plans(0, "d_model", (32, 64))
    assert [(plan.cfg.d_model, plan.recipe.seed) for plan in plans[:4]] == [(32, 1), (64, 1), (32, 2), (64, 2)]
    assert len({plan.recipe.rate for plan in plans}) == 1 and len(plans) == 10
    assert recorded_runs.described(plans[1]) == recorded_runs.described(board.plans(0)[0])


def test_the_step_that_is_needed_is_the_first_with_nine_of_ten_right():
    assert board.steps_needed([[(10, 0.5), (20, 0.9), (30, 0.8), (40, 1.0)], [(10, 0.1)], []]) == [20, None, None]


def test_the_recorded_runs_are_those_that_a_room_would_train(stopped_afterwards):
    """Another processor may add in another order: there a curve may differ by some rows."""
    kept = json.loads(board.RECORDED.read_text(encoding="utf-8"))
    plans = board.plans(board.MOST)
    assert kept["plan"] == recorded_runs.described(plans[0]) and len(board.recorded().curves) == len(plans) == 40
    assert None not in board.steps_needed(board.recorded().curves) and len({str(curve) for curve in kept["curves"]}) == 40
    (again,) = recorded_runs.trained([plans[16]])
    before = [tuple(point) for point in kept["curves"][16]]
    if recorded_runs.machine() == {name: kept[name] for name in recorded_runs.machine()}:
        assert again == before
    else:
        first, second = board.steps_needed([before, again])
        assert first and second and abs(first - second) <= 30


@pytest.fixture
def stopped_afterwards():
    yield
    resources.stop()
