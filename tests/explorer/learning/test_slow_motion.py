"""Pins the pace of a run that is to be watched."""

import pytest

from explorer.learning.slow_motion import Clock, is_picture, seconds_at, step_at


def test_a_step_is_due_at_its_time_and_not_before():
    assert seconds_at(0) == 0 and step_at(0) == 0
    for step in (*range(300), 1000, 20_000):
        assert step_at(seconds_at(step)) == step
        assert step_at(seconds_at(step + 1) - 1e-6) == step


@pytest.mark.parametrize("steps", [50, 130, 340, 1500, 20_000])
def test_a_run_can_be_watched_and_does_not_take_for_ever(steps):
    assert 8 <= seconds_at(steps) <= 40


@pytest.mark.parametrize("steps", [80, 130, 340])
def test_there_are_pictures_enough_early_ones_of_every_step_and_no_more_than_can_be_seen(steps):
    pictures = [step for step in range(steps + 1) if is_picture(step)]
    assert 40 <= len(pictures) <= seconds_at(steps) / 0.2 + 1
    assert pictures[:10] == list(range(10))


class Hand:
    """A clock that a test turns."""

    time = 100.0

    def __call__(self) -> float:
        return self.time


def test_a_clock_waits_for_what_is_due():
    hand = Hand()
    clock = Clock(hand)
    assert clock.wait(0) == pytest.approx(seconds_at(1)) and clock.due(0) == 1
    hand.time += seconds_at(1)
    assert clock.wait(0) == 0 and clock.wait(1) == pytest.approx(seconds_at(2) - seconds_at(1))
    clock.stop()  # paused after step 1
    hand.time += 1000
    assert clock.wait(1) == pytest.approx(seconds_at(2) - seconds_at(1))


def test_who_is_late_takes_some_steps_at_once_but_does_not_hurry_after_what_was_missed():
    hand = Hand()
    clock = Clock(hand)
    clock.wait(200)
    hand.time += 0.1
    assert clock.due(200) == step_at(seconds_at(200) + 0.1) > 202
    hand.time += 1000
    assert 201 < clock.due(200) <= step_at(seconds_at(201) + 0.21)
