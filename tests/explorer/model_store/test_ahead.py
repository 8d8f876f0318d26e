"""Pins: models are learned ahead of need while nothing else is trained, and whoever wants one gets what there is."""

import threading
from dataclasses import replace

import pytest

from explorer.inference.settings import ModelSettings, neighbours
from explorer.model_store.ahead import Ahead
from explorer.model_store.claims import Claims
from explorer.model_store.on_demand import OnDemand
from explorer.model_store.store import ModelStore
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.training.scheduler import Scheduler
from tests.explorer.model_store.test_on_demand import CFG, plan, wait_for
from tests.explorer.training.helpers import plan as another


@pytest.fixture
def room(tmp_path):
    """(ahead, on demand, store, scheduler)"""
    scheduler, store = Scheduler(), ModelStore(tmp_path / "models")
    ahead = Ahead(store, scheduler, tick=0.01)
    yield ahead, OnDemand(store, scheduler, patience=0.02, ahead=ahead), store, scheduler
    ahead.stop()
    scheduler.stop()


def test_neighbours_are_learned_one_after_the_other(room):
    ahead, _demand, store, scheduler = room
    large = replace(plan(9), cfg=replace(CFG, d_model=512, n_layers=6, d_ff=2048))  # by estimate, it takes too long
    ahead.look(lambda: [plan(0), large, plan(1)], "ann")
    for seed in (0, 1):
        wait_for(lambda seed=seed: store.get(plan(seed).key))
        assert scheduler.crowd <= 1
    assert store.get(large.key) is None


def test_it_waits_while_there_is_anything_else_to_do(room):
    ahead, _demand, store, scheduler = room
    ahead.look(lambda: [plan(steps=3000)], "ann")
    run = wait_for(lambda: ahead._run)
    other = scheduler.add(TrainingRun(another(steps=10_000), "ben"))
    wait_for(lambda: run.status is Status.PAUSED)
    assert not other.over and store.get(plan().key) is None
    other.stop()
    wait_for(lambda: run.status is Status.RUNNING)


def test_whoever_wants_what_is_under_way_goes_on_with_it(room):
    ahead, demand, store, _scheduler = room
    ahead.look(lambda: [plan(steps=3000)], "ann")
    run = wait_for(lambda: ahead._run)
    demand.want(plan(steps=3000), "ben")
    assert wait_for(lambda: demand.run(plan().key)) is run
    assert ahead.take(plan().key) is None
    wait_for(lambda: store.get(plan().key))


@pytest.fixture
def other(room):
    """The claims of another copy of the app that shares the folder."""
    claims = Claims(room[2].shared)
    yield claims
    for key in list(claims._held):
        claims.release(key)


def test_what_another_copy_is_learning_is_left_to_it(room, other):
    ahead, _demand, store, _scheduler = room
    assert other.take(plan(0).key)
    ahead.look(lambda: [plan(0), plan(1)], "ann")
    wait_for(lambda: store.get(plan(1).key))
    assert store.get(plan(0).key) is None and not ahead.claims.holds(plan(0).key)
    wait_for(lambda: not ahead.claims.holds(plan(1).key))
    assert other.take(plan(1).key)


def test_other_copies_leave_what_is_under_way_to_this_one_unless_it_pauses(room, other):
    ahead, _demand, _store, scheduler = room
    ahead.claims._beat = 0.05
    ahead.look(lambda: [plan(steps=3000)], "ann")
    run = wait_for(lambda: ahead._run)
    assert not other.take(plan().key) or run.status is not Status.RUNNING
    busy = scheduler.add(TrainingRun(another(steps=10_000), "ben"))
    wait_for(lambda: run.status is Status.PAUSED)
    wait_for(lambda: other.take(plan().key))
    busy.stop()
    wait_for(lambda: ahead._run is None)
    assert run.over and not ahead.claims.holds(plan().key), "the other copy goes on with it"


def test_whoever_takes_over_what_is_under_way_has_its_claim(room, other):
    ahead, demand, store, _scheduler = room
    ahead.look(lambda: [plan(steps=3000)], "ann")
    wait_for(lambda: ahead._run)
    demand.want(plan(steps=3000), "ben")
    wait_for(lambda: demand.run(plan().key))
    assert ahead.claims.holds(plan().key) and not other.take(plan().key)
    wait_for(lambda: store.get(plan().key))
    wait_for(lambda: other.take(plan().key))


def test_one_that_is_wanted_while_it_is_about_to_begin_begins_once(room, other, monkeypatch):
    ahead, demand, store, scheduler = room
    take, asked, goes_on = ahead.claims.take, threading.Event(), threading.Event()

    def slow(key: str) -> bool:
        if threading.current_thread().name == "learning-ahead":
            asked.set()
            goes_on.wait()
        return take(key)

    monkeypatch.setattr(ahead.claims, "take", slow)
    ahead.look(lambda: [plan(steps=3000)], "ann")
    asked.wait()
    demand.want(plan(steps=3000), "ben")  # a page does not wait for files
    run = wait_for(lambda: demand.run(plan().key))
    goes_on.set()
    wait_for(lambda: store.get(plan().key))
    assert scheduler.runs() in ([], [run]) and demand.computed == 1
    wait_for(lambda: other.take(plan().key))


def test_neighbours_are_one_stop_away():
    settings = ModelSettings(task="copy", d_model=64, n_heads=4, n_layers=1, d_ff=64)
    found = [(each.d_model, each.n_layers, each.n_heads, each.norm == settings.norm) for each in neighbours(settings)]
    assert {(64, 2, 4, True), (64, 1, 4, False), (64, 1, 8, True), (64, 1, 2, True)} <= set(found)
    assert len(found) == 6 and all(each.task == "copy" and each.seed == settings.seed for each in neighbours(settings))
