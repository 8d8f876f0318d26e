"""Pins: likely next models are trained while nobody has another run, and whoever wants one gets what there is."""

import threading
from dataclasses import replace

import pytest

from explorer.learning.learner import Learner
from explorer.learning.prefetch import Prefetch
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.store import ModelStore
from explorer.model_on_screen.settings import ModelSettings, neighbours
from tests.explorer.learning.helpers import plan as another
from tests.explorer.learning.test_learner import CFG, plan, wait_for


@pytest.fixture
def room(tmp_path):
    """(prefetch, learner, store, scheduler), on a machine that is idle, whatever other tests do"""
    scheduler, store = Scheduler(), ModelStore(tmp_path / "models")
    scheduler.slowness.now = lambda: 1.0
    prefetch = Prefetch(store, scheduler, tick=0.01)
    yield prefetch, Learner(store, scheduler, patience=0.02, prefetch=prefetch), store, scheduler
    prefetch.stop()
    scheduler.stop()


def test_neighbours_are_learned_one_after_the_other(room):
    prefetch, _learner, store, scheduler = room
    large = replace(plan(9), cfg=replace(CFG, d_model=512, n_layers=6, d_ff=2048))  # by estimate, it takes too long
    prefetch.look(lambda: [plan(0), large, plan(1)], "ann")
    for seed in (0, 1):
        wait_for(lambda seed=seed: store.get(plan(seed).key))
        assert scheduler.crowd <= 1
    assert store.get(large.key) is None


def test_it_waits_while_there_is_anything_else_to_do(room):
    prefetch, _learner, store, scheduler = room
    prefetch.look(lambda: [plan(steps=3000)], "ann")
    run = wait_for(lambda: prefetch._run)
    other = scheduler.add_run(TrainingRun(another(steps=10_000), "ben"))
    wait_for(lambda: run.status is Status.PAUSED)
    assert not other.over and store.get(plan(steps=3000).key) is None
    other.stop()
    wait_for(lambda: run.status is Status.RUNNING)


def test_it_waits_while_other_programs_want_the_cores(room):
    prefetch, _learner, store, scheduler = room
    prefetch.look(lambda: [plan(steps=3000)], "ann")
    run = wait_for(lambda: prefetch._run)
    scheduler.slowness.now = lambda: 2.5
    wait_for(lambda: run.status is Status.PAUSED)
    assert store.get(plan(steps=3000).key) is None
    scheduler.slowness.now = lambda: 1.0
    wait_for(lambda: run.status is Status.RUNNING)


def test_whoever_wants_what_is_under_way_goes_on_with_it(room):
    prefetch, learner, store, _scheduler = room
    prefetch.look(lambda: [plan(steps=3000)], "ann")
    run = wait_for(lambda: prefetch._run)
    learner.want(plan(steps=3000), "ben")
    assert wait_for(lambda: learner.run(plan(steps=3000).key)) is run
    assert prefetch.take(plan(steps=3000).key) is None
    wait_for(lambda: store.get(plan(steps=3000).key))


def test_one_that_is_wanted_while_it_is_about_to_begin_begins_once(room, monkeypatch):
    prefetch, learner, store, scheduler = room
    is_there, asked, goes_on = prefetch._is_there, threading.Event(), threading.Event()

    def slow(key: str) -> bool:
        asked.set()
        goes_on.wait()
        return is_there(key)

    monkeypatch.setattr(prefetch, "_is_there", slow)
    prefetch.look(lambda: [plan(steps=3000)], "ann")
    asked.wait()
    learner.want(plan(steps=3000), "ben")  # a page does not wait for files
    run = wait_for(lambda: learner.run(plan(steps=3000).key))
    goes_on.set()
    wait_for(lambda: store.get(plan(steps=3000).key))
    assert scheduler.runs() in ([], [run]) and learner.computed == 1


def test_neighbours_are_one_stop_away():
    settings = ModelSettings(task="copy", d_model=64, n_heads=4, n_layers=1, d_ff=64)
    found = [(each.d_model, each.n_layers, each.n_heads, each.norm == settings.norm) for each in neighbours(settings)]
    assert {(64, 2, 4, True), (64, 1, 4, False), (64, 1, 8, True), (64, 1, 2, True)} <= set(found)
    assert len(found) == 6 and all(each.task == "copy" and each.seed == settings.seed for each in neighbours(settings))
