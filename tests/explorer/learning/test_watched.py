"""Pins runs that are slow enough to be watched: the same numbers, more pictures, and no worker that waits with them."""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer import limits
from explorer.learning import slow_motion
from explorer.learning.engine import Engine, Order
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.slow_motion import is_picture
from tests.explorer.learning.helpers import RECIPE, advance, finish, plan, same, wait_until


@pytest.fixture
def scheduler(monkeypatch) -> Iterator[Scheduler]:
    monkeypatch.setattr(limits, "WORKERS", 1)
    made = Scheduler()
    yield made
    made.stop()


@pytest.fixture
def never_due(monkeypatch) -> None:
    monkeypatch.setattr(slow_motion, "seconds_at", lambda step: 1e6 * step)


def test_who_watches_sees_more_and_changes_nothing():
    run, hurried = TrainingRun(plan(steps=40), "me", watched=True), TrainingRun(plan(steps=40), "me")
    advance(run, 40)
    seen, alone = run.history(), finish(hurried)
    assert run.over and same(seen, alone)
    pictures = {step for step in range(41) if is_picture(step)}
    assert [each.step for each in seen.snapshots] == sorted(pictures | {each.step for each in alone.snapshots})
    assert len(seen.snapshots) > 2 * len(alone.snapshots)
    there = {each.step: each for each in seen.snapshots}
    for each in alone.snapshots:
        assert all(np.array_equal(each.weights[name], there[each.step].weights[name]) for name in each.weights)


def test_there_are_no_more_pictures_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(limits, "PICTURES", 5)
    run = TrainingRun(plan(steps=40), "me", watched=True)
    advance(run, 40)
    evaluated = range(0, 41, RECIPE.evaluate_every)
    extra = [each.step for each in run.history().snapshots if each.step not in evaluated]
    assert 1 < len(extra) <= 5


def test_back_to_a_step_forgets_the_pictures_after_it():
    run = TrainingRun(plan(), "me", watched=True)
    advance(run, 10)
    run.rewind(4, pause=True)
    assert [each.step for each in run.history().snapshots] == [0, 1, 2, 3, 4]


def test_an_engine_takes_the_steps_that_are_due_and_always_one():
    engine = Engine(plan())
    assert [step.report.step for step in engine.advance(Order(float("inf"), up_to=3)).steps] == [1, 2, 3]
    assert [step.report.step for step in engine.advance(Order(0.0, up_to=3)).steps] == [4]


def test_a_run_that_waits_for_its_time_holds_no_worker(scheduler, never_due):
    watched = scheduler.add_run(TrainingRun(plan(), "me", watched=True))
    other = scheduler.add_run(TrainingRun(plan(), "me"))
    wait_until(lambda: other.over, "the end of the other run")
    assert watched.status is Status.RUNNING and watched.history().step == 0
    watched.watched = False  # in slow motion no longer
    scheduler.wake_run(watched)
    wait_until(lambda: watched.over, "the end of the run")
    assert same(watched.history(), other.history())


def test_a_run_that_waits_for_its_time_can_be_told_what_to_do(scheduler, never_due):
    run = scheduler.add_run(TrainingRun(plan(), "me", watched=True))
    run.step_once()
    scheduler.wake_run(run)
    wait_until(lambda: run.history().step == 1, "one step")
    run.play()
    scheduler.wake_run(run)
    run.stop()
    scheduler.wake_run(run)
    assert run.status is Status.STOPPED and run.history().step == 1
