"""Pins: what is on screen somewhere is learned once for all who wait, given up when nobody does, and kept when it is done."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from explorer.model_store import claims, on_demand
from explorer.model_store.claims import Claims
from explorer.model_store.on_demand import OnDemand
from explorer.model_store.store import ModelStore
from explorer.training import limits
from explorer.training.plan import TrainingPlan
from explorer.training.scheduler import Scheduler
from tests.explorer.training.helpers import HANGS, NEVER
from transformer_core import PRESETS, CopyTask, Recipe
from transformer_core.training.folder import ModelFolder
from transformer_core.training.remote import Connection, RemoteFiles

TASK = CopyTask(vocab=5, length=3)
CFG = replace(PRESETS["tiny"], src_vocab=5, tgt_vocab=5, d_model=8, n_heads=2, d_ff=12)


ENDLESS = 20_000


def plan(seed=0, steps=30):
    """One of so many steps; an endless one has no target that it could reach before."""
    recipe = Recipe(steps=steps, batch_size=4, seed=seed, evaluate_on=10, device="cpu")
    return TrainingPlan(CFG, TASK, recipe, NEVER if steps == ENDLESS else 0.99, beyond=2.0)


@pytest.fixture
def room(tmp_path):
    """(on demand, store, scheduler)"""
    scheduler = Scheduler()
    store = ModelStore(tmp_path / "models")
    yield OnDemand(store, scheduler, patience=0.02), store, scheduler
    scheduler.stop()


def wait_for(condition):
    for _ in range(100 * HANGS):
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def test_what_somebody_looks_at_is_learned_and_kept(room, tmp_path):
    demand, store, _scheduler = room
    demand.want(plan(), "ann")
    found = wait_for(lambda: store.get(plan().key))
    assert found.last == 30 and found.steps == (0, 10, 20, 30) and found.task == "copy"
    wait_for(lambda: [file.name for file in (tmp_path / "models").iterdir()] == [f"{plan().key}.safetensors"])
    assert wait_for(lambda: demand.run(plan().key) is None)
    again = ModelStore(tmp_path / "models").get(plan().key)
    for step in found.steps:
        for one, other in zip(found.model(step).parameters(), again.model(step).parameters(), strict=True):
            assert one.equal(other)


def test_equal_settings_are_learned_once(room):
    demand, store, _scheduler = room
    for i in range(12):
        demand.want(plan(), f"viewer {i}")
    wait_for(lambda: store.get(plan().key))
    assert demand.computed == 1


def test_what_is_turned_past_quickly_is_never_begun(room):
    demand, store, _scheduler = room
    demand = OnDemand(store, _scheduler, patience=0.3)
    for seed in range(5):
        demand.want(plan(seed), "ann")
    wait_for(lambda: store.get(plan(4).key))
    assert demand.computed == 1


def test_what_nobody_wants_any_more_is_given_up(room):
    demand, store, _scheduler = room
    demand.want(plan(steps=ENDLESS), "ann")
    demand.want(plan(steps=ENDLESS), "ben")
    run = wait_for(lambda: demand.run(plan().key))
    demand.want(plan(seed=1), "ann")
    assert not run.over  # ben still waits
    demand.unwant("ben")
    assert run.over and demand.run(plan().key) is None
    wait_for(lambda: store.get(plan(seed=1).key))


def test_nobody_holds_more_than_one(room):
    demand, _store, scheduler = room
    for seed in range(4):
        demand.want(plan(seed, ENDLESS), "ann")
        wait_for(lambda seed=seed: demand.run(plan(seed).key))
    assert wait_for(lambda: scheduler.crowd == 1)


def test_a_folder_that_cannot_be_written_is_told_once_and_memory_serves(room, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    store = ModelStore(tmp_path / "file")
    demand = OnDemand(store, room[2], patience=0.01)
    for seed in range(2):
        demand.want(plan(seed), "ann")
        wait_for(lambda seed=seed: store.get(plan(seed).key))
    told = [record for record in caplog.records if "cannot be kept" in record.message]
    assert len(told) == 1


def test_a_damaged_file_is_learned_again(room, tmp_path):
    demand, store, _scheduler = room
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / f"{plan().key}.safetensors").write_bytes(b"\0" * 100)
    assert store.get(plan().key) is None
    demand.want(plan(), "ann")
    assert wait_for(lambda: store.get(plan().key)).last == 30


def test_what_was_done_just_before_it_was_wished_for_is_not_learned_again(room):
    """A window looks into the store, somebody else's run ends, and then the window says what it wants."""
    demand, store, _scheduler = room
    demand.want(plan(), "ann")
    wait_for(lambda: store.get(plan().key))
    wait_for(lambda: demand.watched == 0)
    demand.want(plan(), "ben")
    wait_for(lambda: demand.watched == 0)
    assert demand.computed == 1


def test_what_cannot_go_on_is_told_and_not_begun_again(room, monkeypatch):
    demand, store, _scheduler = room
    monkeypatch.setattr(limits, "MAX_MINUTES", 1e-9)
    demand.want(plan(), "ann")
    told = wait_for(lambda: demand.refused(plan().key))
    assert "the limit for one run here" in str(told)
    demand.want(plan(), "ann")
    assert demand.is_wanted(plan().key) and demand.run(plan().key) is None
    assert store.get(plan().key) is None and demand.computed == 1


def test_where_a_worker_process_ends_those_who_wait_are_told(room):
    demand, _store, _scheduler = room
    demand.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: demand.run(plan().key))
    assert demand.note(plan().key) is None
    seat = wait_for(lambda: run._seat)
    seat.worker = SimpleNamespace(loss="The worker process ended at {n}, and it goes on from {m}.")
    run.lost(seat.worker)
    assert "worker process" in str(wait_for(lambda: demand.note(plan().key)))


def test_what_cannot_be_learned_while_somebody_waits_is_refused_in_words(room):
    demand, _store, _scheduler = room
    large = replace(
        plan(), cfg=replace(CFG, d_model=512, n_heads=8, d_ff=2048, n_layers=6), recipe=replace(plan().recipe, steps=5)
    )
    demand.want(large, "ann")
    refused = wait_for(lambda: demand.refused(large.key))
    assert "{" not in str(refused) and refused.nearest and demand.run(large.key) is None


def test_a_window_that_is_loaded_anew_finds_what_was_under_way(room):
    _demand, store, scheduler = room
    windows = {"ann", "ben"}
    demand = OnDemand(store, scheduler, windows.__contains__, patience=0.02)
    demand.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: demand.run(plan().key))
    windows.remove("ann")
    demand.want(plan(seed=1), "ben")  # others go on meanwhile
    assert not run.over
    windows.add("ann again")
    demand.want(plan(steps=ENDLESS), "ann again")
    assert demand.run(plan().key) is run and not run.over


def test_what_a_closed_window_wanted_is_given_up_after_a_while(room):
    _demand, store, scheduler = room
    windows = {"ann", "ben"}
    demand = OnDemand(store, scheduler, windows.__contains__, patience=0.02, reload=0.0)
    demand.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: demand.run(plan().key))
    windows.remove("ann")
    demand.want(plan(seed=1), "ben")
    assert run.given_up and not demand.is_wanted(plan().key)


@pytest.mark.parametrize("viewer", ["ann", "ben"])
def test_what_ended_when_all_windows_were_closed_begins_again(room, viewer):
    """For another one, and for a window that had only lost its connection."""
    demand, _store, scheduler = room
    demand.want(plan(steps=ENDLESS), "ann")
    run = wait_for(lambda: demand.run(plan().key))
    scheduler.remove(run)
    assert demand.run(plan().key) is None and not demand.is_wanted(plan().key)
    demand.want(plan(steps=ENDLESS), viewer)
    assert demand.is_wanted(plan().key)
    assert wait_for(lambda: demand.run(plan().key)) is not run


def test_what_is_done_stays_on_screen_until_it_is_in_the_store(room, monkeypatch):
    demand, store, _scheduler = room
    put, seen = store.put, []
    monkeypatch.setattr(store, "put", lambda model: seen.append(demand.live(plan().key)) or put(model))
    demand.want(plan(), "ann")
    assert wait_for(lambda: store.get(plan().key)).last == 30
    assert [model.last for model in seen] == [30]


# Several copies of the app, with a folder that they share


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """Two copies on machines of their own: (on demand, store) of each."""
    schedulers, made = [Scheduler(), Scheduler()], []
    for name, scheduler in zip(("one", "two"), schedulers, strict=True):
        remote = RemoteFiles(Connection(f"file://{tmp_path}/shared"))
        store = ModelStore(ModelFolder(tmp_path / name, limits.FOLDER_BYTES, remote))
        made.append((OnDemand(store, scheduler, patience=0.02, claims=Claims(remote, 1.0)), store))
    monkeypatch.setattr(claims, "_DEAD", 1000)  # however long this machine stands still, both live
    yield made
    for scheduler in schedulers:
        scheduler.stop()


@pytest.fixture
def looks_often(monkeypatch):
    monkeypatch.setattr(on_demand, "_LOOK", 0.02)


def test_what_one_copy_has_learned_is_there_at_the_other(copies):
    (first, one), (second, two) = copies
    first.want(plan(), "ann")
    wait_for(lambda: one.get(plan().key))
    found = wait_for(lambda: two.get(plan().key))
    assert found.last == 30 and second.computed == 0
    for step in found.steps:
        for here, there in zip(found.model(step).parameters(), one.get(plan().key).model(step).parameters(), strict=True):
            assert here.equal(there)


@pytest.mark.slow
def test_what_two_copies_want_at_once_is_learned_once(copies, looks_often, tmp_path):
    (first, one), (second, two) = copies
    long = plan(steps=200)
    first.want(long, "ann")
    second.want(long, "ben")
    wait_for(lambda: one.get(long.key) and two.get(long.key))
    wait_for(lambda: first.watched == second.watched == 0)
    assert first.computed + second.computed == 1
    assert wait_for(lambda: [file.name for file in (tmp_path / "shared").iterdir()] == [f"{long.key}.safetensors"])


def test_who_waits_for_another_copy_is_told_how_far_it_is(copies, looks_often):
    (first, _one), (second, _two) = copies
    first.want(plan(steps=ENDLESS), "ann")
    wait_for(lambda: first.run(plan().key))
    second.want(plan(steps=ENDLESS), "ben")
    note = wait_for(lambda: (said := second.note(plan().key)) and said.values["n"] > 0 and said)
    assert "Another copy" in str(note) and second.is_wanted(plan().key) and second.run(plan().key) is None
    assert first.note(plan().key) is None


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["given up", "killed"])
def test_where_the_other_copy_does_not_end_it_this_one_begins(copies, looks_often, monkeypatch, ends):
    (first, _one), (second, _two) = copies
    endless = plan(steps=ENDLESS)
    first.want(endless, "ann")
    run = wait_for(lambda: first.run(endless.key))
    second.want(plan(steps=ENDLESS), "ben")
    wait_for(lambda: second.note(endless.key))
    if ends == "given up":
        first.unwant("ann")
    else:
        run.pause()  # what is dead does not learn to the end
        first._claims._held.clear()  # its file stays as it is
        monkeypatch.setattr(claims, "_DEAD", 5)
    assert wait_for(lambda: second.run(endless.key)) and second.note(endless.key) is None and second.computed == 1


def test_what_the_last_window_no_longer_waits_for_is_not_looked_at_any_more(copies, looks_often):
    (first, _one), (second, _two) = copies
    first.want(plan(steps=ENDLESS), "ann")
    wait_for(lambda: first.run(plan().key))
    second.want(plan(steps=ENDLESS), "ben")
    wait_for(lambda: second._looks)
    second.unwant("ben")
    wait_for(lambda: not second._looks)
    first.unwant("ann")
    assert second.computed == 0
