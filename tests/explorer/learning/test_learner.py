"""Pins: what is on screen somewhere is learned once for all who wait, given up when nobody does, and kept when it is done."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from explorer import limits
from explorer.learning.learner import Learner
from explorer.learning.plan import TrainingPlan
from explorer.learning.scheduler import Scheduler
from explorer.learning.store import ModelStore
from tests.explorer.learning.helpers import HANGS, NEVER
from transformer_core import PRESETS, CopyTask, Recipe

TASK = CopyTask(vocab=5, length=3)
CFG = replace(PRESETS["tiny"], src_vocab=5, tgt_vocab=5, d_model=8, n_heads=2, d_ff=12)


ENDLESS = 20_000


def plan(seed=0, steps=30):
    """One of so many steps; an endless one has no target that it could reach before."""
    recipe = Recipe(steps=steps, batch_size=4, seed=seed, evaluate_on=10, device="cpu")
    return TrainingPlan(CFG, TASK, recipe, NEVER if steps == ENDLESS else 0.99, beyond=2.0)


@pytest.fixture
def room(tmp_path):
    """(learner, store, scheduler)"""
    scheduler = Scheduler()
    store = ModelStore(tmp_path / "models")
    yield Learner(store, scheduler, patience=0.02), store, scheduler
    scheduler.stop()


def wait_for(condition):
    for _ in range(100 * HANGS):
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def test_what_somebody_looks_at_is_learned_and_kept(room, tmp_path):
    learner, store, _scheduler = room
    learner.want(plan(), "ann")
    found = wait_for(lambda: store.get(plan().key))
    assert found.last == 30 and found.steps == (0, 10, 20, 30) and found.task == "copy"
    wait_for(lambda: [file.name for file in (tmp_path / "models").iterdir()] == [f"{plan().key}.safetensors"])
    assert wait_for(lambda: learner.run(plan().key) is None)
    again = ModelStore(tmp_path / "models").get(plan().key)
    for step in found.steps:
        for one, other in zip(found.model(step).parameters(), again.model(step).parameters(), strict=True):
            assert one.equal(other)


def test_equal_settings_are_learned_once(room):
    learner, store, _scheduler = room
    for i in range(12):
        learner.want(plan(), f"viewer {i}")
    wait_for(lambda: store.get(plan().key))
    assert learner.computed == 1


def test_what_is_turned_past_quickly_is_never_begun(room):
    learner, store, _scheduler = room
    learner = Learner(store, _scheduler, patience=0.3)
    for seed in range(5):
        learner.want(plan(seed), "ann")
    wait_for(lambda: store.get(plan(4).key))
    assert learner.computed == 1


def test_what_nobody_wants_any_more_is_given_up(room):
    learner, store, _scheduler = room
    learner.want(plan(steps=ENDLESS), "ann")
    learner.want(plan(steps=ENDLESS), "ben")
    run = wait_for(lambda: learner.run(plan(steps=ENDLESS).key))
    learner.want(plan(seed=1), "ann")
    assert not run.over  # ben still waits
    learner.unwant("ben")
    assert run.over and learner.run(plan(steps=ENDLESS).key) is None
    wait_for(lambda: store.get(plan(seed=1).key))


def test_nobody_holds_more_than_one(room):
    learner, _store, scheduler = room
    for seed in range(4):
        learner.want(plan(seed, ENDLESS), "ann")
        wait_for(lambda seed=seed: learner.run(plan(seed, ENDLESS).key))
    assert wait_for(lambda: scheduler.crowd == 1)


def test_a_folder_that_cannot_be_written_is_told_once_and_memory_serves(room, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    store = ModelStore(tmp_path / "file")
    learner = Learner(store, room[2], patience=0.01)
    for seed in range(2):
        learner.want(plan(seed), "ann")
        wait_for(lambda seed=seed: store.get(plan(seed).key))
    told = [record for record in caplog.records if "cannot be kept" in record.message]
    assert len(told) == 1


def test_a_damaged_file_is_learned_again(room, tmp_path):
    learner, store, _scheduler = room
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / f"{plan().key}.safetensors").write_bytes(b"\0" * 100)
    assert store.get(plan().key) is None
    learner.want(plan(), "ann")
    assert wait_for(lambda: store.get(plan().key)).last == 30


def test_what_was_done_just_before_it_was_wished_for_is_not_learned_again(room):
    """A window looks into the store, somebody else's run ends, and then the window says what it wants."""
    learner, store, _scheduler = room
    learner.want(plan(), "ann")
    wait_for(lambda: store.get(plan().key))
    wait_for(lambda: learner.watched == 0)
    learner.want(plan(), "ben")
    wait_for(lambda: learner.watched == 0)
    assert learner.computed == 1


def test_what_cannot_go_on_is_told_and_not_begun_again(room, monkeypatch):
    learner, store, _scheduler = room
    monkeypatch.setattr(limits, "MAX_MINUTES", 1e-9)
    learner.want(plan(), "ann")
    told = wait_for(lambda: learner.refused(plan().key))
    assert "the limit for one run here" in str(told)
    learner.want(plan(), "ann")
    assert learner.is_wanted(plan().key) and learner.run(plan().key) is None
    assert store.get(plan().key) is None and learner.computed == 1


def test_where_a_worker_process_ends_those_who_wait_are_told(room):
    learner, _store, _scheduler = room
    learner.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: learner.run(plan(steps=ENDLESS).key))
    assert learner.note(plan(steps=ENDLESS).key) is None
    engine = wait_for(lambda: run._engine)
    engine.worker = SimpleNamespace(ended_message="The worker process ended at {n}, and it goes on from {m}.")
    run.lost(engine.worker, working=True)
    assert "worker process" in str(wait_for(lambda: learner.note(plan(steps=ENDLESS).key)))


def test_what_cannot_be_learned_while_somebody_waits_is_refused_in_words(room):
    learner, _store, _scheduler = room
    large = replace(
        plan(), cfg=replace(CFG, d_model=512, n_heads=8, d_ff=2048, n_layers=6), recipe=replace(plan().recipe, steps=5)
    )
    learner.want(large, "ann")
    refused = wait_for(lambda: learner.refused(large.key))
    assert "{" not in str(refused) and refused.nearest and learner.run(large.key) is None


def test_a_window_that_is_loaded_anew_finds_what_was_under_way(room):
    _learner, store, scheduler = room
    windows = {"ann", "ben"}
    learner = Learner(store, scheduler, windows.__contains__, patience=0.02)
    learner.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: learner.run(plan(steps=ENDLESS).key))
    windows.remove("ann")
    learner.want(plan(seed=1), "ben")  # others go on meanwhile
    assert not run.over
    windows.add("ann again")
    learner.want(plan(steps=ENDLESS), "ann again")
    assert learner.run(plan(steps=ENDLESS).key) is run and not run.over


def test_what_a_closed_window_wanted_is_given_up_after_a_while(room):
    _learner, store, scheduler = room
    windows = {"ann", "ben"}
    learner = Learner(store, scheduler, windows.__contains__, patience=0.02, reload=0.0)
    learner.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: learner.run(plan(steps=ENDLESS).key))
    windows.remove("ann")
    learner.want(plan(seed=1), "ben")
    assert run.given_up and not learner.is_wanted(plan(steps=ENDLESS).key)


@pytest.mark.parametrize("viewer", ["ann", "ben"])
def test_what_ended_when_all_windows_were_closed_begins_again(room, viewer):
    """For another one, and for a window that had only lost its connection."""
    learner, _store, scheduler = room
    learner.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: learner.run(plan(steps=ENDLESS).key))
    scheduler.remove_run(run)
    assert learner.run(plan(steps=ENDLESS).key) is None and not learner.is_wanted(plan(steps=ENDLESS).key)
    learner.want(plan(steps=ENDLESS), viewer)
    assert learner.is_wanted(plan(steps=ENDLESS).key)
    assert wait_for(lambda: learner.run(plan(steps=ENDLESS).key)) is not run


def test_what_is_done_stays_on_screen_until_it_is_in_the_store(room, monkeypatch):
    learner, store, _scheduler = room
    put, seen = store.put, []
    monkeypatch.setattr(store, "put", lambda model: seen.append(learner.live(plan().key)) or put(model))
    learner.want(plan(), "ann")
    assert wait_for(lambda: store.get(plan().key)).last == 30
    assert [model.last for model in seen] == [30]


# Several copies of the app, with a folder that they share


@pytest.fixture
def copies(tmp_path):
    """Two copies: (learner, store) of each."""
    schedulers, made = [Scheduler(), Scheduler()], []
    for scheduler in schedulers:
        store = ModelStore(tmp_path / "shared")
        made.append((Learner(store, scheduler, patience=0.02), store))
    yield made
    for scheduler in schedulers:
        scheduler.stop()


def test_two_copies_that_learn_the_same_at_once_learn_the_same(copies, tmp_path):
    (first, one), (second, two) = copies
    for learner, viewer in ((first, "ann"), (second, "ben")):
        learner.want(plan(), viewer)
    wait_for(lambda: one.get(plan().key) and two.get(plan().key))
    wait_for(lambda: first.watched == second.watched == 0)
    assert wait_for(lambda: [file.name for file in (tmp_path / "shared").iterdir()] == [f"{plan().key}.safetensors"])
    for step in one.get(plan().key).steps:
        for here, there in zip(*(store.get(plan().key).model(step).parameters() for store in (one, two)), strict=True):
            assert here.equal(there)
