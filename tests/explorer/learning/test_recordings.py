"""Pins what is recorded once for everybody: it is the run of its plan, whole, and nothing of it stays with the scheduler."""

from dataclasses import replace

import numpy as np
import pytest

from explorer.learning.recordings import Recordings
from explorer.learning.run import TrainingRun
from explorer.learning.scheduler import Scheduler
from tests.explorer.learning.helpers import DIVERGES, finish, plan, same, wait_until
from transformer_core.errors import InputError

PLAN = plan()


@pytest.fixture
def scheduler():
    scheduler = Scheduler()
    yield scheduler
    scheduler.stop()


@pytest.fixture
def recordings(scheduler):
    return Recordings(scheduler)


def made(recordings, name, plan):
    wait_until(lambda: recordings.get(name, plan, "ann") is not None, "the end of the recording")
    return recordings.get(name, plan, "ann")


def test_a_recording_is_the_run_of_its_plan_every_evaluation_of_it(recordings):
    found, run = made(recordings, "one", PLAN), finish(TrainingRun(PLAN, "ann"))
    assert same(found, run)
    assert [each.step for each in found.snapshots] == [0, 4, 8, 12]
    for one, other in zip(found.snapshots, run.snapshots, strict=True):
        for name, weights in one.weights.items():
            np.testing.assert_array_equal(weights, other.weights[name])
    assert (found.right, found.rows) == (run.final.exact_match, run.final.rows)
    assert found.likely == pytest.approx(np.exp(-run.loss.mean()))


def test_it_is_made_once_and_its_run_is_no_longer_needed(recordings, scheduler):
    assert recordings.get("one", PLAN, "ann") is None
    assert recordings.get("one", PLAN, "ben") is None
    assert scheduler.crowd <= 1
    found = made(recordings, "one", PLAN)
    assert recordings.get("one", plan(seed=8), "ben") is found
    wait_until(lambda: not scheduler._runs, "the run to be forgotten")


def test_what_everybody_has_left_is_given_up_and_begins_again(recordings, scheduler):
    endless = plan(steps=20_000)
    recordings.get("one", endless, "ann")
    (run,) = scheduler._runs.values()
    assert run.viewers == {"ann"}
    scheduler.remove_run(run)  # as where no viewer is connected for a while
    assert made(recordings, "one", PLAN).step == 12


def test_one_that_fails_says_why_and_is_not_tried_again(recordings):
    found = made(recordings, "one", DIVERGES)
    assert found.message is not None and found.step == 1


def test_where_the_server_is_full_it_says_so_and_begins_later(recordings, monkeypatch):
    too_large = replace(PLAN, recipe=replace(PLAN.recipe, evaluate_on=100_000))
    with pytest.raises(InputError, match="too large"):
        recordings.get("one", too_large, "ann")
    assert made(recordings, "one", PLAN).step == 12
