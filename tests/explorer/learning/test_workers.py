"""Pins training in worker processes: the same numbers as here to the last bit, also where a process dies; none is left over."""

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from explorer import limits
from explorer.learning import scheduler as scheduling
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.workers import CALLING_THREAD, Place, WorkerEnded, WorkerProcess
from tests.explorer.learning.helpers import (
    CFG,
    DIVERGES,
    FOREVER,
    HANGS,
    NEVER,
    TASK,
    all_of,
    equal,
    finished,
    over,
    plan,
    three_single_steps,
    wait_until,
)
from tests.transformer_core.helpers import carried_out
from transformer_core import SentenceTask, checkpoint
from transformer_core.training.learned import Learned, to_bytes


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Scheduler]:
    """With two processes, started once for all tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "WORKERS", 2)
        patch.setattr(limits, "RUNS_PER_BROWSER", 9)
        patch.setattr(limits, "GRACE", FOREVER)  # no window shows these runs, however long they take
        made = Scheduler(processes=True)
        made.prepare()
        yield made
        places = made._placement.places
        workers = [place._worker for place in places]
        made.stop()
    assert not any(worker.alive for worker in workers if worker is not None), "they end with the server"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("training-")]
    with pytest.raises(WorkerEnded):
        places[0].worker()


def test_what_trains_comes_last_on_this_machine(monkeypatch):
    """Also after what runs in other sessions: Linux gives each of these an equal share, if it is asked for no other."""
    monkeypatch.setenv("EXPLORER_WORKER_NICE", "7")
    worker = WorkerProcess(lambda worker: None)
    expected = os.getpriority(os.PRIO_PROCESS, 0) + 7
    wait_until(lambda: os.getpriority(os.PRIO_PROCESS, worker.pid) == expected, "its niceness")
    if (group := Path(f"/proc/{worker.pid}/autogroup")).exists():
        wait_until(lambda: group.read_text(encoding="ascii").endswith(" nice 7\n"), "that of its session")
        assert os.getsid(worker.pid) == worker.pid
    worker.end()


@pytest.fixture
def place(scheduler) -> Place:
    """A process that no run of the scheduler is at."""
    return scheduler._placement.places[0]


def test_a_run_is_the_same_in_a_process_as_here(scheduler):
    task = SentenceTask("pronoun-en")
    words = replace(plan(average=0.1), cfg=replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab), task=task)
    first = finished(plan())
    resumed = TrainingPlan(
        CFG, TASK, replace(first.plan.recipe, steps=20), NEVER, resume_from=checkpoint.from_bytes(all_of(first))
    )
    plans = [plan(), plan(seed=1, optimiser="sgd"), words, resumed, plan(target=0.0)]
    runs = [scheduler.add_run(TrainingRun(each, "me")) for each in plans]
    over(*runs)
    for run in runs:
        assert (run.status, run.history().message) == (Status.DONE, None)
        assert equal(run, finished(run.plan))
        step, weights = run.weights()
        parameters = checkpoint.from_bytes(run.checkpoint()).model.parameters()
        assert step == run.history().step and torch.equal(weights, torch.cat([each.flatten() for each in parameters]).half())


def test_moved_after_every_step_it_is_the_same_run(scheduler):
    run = TrainingRun(plan(), "me")
    while not run.over:
        for place in (*scheduler._placement.places, CALLING_THREAD):
            run.advance(0, place)
    assert equal(run, finished(run.plan))


def test_switches_work_as_they_do_here(place):
    whole, run = finished(plan()), TrainingRun(plan(), "me")
    three_single_steps(run, place)
    run.play()
    run.advance(FOREVER, place)
    assert run.status is Status.DONE and equal(run, whole)
    for step in (6, 3, 8):
        run.rewind(step, pause=True)
        run.advance(FOREVER, place)
        assert (run.status, run.history().step, run.weights()[0]) == (Status.PAUSED, step, step)
    run.play()
    run.advance(FOREVER, place)
    assert equal(run, whole)
    run.rewind(5)
    run.stop()
    run.advance(FOREVER, place)
    assert (run.status, run.history().step) == (Status.STOPPED, 4)


def test_what_goes_wrong_in_a_process_is_told_as_it_is_here(place, caplog):
    run, here = TrainingRun(DIVERGES, "me"), finished(DIVERGES)
    run.advance(FOREVER, place)
    assert run.status is Status.FAILED and str(run.history().message) == str(here.history().message)
    assert equal(run, here) and not caplog.text
    state = checkpoint.from_bytes(all_of(finished(plan())))
    wrong = TrainingRun(
        TrainingPlan(CFG, TASK, replace(plan().recipe, steps=20, optimiser="sgd"), NEVER, resume_from=state), "me"
    )
    wrong.advance(FOREVER, place)
    words = "this state of training does not fit sgd"
    assert wrong.status is Status.FAILED and words in str(wrong.history().message)
    assert "Traceback" in caplog.text and words in caplog.text


@pytest.mark.slow
def test_killed_in_the_middle_the_run_says_so_and_is_the_same(scheduler):
    run = scheduler.add_run(TrainingRun(plan(steps=240, evaluate_every=50), "me"))
    wait_until(lambda: run.history().step > 60, "some steps")
    os.kill(scheduler._placement.of(run).worker().pid, signal.SIGKILL)
    wait_until(lambda: run.history().note is not None, "a word about it")
    note = run.history().note.values
    assert note["n"] >= note["m"] >= 50
    over(run)
    assert run.status is Status.DONE and equal(run, finished(run.plan))


@pytest.mark.slow
def test_killed_before_it_has_handed_over_any_state_the_run_begins_again_and_is_the_same(monkeypatch):
    monkeypatch.setenv("EXPLORER_SAVE_EVERY", "1e9")
    place, run = Place(WorkerProcess), TrainingRun(plan(steps=40, evaluate_every=20), "me")
    try:
        for _ in range(3):
            run.advance(0, place)
        at = run.history().step
        assert at >= 3 and run.saved is None
        os.kill(place.worker().pid, signal.SIGKILL)
        run.advance(FOREVER, place)
    finally:
        place.close()
    note = run.history().note.values
    assert (note["n"], note["m"]) == (at, 0) and run.status is Status.DONE
    assert equal(run, finished(run.plan))


@pytest.mark.slow
def test_no_longer_spoken_to_a_process_ends_by_itself_and_another_takes_its_place(scheduler):
    """The end of its pipe is all that it notices of a server that is killed."""
    run = scheduler.add_run(TrainingRun(plan(steps=120, evaluate_every=50), "me"))
    wait_until(lambda: run.history().step > 0, "a step")
    run.pause()
    wait_until(lambda: run not in scheduler._active, "a pause")
    place = scheduler._placement.of(run)
    before = place.worker()
    before._messages.close()
    wait_until(lambda: not before.alive, "its end")
    assert before._process.returncode == 0
    run.play()
    scheduler.wake_run(run)
    over(run)
    assert run.history().note is None, "all that it had done was with the server"
    assert place.worker() is not before
    assert equal(run, finished(run.plan))


class Deadly:
    """A worker that dies of whatever it is asked."""

    ended_message, alive = "lost at {n} and {m}", True

    def __init__(self, ended):
        self.worker = self

    def engine(self, plan, state):
        return self

    def advance(self, order):
        raise WorkerEnded(self)


def test_where_processes_die_again_and_again_the_run_is_given_up():
    run = TrainingRun(plan(), "me")
    run.advance(0)
    run.pause()
    run.advance(0)
    run.play()
    run._engine = None
    for _ in range(limits.WORKER_DEATHS - 1):
        run.advance(0, Place(Deadly))
        assert run.status is Status.RUNNING and run.history().step == 1
    run.advance(0, CALLING_THREAD)
    run.pause()
    run.advance(0)  # what was reached is kept: those two are forgotten
    run.play()
    run._engine = None
    run.advance(FOREVER, Place(Deadly))
    history = run.history()
    assert (history.status, history.step) == (Status.FAILED, 2)
    assert f"ended {limits.WORKER_DEATHS} times in a row" in str(history.message)


def test_processes_begin_a_little_after_they_are_first_asked_for_and_not_if_all_have_left_by_then(monkeypatch):
    begun = []
    monkeypatch.setattr(Scheduler, "_create_places", lambda scheduler: begun.append(scheduler))
    monkeypatch.setattr(scheduling, "_PAGE", HANGS)
    scheduler = Scheduler(processes=True)
    scheduler.prepare()
    timer = scheduler._standby
    scheduler.prepare()
    assert scheduler._standby is timer
    scheduler.rest()
    timer.join()
    assert not begun
    monkeypatch.setattr(scheduling, "_PAGE", 0.0)
    scheduler.prepare()
    scheduler._standby.join()
    assert begun == [scheduler]


@pytest.mark.slow
def test_where_there_is_no_run_processes_end_and_begin_again_when_they_are_needed(monkeypatch):
    monkeypatch.setattr(limits, "WORKERS", 1)
    monkeypatch.setattr(limits, "GRACE", FOREVER)
    monkeypatch.setattr(scheduling, "_PAGE", 0.0)
    scheduler = Scheduler(processes=True)
    scheduler.prepare()
    wait_until(lambda: bool(scheduler._placement.places), "places")
    (place,) = scheduler._placement.places
    wait_until(lambda: place.started, "a process")
    first = place.worker()
    run = scheduler.add_run(TrainingRun(plan(steps=4), "me"))
    over(run)
    scheduler.rest()
    assert place.worker() is first and first.alive, "somebody may still look at this run"
    scheduler.remove_run(run)
    scheduler.rest()
    assert not first.alive and not place.started
    scheduler.prepare()
    wait_until(lambda: place.started, "a process")
    assert place.worker() is not first
    scheduler.rest()
    again = scheduler.add_run(TrainingRun(plan(steps=4), "me"))
    over(again)
    assert equal(again, run) and again.note is None
    last = place.worker()
    scheduler.stop()
    assert not last.alive


def test_runs_are_spread_over_the_places_and_move_to_one_with_less_to_do(monkeypatch):
    monkeypatch.setattr(Scheduler, "_start", lambda scheduler: None)  # nobody takes them on
    scheduler, (left, right) = Scheduler(), (Place(Deadly), Place(Deadly))
    placement, ready = scheduler._placement, scheduler._ready
    placement.places = [left, right]
    runs = [scheduler.add_run(TrainingRun(plan(seed=seed), str(seed))) for seed in range(4)]
    assert [placement.of(run) for run in runs] == [left, right, left, right]
    assert placement.relieve(left, ready) is placement.relieve(right, ready) is None
    for run in (runs[0], runs[2]):
        scheduler._active.discard(run)
        scheduler._ready.remove(run)
    assert placement.relieve(left, ready) is runs[1] and placement.of(runs[1]) is left
    assert placement.relieve(left, ready) is None


class Lesson:
    """What a plan of the app's own teaches: it is told to whoever asked for it."""

    def __init__(self, **recipe):
        shown = plan(target=0.0, **recipe)
        self.plan = TrainingPlan(shown.cfg, shown.task, shown.recipe, 0.0, beyond=2.0, gives_up=True)
        self.run = TrainingRun(self.plan, "nobody")
        self.told: list[Status] = []
        self.run.when_over = lambda run: self.told.append(run.status)


def as_bytes(learned: Learned) -> bytes:
    return to_bytes(replace(learned, seconds=0.0))


@pytest.mark.parametrize("here", [True, False])
def test_what_a_run_has_learned_is_what_its_plan_teaches(place, here):
    lesson = Lesson(steps=40, evaluate_every=8)
    run = lesson.run
    assert run.learned() is None
    while not run.over:
        run.advance(0, CALLING_THREAD if here else place)
        assert (run.learned() is None) == (run.history().step < 10), "the first step that is kept"
    alone = carried_out(lesson.plan)
    assert run.outcome == alone.outcome == "learned" and lesson.told == [Status.DONE]
    assert run.history().step == alone.steps_taken == 16
    assert as_bytes(run.learned()) == as_bytes(alone.learned())
    run.rewind(9, pause=True)
    run.advance(FOREVER, CALLING_THREAD if here else place)
    assert run.outcome is None and run.learned().last == 9
    run.play()
    run.advance(FOREVER, CALLING_THREAD if here else place)
    assert as_bytes(run.learned()) == as_bytes(alone.learned()) and len(lesson.told) == 2


def test_who_asked_for_a_run_is_told_of_every_end_but_that_which_a_person_made():
    diverging, stopped = Lesson(rate=1e30), Lesson()
    diverging.run.advance(FOREVER)
    assert diverging.told == [Status.FAILED] and diverging.run.outcome == "diverged"
    assert diverging.run.learned().outcome == "diverged"
    stopped.run.advance(0)
    stopped.run.stop()
    stopped.run.advance(0)
    assert stopped.told == []
