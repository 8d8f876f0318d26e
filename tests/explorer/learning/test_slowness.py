"""Pins: how much longer training takes on a busy machine is measured by its steps, or else estimated from the load."""

import math
import os

import pytest

from explorer import limits
from explorer.learning import slowness
from explorer.learning.run import TrainingRun
from explorer.learning.scheduler import Scheduler
from explorer.learning.slowness import Slowness
from tests.explorer.learning.helpers import plan, wait_until


class Time:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Time()


def test_steps_that_had_a_core_are_as_fast_as_ever(clock):
    found = Slowness(load=lambda: 50.0, clock=clock)
    found.add(passed=2.0, computed=2.0)
    assert found.now() == 1.0


def test_steps_measure_it_and_the_newest_count_most(clock):
    found = Slowness(load=lambda: 0.0, clock=clock)
    found.add(passed=1.0, computed=1.0)
    clock.now += 10  # two times five seconds: little of the first is left
    found.add(passed=1.0, computed=0.1)
    assert 4 < found.now() < 10
    assert found.now() == pytest.approx((1 + 0.1353) / (0.1 + 0.1353), rel=1e-3)


def test_without_steps_it_is_estimated_from_the_other_programs(monkeypatch, clock):
    """Of two cores one is free where one program computes; where six do, each core has two and a half to share with."""
    monkeypatch.setattr(slowness, "_CORES", 2)
    monkeypatch.setattr(limits, "WORKER_NICE", 0)
    assert Slowness(load=lambda: 1.0, clock=clock).now() == 1.0
    assert Slowness(load=lambda: 6.0, clock=clock).now() == 3.5
    monkeypatch.setattr(limits, "WORKER_NICE", 5)
    assert Slowness(load=lambda: 6.0, clock=clock).now() == pytest.approx(1 + 2.5 * 1.25**5)


def test_the_load_of_our_own_steps_is_nobody_elses(monkeypatch, clock):
    """Two workers that compute for a minute add as much to the system's average as to ours."""
    monkeypatch.setattr(slowness, "_CORES", 2)
    found = Slowness(load=lambda: 2 * (1 - math.exp(-1)), clock=clock)
    for _second in range(60):
        clock.now += 1
        found.add(passed=2.0, computed=2.0)
    clock.now += 11  # what was measured does not count any more
    assert found.now() == 1.0


def test_a_system_without_an_average_is_taken_for_idle(monkeypatch):
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert slowness.load_average() == 0.0


def test_a_run_says_how_long_it_had_a_core():
    scheduler, noted = Scheduler(), []
    scheduler.slowness.add = lambda *times: noted.append(times)
    run = scheduler.add_run(TrainingRun(plan(steps=30), "ann"))
    wait_until(lambda: run.over and scheduler.crowd == 0, "its end")
    scheduler.stop()
    passed, computed = run.spent
    assert 0 < computed <= 1.1 * passed
    assert [sum(times) for times in zip(*noted, strict=True)] == pytest.approx([passed, computed])
