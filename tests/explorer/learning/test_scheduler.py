"""Pins the scheduler: every run its turn, nobody disturbed by another's failure, owners and watchers, and a clean end."""

import gc
import itertools
import random
import sys
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import pairwise

import pytest
from streamlit import runtime

from explorer import limits, resources
from explorer.learning.placement import Placement
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.workers import CALLING_THREAD, Place, ThreadWorker
from explorer.runtime import share_resources
from tests.explorer.learning.helpers import DIVERGES, HANGS, finish, over, plan, same, wait_until
from transformer_core import StepReport, Trainer
from transformer_core.errors import InputError
from transformer_core.training import learning


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("training-")]


@pytest.fixture
def scheduler(monkeypatch) -> Iterator[Scheduler]:
    monkeypatch.setattr(limits, "WORKERS", 2)
    monkeypatch.setattr(limits, "RUNS_PER_BROWSER", 9)
    made = Scheduler()
    yield made
    made.stop()
    assert not workers()


@pytest.fixture
def only_what_is_new() -> Iterator[None]:
    """Garbage is looked for among what a test has made: all that was here before would have to be looked through each time."""
    gc.freeze()
    yield
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # as it was


@pytest.mark.usefixtures("only_what_is_new")
def test_a_run_that_is_forgotten_is_held_by_nobody(scheduler, monkeypatch):
    """Its weights, states and pictures are given back at once, not when another run comes: no worker keeps its last one."""
    monkeypatch.setattr(limits, "TICK", 0.01)
    runs = [scheduler.add_run(TrainingRun(plan(seed=seed, steps=limits.MAX_STEPS), "me")) for seed in range(3)]
    for run in runs:
        run.play()
        scheduler.wake_run(run)
    wait_until(lambda: all(run.history().step > 2 for run in runs), "their first steps")
    gone = [weakref.ref(run) for run in runs]
    for run in runs:
        scheduler.remove_run(run)
    del run
    runs.clear()
    wait_until(lambda: gc.collect() >= 0 and all(each() is None for each in gone), "nobody to hold a run")


def test_runs_that_share_the_workers_have_the_numbers_they_have_alone(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "SLICE", 0.0)  # the most turns
    plans = [plan(seed=seed) for seed in (0, 1, 0, 2, 0)]
    runs = [scheduler.add_run(TrainingRun(each, "me")) for each in plans]
    over(*runs)
    for run in runs:
        assert same(run.history(), finish(TrainingRun(run.plan, "me")))
    assert same(runs[0].history(), runs[4].history()) and not same(runs[0].history(), runs[1].history())


def test_a_failing_run_harms_no_other(scheduler, monkeypatch):
    class Faulty(Trainer):
        def take(self):
            if self.recipe.seed == 13 and self.steps_taken == 1:
                raise RuntimeError("a fault of its own")
            return super().take()

    monkeypatch.setattr(learning, "Trainer", Faulty)
    good = [scheduler.add_run(TrainingRun(plan(), "me"))]
    diverging, broken = scheduler.add_run(TrainingRun(DIVERGES, "me")), scheduler.add_run(TrainingRun(plan(seed=13), "me"))
    good.append(scheduler.add_run(TrainingRun(plan(), "me")))
    over(*good, diverging, broken)
    good.append(scheduler.add_run(TrainingRun(plan(), "me")))  # and the workers are still there
    over(*good)
    assert diverging.status is broken.status is Status.FAILED
    assert "step" in str(diverging.history().message)
    assert str(broken.history().message).endswith("a fault of its own")
    alone = finish(TrainingRun(plan(), "me"))
    assert all(run.status is Status.DONE and same(run.history(), alone) for run in good)


def counting(monkeypatch, gate: threading.Event) -> list[int]:
    """Instead of training, steps that only write down their run's seed, once the gate is open."""
    taken: list[int] = []

    class Counting(Trainer):
        def take(self):
            assert gate.wait(HANGS)
            taken.append(self.recipe.seed)
            self.steps_taken += 1
            return StepReport(self.steps_taken, 1.0, 0.1, 1.0, 1, 1.0, None)

    monkeypatch.setattr(learning, "Trainer", Counting)
    return taken


def test_runs_take_turns(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "WORKERS", 1)
    monkeypatch.setattr(limits, "SLICE", 0.0)
    gate = threading.Event()
    taken = counting(monkeypatch, gate)
    runs = [scheduler.add_run(TrainingRun(plan(seed=seed, steps=6), "me")) for seed in range(3)]
    gate.set()
    over(*runs)
    assert taken == [0, 1, 2] * 6


def test_a_run_that_is_due_just_now_is_not_waited_for(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "WORKERS", 1)
    waits = itertools.cycle([1e-6, 0.0])  # it is a moment early, and due when it is asked again
    monkeypatch.setattr(TrainingRun, "wait", lambda self: next(waits))
    over(scheduler.add_run(TrainingRun(plan(), "me")))


def test_a_run_moves_from_a_place_with_two_runs_more_and_from_no_other():
    """It is copied to move: with one run more, the same run would go to and fro."""
    runs = [TrainingRun(plan(seed=seed), "me") for seed in range(3)]
    busy, free = Place(ThreadWorker), Place(ThreadWorker)
    placement = Placement(runs)
    placement.places = [busy]
    placement.find(runs[0])
    placement.find(runs[1])
    placement.places = [busy, free]
    placement.find(runs[2])
    assert [placement.of(run) for run in runs] == [busy, busy, free]
    assert placement.relieve(free, runs) is None, "two runs, and one"
    runs.pop()
    assert placement.relieve(free, runs) is runs[0] and placement.of(runs[0]) is free, "two runs, and none"


def test_a_run_of_long_steps_lets_the_others_have_as_much_time():
    """By what the turns are said to have taken: the clocks of a busy machine are no part of this."""
    rng = random.Random(3)
    runs = [TrainingRun(plan(seed=seed), "me") for seed in range(3)]
    long, *others = runs
    placement, ready, turns = Placement(runs), deque(runs), []
    placement.places.append(CALLING_THREAD)
    for run in runs:
        placement.find(run)
    while turns.count((long, 4.0)) < 4:
        run = placement.next(CALLING_THREAD, ready)
        assert run is not None
        ready.remove(run)  # as the scheduler does: to the end of the row
        ready.append(run)
        seconds = 4.0 if run is long else rng.uniform(0.1, 0.3)
        placement.settle(run, CALLING_THREAD, seconds)
        turns.append((run, seconds))
    places = [i for i, (run, _) in enumerate(turns) if run is long]
    for one, next_one in pairwise(places):
        between = turns[one + 1 : next_one]
        given = [sum(seconds for run, seconds in between if run is other) for other in others]
        assert 8.0 <= sum(given) < 8.0 + 2 * 0.3, "as much each, and then it is its turn"
        assert all(abs(each - 4.0) < 1.0 for each in given), "they take turns"


def test_stop_is_at_once_even_while_a_step_is_under_way(scheduler, monkeypatch):
    gate = threading.Event()
    taken = counting(monkeypatch, gate)
    run = scheduler.add_run(TrainingRun(plan(), "me"))
    run.stop()
    assert run.status is Status.STOPPED  # the gate is still shut
    gate.set()
    other = scheduler.add_run(TrainingRun(plan(seed=1), "me"))
    over(other)
    assert taken.count(0) <= 1


def test_however_often_a_run_is_woken_one_worker_has_it(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "WORKERS", 4)
    monkeypatch.setattr(limits, "SLICE", 0.0)
    advance, inside = TrainingRun.advance, []

    def watched(run, seconds, place):
        inside.append(run.id)
        assert inside.count(run.id) == 1
        advance(run, seconds, place)
        inside.remove(run.id)

    monkeypatch.setattr(TrainingRun, "advance", watched)
    run = scheduler.add_run(TrainingRun(plan(steps=40), "me"))
    with ThreadPoolExecutor(3) as wakers:
        list(wakers.map(lambda _: [scheduler.wake_run(run) for _time in range(300)], range(3)))
    over(run)
    assert run.status is Status.DONE


def test_the_server_takes_so_many_runs_and_no_more(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS", 2)
    held = [TrainingRun(plan(), "me") for _ in range(3)]
    for run in held:
        run.pause()
    first = scheduler.add_run(held[0])
    scheduler.add_run(held[1])
    with pytest.raises(InputError, match="Unfinished runs on this server: 2"):
        scheduler.add_run(held[2])
    assert scheduler.view_run(held[2].id, "me") is None
    first.stop()  # one that is over does not count
    assert scheduler.add_run(held[2]) is held[2]


def test_a_full_server_lets_an_owner_start_anew(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS", 2)
    old, other = paused(scheduler, "me"), paused(scheduler, "somebody")
    new = scheduler.add_run(TrainingRun(plan(), "me"), instead_of=old)
    assert old.status is Status.STOPPED and scheduler.view_run(old.id, "me") is None
    assert other.status is Status.PAUSED
    with pytest.raises(InputError, match="Unfinished runs on this server: 2"):
        scheduler.add_run(TrainingRun(plan(), "a third"))
    over(new)


def test_one_browser_has_so_many_runs_and_others_still_may(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "RUNS_PER_BROWSER", 2)
    first = paused(scheduler, "me")
    paused(scheduler, "me")
    refused = TrainingRun(plan(), "me")
    with pytest.raises(InputError, match="Unfinished runs of this browser: 2"):
        scheduler.add_run(refused, instead_of=paused(scheduler, "somebody"))
    assert scheduler.view_run(refused.id, "me") is None
    assert first.status is Status.PAUSED
    over(scheduler.add_run(TrainingRun(plan(), "me"), instead_of=first))


def test_a_run_that_is_over_goes_back_only_where_there_is_room_for_it(scheduler, monkeypatch):
    monkeypatch.setattr(limits, "RUNS_PER_BROWSER", 1)
    run = scheduler.add_run(TrainingRun(plan(), "me"))
    over(run)
    whole = run.history()
    other = paused(scheduler, "me")
    with pytest.raises(InputError, match="Unfinished runs of this browser: 1"):
        scheduler.rewind_run(run, 4)
    assert run.status is Status.DONE and same(run.history(), whole)
    scheduler.rewind_run(other, 0)  # one that is under way already needs no room
    other.stop()
    scheduler.rewind_run(run, 6, pause=True)
    wait_until(lambda: run.status is Status.PAUSED, "the sixth step")
    assert run.history().step == 6
    scheduler.rewind_run(run, 4)
    over(run)
    assert same(run.history(), whole)


@pytest.fixture
def busy(scheduler, monkeypatch) -> Iterator[threading.Event]:
    """Steps take no time, but none is taken before the gate is open; one run is active at a time."""
    monkeypatch.setattr(limits, "WORKERS", 1)
    monkeypatch.setattr(limits, "MAX_ACTIVE", 1)
    gate = threading.Event()
    counting(monkeypatch, gate)
    yield gate
    gate.set()


def test_more_runs_than_the_machine_carries_wait_in_line_and_start_by_themselves(scheduler, monkeypatch, busy):
    taken = counting(monkeypatch, busy)
    runs = [scheduler.add_run(TrainingRun(plan(seed=seed, steps=3), "me" + str(seed))) for seed in range(4)]
    assert [scheduler.queue_position(run) for run in runs] == [None, 1, 2, 3]
    runs[1].stop()
    assert [scheduler.queue_position(run) for run in runs] == [None, None, 1, 2]
    busy.set()
    over(*runs)
    assert taken == [0] * 3 + [2] * 3 + [3] * 3  # first come, first served
    assert [scheduler.queue_position(run) for run in runs] == [None] * 4


def test_runs_of_people_begin_before_those_that_nobody_waits_for(scheduler, monkeypatch, busy):
    taken = counting(monkeypatch, busy)
    spare = [scheduler.add_run(TrainingRun(plan(seed=seed, steps=3), "a room", spare=True)) for seed in range(3)]
    assert [scheduler.queue_position(run) for run in spare] == [None, 1, 2]
    people = [scheduler.add_run(TrainingRun(plan(seed=seed, steps=3), f"me {seed}")) for seed in (10, 11)]
    assert [scheduler.queue_position(run) for run in (*people, *spare)] == [None, 1, None, 2, 3]
    busy.set()
    over(*people, *spare)
    assert [*dict.fromkeys(seed for seed in taken if seed)] == [10, 11, 1, 2]


def test_a_run_that_is_paused_gives_its_place_away_and_comes_back_at_the_end(scheduler, busy):
    first, second, third = (scheduler.add_run(TrainingRun(plan(seed=seed, steps=2), f"me {seed}")) for seed in range(3))
    second.pause()
    assert scheduler.queue_position(third) == 1
    busy.set()
    over(first, third)
    assert (second.status, second.history().step) == (Status.PAUSED, 0)
    second.play()
    scheduler.wake_run(second)
    over(second)
    assert second.status is Status.DONE


def test_runs_wait_for_memory_and_those_that_are_over_make_room(scheduler, monkeypatch):
    size = plan(steps=1000).bytes
    monkeypatch.setattr(limits, "TRAINING_BYTES", 2 * size)
    done = scheduler.add_run(TrainingRun(plan(), "first"))
    over(done)
    held = scheduler.add_run(TrainingRun(plan(steps=1000), "second"))
    wait_until(lambda: held.has_memory, "its model")
    assert scheduler.view_run(done.id, "first") is done  # there is room for two
    held.pause()
    third = scheduler.add_run(TrainingRun(plan(), "third"))
    assert scheduler.view_run(done.id, "first") is None
    over(third)
    other = scheduler.add_run(TrainingRun(plan(), "fourth"))
    over(other)
    assert scheduler.view_run(third.id, "third") is None
    assert held.status is Status.PAUSED


def test_a_run_without_room_for_its_memory_waits(scheduler, monkeypatch, busy):
    monkeypatch.setattr(limits, "MAX_ACTIVE", 10)
    monkeypatch.setattr(limits, "TRAINING_BYTES", int(1.5 * plan().bytes))
    first, second = (scheduler.add_run(TrainingRun(plan(), who)) for who in ("me", "you"))
    assert (scheduler.queue_position(first), scheduler.queue_position(second)) == (None, 1)
    busy.set()
    over(first, second)


def test_a_run_added_while_the_server_stops_is_refused_and_starts_nothing(scheduler):
    """However the two meet: either the run is stopped with the others, or it is refused."""
    for _ in range(20):
        made, added = Scheduler(), []

        def add(made=made, added=added):
            try:
                while True:
                    added.append(made.add_run(TrainingRun(plan(steps=5000), str(len(added)))))
            except InputError as error:
                assert "shutting down" in str(error)

        adder = threading.Thread(target=add)
        adder.start()
        made.stop()
        adder.join()
        assert not workers()
        assert all(run.status is Status.STOPPED for run in added)


def test_runs_and_models_survive_a_reload_of_the_code(monkeypatch):
    share_resources()
    before, kept = resources.training_scheduler(), resources.model_store()
    run = paused(before, "me")
    for name in [name for name in sys.modules if name == "explorer" or name.startswith("explorer.")]:
        monkeypatch.delitem(sys.modules, name)  # what Streamlit does when a file has changed
    again, later = import_module("explorer.resources"), import_module("explorer.learning.run_history")
    import_module("explorer.runtime").share_resources()
    assert later.Status is not Status
    assert again.training_scheduler() is before and again.model_store() is kept
    found = again.training_scheduler().view_run(run.id, "a tab")
    assert found.status == later.Status.PAUSED and later.STATUS_WORDS[found.status] == "paused"
    new = import_module("explorer.learning.run").TrainingRun(plan(), "me")
    over(again.training_scheduler().add_run(new, instead_of=found))
    before.stop()
    del again._made["training_scheduler"]


def test_a_removed_run_is_stopped_and_forgotten(scheduler):
    run = scheduler.add_run(TrainingRun(plan(steps=5000), "me"))
    scheduler.remove_run(run)
    assert run.status is Status.STOPPED
    assert scheduler.view_run(run.id, "me") is None
    scheduler.remove_run(run)  # twice is no error
    run.rewind(0)
    scheduler.wake_run(run)
    wait_until(lambda: not scheduler._active, "the last step")
    assert run.wants_work() and scheduler.queue_position(run) is None


def test_stop_ends_all_runs_and_all_threads(scheduler):
    runs = [scheduler.add_run(TrainingRun(plan(steps=5000), "me")) for _ in range(5)]
    assert len(workers()) == 3  # two that step, one that watches
    scheduler.stop()
    assert not workers()
    assert all(run.status is Status.STOPPED for run in runs)
    assert all(scheduler.view_run(run.id, "me") is None for run in runs)
    steps = [run.history().step for run in runs]
    scheduler.stop()  # twice is no error
    assert [run.history().step for run in runs] == steps


def test_no_thread_runs_before_the_first_run(scheduler):
    assert not workers()


@pytest.mark.parametrize("count", [1, 2])
def test_it_has_as_many_workers_as_it_may(scheduler, monkeypatch, count):
    monkeypatch.setattr(limits, "WORKERS", count)
    over(*(scheduler.add_run(TrainingRun(plan(), "me")) for _ in range(3)))
    assert len(workers()) == count + 1


class Tabs:
    """Stands in for the server's list of connected browser tabs."""

    def __init__(self, *connected: str):
        self.connected = set(connected)
        self.asked = 0

    def __call__(self, session: str) -> bool:
        self.asked += 1
        return session in self.connected


@pytest.fixture
def tabs(scheduler, monkeypatch) -> Tabs:
    stand_in = Tabs("here", "there")
    monkeypatch.setattr(scheduler, "_is_open", stand_in)
    monkeypatch.setattr(limits, "TICK", 0.005)
    monkeypatch.setattr(limits, "GRACE", 0.0)
    return stand_in


def paused(scheduler: Scheduler, owner: str, *viewers: str) -> TrainingRun:
    run = TrainingRun(plan(), owner)
    run.viewers.update(viewers)
    run.pause()
    return scheduler.add_run(run)


def test_a_run_that_nobody_looks_at_is_forgotten_and_others_stay(scheduler, tabs):
    left, kept = paused(scheduler, "me", "gone"), paused(scheduler, "me", "here")
    wait_until(lambda: left.over, "the run being forgotten")
    wait_until(lambda: scheduler.view_run(left.id, "here") is None, "the run being forgotten")
    later = scheduler.add_run(TrainingRun(plan(steps=5000), "me"))  # one that is under way
    wait_until(lambda: later.over, "the next look")
    assert later.status is Status.STOPPED
    assert left.status is Status.STOPPED
    assert kept.status is Status.PAUSED and scheduler.view_run(kept.id, "here") is kept


def test_who_starts_a_run_keeps_it_before_its_page_asks_for_it(scheduler, tabs):
    run = TrainingRun(plan(), "me")
    run.pause()
    scheduler.add_run(run, viewer="here")
    after = tabs.asked + 6
    wait_until(lambda: tabs.asked > after, "some looks")
    assert run.status is Status.PAUSED


def test_a_finished_run_is_forgotten_too(scheduler, tabs):
    run = TrainingRun(plan(), "me")
    finish(run)
    scheduler.add_run(run)
    wait_until(lambda: not scheduler._runs, "the run being forgotten")
    assert run.status is Status.DONE


def test_a_watching_tab_keeps_a_run_alive(scheduler, tabs):
    run = paused(scheduler, "me", "here")
    assert scheduler.view_run(run.id, "there") is run
    tabs.connected.remove("here")
    after = tabs.asked + 6
    wait_until(lambda: tabs.asked > after, "some more looks")
    assert run.status is Status.PAUSED
    tabs.connected.remove("there")
    wait_until(lambda: run.over, "the run being forgotten")


def test_a_run_outlives_its_last_tab_for_a_while(scheduler, tabs, monkeypatch):
    monkeypatch.setattr(limits, "GRACE", 1000.0)
    run = paused(scheduler, "me", "gone")
    after = tabs.asked + 6
    wait_until(lambda: tabs.asked > after, "some looks")
    assert run.status is Status.PAUSED


def resting(scheduler: Scheduler, count: int, owner: str = "me") -> list[TrainingRun]:
    """Runs that last, and that have been left, one after another."""
    runs = [scheduler.add_run(TrainingRun(plan(steps=5000), owner, lasts=True)) for _ in range(count)]
    for run in runs:
        wait_until(lambda run=run: run.resting, "the run being left")
    for i, run in enumerate(runs):
        run.last_seen += i
    return runs


def test_a_run_that_lasts_rests_when_it_is_left_and_goes_on_by_the_same_numbers(scheduler, tabs):
    (run,) = resting(scheduler, 1)
    wait_until(lambda: run not in scheduler._active, "its last slice")
    before = run.history()
    assert run.status is Status.RUNNING and not run.wants_work() and scheduler.crowd == 0
    scheduler.rest()  # the processes that trained it end
    assert scheduler.view_run(run.id, "here") is run
    wait_until(lambda: run.history().step > before.step + 3, "it goes on")
    run.pause()
    wait_until(lambda: run not in scheduler._active, "its last slice")
    history = run.history()
    alone = TrainingRun(run.plan, "nobody")
    for _ in range(history.step):
        alone.advance(0)
    assert (alone.history().loss == history.loss).all() and history.note is None


def test_those_that_rest_take_no_ones_place(scheduler, tabs, monkeypatch):
    monkeypatch.setattr(limits, "RUNS_PER_BROWSER", 2)
    first, second = resting(scheduler, 2)
    third = scheduler.add_run(TrainingRun(plan(), "me"), viewer="here")
    assert [run for run in (first, second, third) if run.forgotten] == [first] and not first.over
    monkeypatch.setattr(limits, "MAX_RUNS", 2)
    fourth = scheduler.add_run(TrainingRun(plan(steps=5000), "somebody else"), viewer="here")
    assert second.forgotten and not third.forgotten
    monkeypatch.setattr(limits, "MAX_RUNS", 1)
    with pytest.raises(InputError, match="which is the limit"):
        scheduler.add_run(TrainingRun(plan(), "a third one"), viewer="here")
    assert not fourth.forgotten


def test_those_that_rest_give_back_memory_for_training(scheduler, tabs, monkeypatch):
    (run,) = resting(scheduler, 1)
    wait_until(lambda: run not in scheduler._active, "its last slice")
    monkeypatch.setattr(limits, "TRAINING_BYTES", run.plan.bytes)
    other = scheduler.add_run(TrainingRun(plan(steps=5000), "somebody else"), viewer="here")
    assert run.forgotten and run.goes_further and other in scheduler._active


def test_so_many_rest_and_for_so_long(scheduler, tabs, monkeypatch):
    first, second, third = resting(scheduler, 3)
    monkeypatch.setattr(limits, "RESTING_RUNS", 2)
    wait_until(lambda: first.forgotten, "the one that was left first")
    assert not (second.forgotten or third.forgotten)
    second.last_seen -= 2 * limits.REST
    wait_until(lambda: second.forgotten, "the one left long ago")
    assert not third.forgotten


def test_a_tab_that_comes_back_at_the_last_moment_keeps_its_run(monkeypatch):
    """It asks for the run just when that is about to be forgotten."""
    monkeypatch.setattr(Scheduler, "_start", lambda scheduler: None)
    scheduler = Scheduler(is_open=lambda viewer: False)
    run = paused(scheduler, "me", "gone")
    run.last_seen -= 2 * limits.GRACE

    class Lock:
        """The scheduler's, which the tab gets first where the scheduler wants it to forget the run."""

        def __init__(self, lock: threading.Lock) -> None:
            self.lock, self.uses = lock, 0

        def __enter__(self) -> None:
            self.uses += 1
            if self.uses == 2:  # first it asks which runs there are
                scheduler._lock = self.lock
                assert scheduler.view_run(run.id, "back") is run
                scheduler._lock = self
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()

    scheduler._lock = lock = Lock(scheduler._lock)
    scheduler._look()
    assert lock.uses >= 2 and run.status is Status.PAUSED and scheduler.view_run(run.id, "back") is run


def test_a_watcher_never_becomes_the_owner(scheduler, tabs, monkeypatch):
    """Not even while the owner's page is loaded anew, and none of its tabs is open."""
    monkeypatch.setattr(limits, "GRACE", 1000.0)
    run = paused(scheduler, "me", "here")
    tabs.connected.remove("here")
    assert scheduler.view_run(run.id, "there").owner == "me"
    assert scheduler.view_run(run.id, "the owner's new tab").owner == "me"
    assert run.viewers == {"here", "there", "the owner's new tab"}


def test_which_tabs_are_open_is_what_the_server_says(monkeypatch):
    class Server:
        def is_active_session(self, session: str) -> bool:
            return session == "here"

    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", Server)
    assert resources.is_open("here")
    assert not resources.is_open("gone")
    monkeypatch.setattr(runtime, "exists", lambda: False)
    assert resources.is_open("gone")  # without a server nobody ever leaves
