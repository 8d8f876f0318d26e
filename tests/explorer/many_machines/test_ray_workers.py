"""Pins training on other machines, with a cluster that is played (`fake_ray`): tests/cluster has a real one."""

import importlib.util
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection

import pytest

from explorer import limits
from explorer.learning.engine import Order
from explorer.learning.engines import Identity
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.workers import Place, WorkerEnded
from explorer.many_machines.ray_workers import Cluster, cluster_address
from tests.explorer.learning.fake_ray import FakeLink, FakeRay, RayTaskError
from tests.explorer.learning.helpers import HANGS, equal, finished, over, plan, wait_until


class Room:
    """A server whose cluster is played."""

    def __init__(self, rays: Iterator[FakeRay | None]) -> None:
        """`rays`: what is found at each try to connect."""
        self._rays = rays
        self.links: list[FakeLink] = []
        self.scheduler = Scheduler()  # what trains here does so in threads
        self.scheduler._cluster = Cluster("there", self.scheduler._came, self.scheduler._ended, self._link)

    def _link(self, address: str, its_end: Connection) -> FakeLink:
        assert address == "there"
        self.links.append(FakeLink(next(self._rays), its_end))
        return self.links[-1]

    def begin(self) -> None:
        self.scheduler._create_places()
        wait_until(lambda: bool(self.links), "a link")

    def look(self, cores: int) -> list[Place]:
        """The places at other machines after another look, so many."""
        self.links[-1].bridge.look()
        wait_until(lambda: len(self.away) == cores, f"{cores} cores")
        return self.away

    @property
    def away(self) -> list[Place]:
        return [place for place in self.scheduler._placement.places if place.is_remote]

    def add(self, pause_at: int | None = None, **recipe) -> TrainingRun:
        """`pause_at`: the step at which it waits for `go_on`, so that it is not over before a test has done what it does."""
        run = self.begin_run(pause_at, **recipe)
        if pause_at is not None:
            wait_until(lambda: run.status is Status.PAUSED, f"step {pause_at}")
        return run

    def begin_run(self, pause_at: int | None, **recipe) -> TrainingRun:
        run = TrainingRun(plan(**recipe), "me")
        run._pause_at = pause_at
        return self.scheduler.add_run(run, viewer="a window")

    def go_on(self, *runs: TrainingRun) -> None:
        for run in runs:
            run.play()
            self.scheduler.wake_run(run)


@pytest.fixture
def room(monkeypatch) -> Iterator[Callable[..., Room]]:
    made: list[Room] = []
    monkeypatch.setattr(limits, "WORKERS", 1)
    monkeypatch.setattr(limits, "CLUSTER_EVERY", 0.01)
    monkeypatch.setattr(limits, "CLUSTER_LOOK", HANGS)  # a test looks when it likes

    def make(*rays: FakeRay | None) -> Room:
        made.append(Room(iter(rays)))
        made[-1].begin()
        return made[-1]

    yield make
    for each in made:
        each.scheduler.stop()
    wait_until(
        lambda: not [thread for thread in threading.enumerate() if thread.name.startswith(("training-", "ray-core"))],
        "the end of all threads",
    )


LONG = {"steps": 120, "evaluate_every": 50}


def test_each_core_of_another_machine_is_a_place_and_a_run_is_the_same_there(room):
    there = room(FakeRay(a=1, b=2, bare=0))
    assert len(set(there.look(3))) == 3 and there.look(3)
    runs = [there.add(seed=seed) for seed in range(3)]
    assert {there.scheduler._placement.of(run) for run in runs} == set(there.away), "pages are computed here"
    over(*runs)
    for run in runs:
        assert run.status is Status.DONE and run.history().note is None and equal(run, finished(run.plan))


def test_machines_come_and_go(room, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    ray = FakeRay()
    there = room(ray)
    there.look(0)
    monkeypatch.setattr(limits, "CLUSTER_WORKERS", 3)
    ray.machines |= {"a": 2, "b": 2}
    there.look(3)
    del ray.machines["a"]
    there.look(1)
    there.look(2)
    assert caplog.text.count("A core of host b trains as well.") == 2
    assert [actor.node for actor in ray.actors if not actor.killed.is_set()] == ["b", "b"]


def test_there_is_room_for_more_runs_with_more_cores(room, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ACTIVE", 1)
    monkeypatch.setattr(limits, "CLUSTER_ACTIVE", 1)
    there = room(FakeRay(a=1))
    runs = [there.add(seed=seed, steps=10**4, evaluate_every=10**4) for seed in range(3)]
    assert [there.scheduler.queue_position(run) for run in runs] == [None, 1, 2]
    there.look(1)
    assert [there.scheduler.queue_position(run) for run in runs] == [None, None, 1]


def test_where_a_machine_goes_its_run_goes_on_here_and_is_the_same(room, caplog):
    ray = FakeRay(a=1, b=1)
    there = room(ray)
    there.look(2)
    run = there.add(pause_at=60, **LONG)
    home = there.scheduler._placement.of(run)
    (node,) = (actor.node for actor in ray.actors if actor._made._engines)
    del ray.machines[node]
    there.go_on(run)
    wait_until(lambda: home not in there.away, "its end")
    over(run)
    assert (run.status, run.history().message) == (Status.DONE, None) and equal(run, finished(run.plan))
    assert run.history().note.values["m"] >= 50
    assert f"A core of host {node} is lost: its node has died" in caplog.text


def test_a_core_that_does_not_answer_is_given_up(room, monkeypatch, caplog):
    monkeypatch.setattr(limits, "CLUSTER_SILENCE", 0.2)
    ray = FakeRay(a=1)
    there = room(ray)
    (place,) = there.look(1)
    run = there.add(pause_at=10, **LONG)
    ray.hanging.add("a")
    there.go_on(run)
    wait_until(lambda: place not in there.away, "patience to end")
    ray.hanging.clear()
    over(run)
    assert equal(run, finished(run.plan))
    assert caplog.text.count("has not answered for 0.2 seconds") == 1
    wait_until(lambda: ray.actors[0].killed.is_set(), "its core to be given back")
    with pytest.raises(WorkerEnded):
        place.worker().engine(run.plan, None).advance(Order())


def test_where_the_cluster_goes_all_goes_on_here_and_it_is_looked_for_again(room, caplog):
    first, second = FakeRay(a=1), FakeRay(b=1)
    there = room(first, None, None, second)
    there.look(1)
    run = there.add(pause_at=10, **LONG)
    there.links[0].kill()
    wait_until(lambda: not there.away, "its end")
    there.go_on(run)
    wait_until(lambda: len(there.links) == 4, "another connection")
    there.look(1)
    over(run)
    assert equal(run, finished(run.plan))
    assert caplog.text.count("the cluster at there is away") == 1, "not at every try"


def test_where_the_head_is_dead_and_machines_say_nothing_all_goes_on_here(room, monkeypatch, caplog):
    ray = FakeRay(a=1, b=1)
    there = room(ray, FakeRay())
    there.look(2)
    # Both are trained at once, so that each has a machine of its own: to leave one that hangs takes a minute.
    runs = [there.begin_run(30, seed=seed, steps=60, evaluate_every=20) for seed in range(2)]
    wait_until(lambda: all(run.status is Status.PAUSED for run in runs), "step 30")
    ray.hanging |= {"a", "b"}
    there.go_on(*runs)
    wait_until(lambda: all(actor.hangs.is_set() for actor in ray.actors), "both to be asked")
    monkeypatch.setattr(limits, "CLUSTER_LOOK", 0.1)
    there.links[0].bridge.look()  # the last that is answered
    wait_until(lambda: not there.away and len(there.links) == 2, "the end of patience, and another try")
    assert there.links[0].killed.is_set()
    over(*runs)
    for run in runs:
        note = run.history().note
        assert "goes on here" in note.template and note.values["n"] >= note.values["m"] >= 20
        assert run.status is Status.DONE and equal(run, finished(run.plan))
    words = [record.message for record in caplog.records if "is away" in record.message]
    assert words == ["the cluster at there is away, all training stays on this machine: it has not answered for 0.1 seconds"]


def test_a_cluster_that_answers_every_look_is_kept_however_long_its_machines_take(room, monkeypatch):
    ray = FakeRay(a=1)
    there = room(ray, FakeRay())
    monkeypatch.setattr(limits, "CLUSTER_LOOK", 10**6)
    (place,) = there.look(1)
    run = there.add(pause_at=10, **LONG)
    ray.hanging.add("a")
    there.go_on(run)
    wait_until(lambda: ray.actors[0].hangs.is_set(), "it to be asked")
    for _ in range(3):
        assert there.look(1) == [place]
    there.links[0].kill()
    over(run)
    assert "goes on here" in run.history().note.template and equal(run, finished(run.plan))


def test_a_cluster_that_was_never_there_is_told_once_with_the_reason(room, caplog):
    there = room(None, None, None, FakeRay())
    wait_until(lambda: len(there.links) == 4, "several tries")
    run = there.add()
    over(run)
    assert run.status is Status.DONE
    words = "the cluster at there is away, all training stays on this machine: nobody is there"
    assert [record.message for record in caplog.records] == [words]


def test_a_machine_with_other_code_is_refused_once(room, caplog):
    ray, here = FakeRay(a=2, b=1, c=1), Identity.of_this_machine()
    ray.says["a", "identity"] = lambda: replace(here, code="f00d")
    ray.says["b", "identity"] = lambda: replace(here, torch="1.0")
    there = room(ray)
    (place,) = there.look(1)
    wait_until(lambda: sum(actor.killed.is_set() for actor in ray.actors) == 3, "the others to be given back")
    there.look(1)
    assert len(ray.actors) == 4 and place.worker().alive
    lines = [record.message for record in caplog.records]
    assert len(lines) == 2
    assert any("host a does not train here, for its code is another one: f00d with torch" in line for line in lines)
    assert any("host b does not train here" in line and "torch 1.0, not" in line for line in lines)


def test_a_machine_without_our_code_is_refused_once(room, caplog):
    def missing():
        raise RayTaskError("the actor failed\nModuleNotFoundError: No module named 'explorer'")

    ray = FakeRay(a=2)
    ray.says["a", "identity"] = missing
    there = room(ray)
    there.look(0)
    wait_until(lambda: sum(actor.killed.is_set() for actor in ray.actors) == 2, "both to be given back")
    there.look(0)
    (record,) = caplog.records
    assert record.message.startswith(
        "host a does not train here, for our code fails there: ModuleNotFoundError: No module named"
    )


def test_another_kind_of_processor_is_told_once(room, caplog):
    ray = FakeRay(a=2)
    ray.says["a", "identity"] = lambda: replace(Identity.of_this_machine(), processor="ABACUS")
    room(ray).look(2)
    (record,) = caplog.records
    assert "host a computes with ABACUS" in record.message and "same to rounding only" in record.message


def test_without_the_variable_there_is_no_cluster_and_without_ray_one_sentence(monkeypatch, caplog):
    found: list[str | None] = []
    for words, ray in ((None, None), (" ", None), ("auto", object()), ("auto", None)):
        cluster_address.cache_clear()
        monkeypatch.delenv("EXPLORER_CLUSTER", raising=False)
        if words is not None:
            monkeypatch.setenv("EXPLORER_CLUSTER", words)
        monkeypatch.setattr(importlib.util, "find_spec", lambda name, ray=ray: ray)
        found += [cluster_address(), cluster_address()]
    cluster_address.cache_clear()
    assert found == [None, None, None, None, "auto", "auto", None, None]
    (record,) = caplog.records
    assert "Ray is not installed (pip install -r requirements-cluster.txt)" in record.message
