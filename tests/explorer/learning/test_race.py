"""Pins a race as a run: one place in the queue, all models in turn, and nothing of it among the runs that are compared."""

import pickle
from collections.abc import Iterator

import pytest

from explorer.learning.engine import Order
from explorer.learning.engines import Engines, WorkerOrder
from explorer.learning.race import RaceEngine, RacePlan, race_plan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.workers import Place, ThreadWorker
from tests.explorer.learning.helpers import FOREVER, finish, plan, wait_until
from transformer_core.errors import InputError
from transformer_core.training import race
from transformer_core.training.race import ENTRANTS, EVERY, Racer

STEPS = 2 * EVERY  # after which all give up


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "MOST_STEPS", STEPS)


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    made = Scheduler()
    yield made
    made.stop()


def asked(seed: int = 0) -> RacePlan:
    return race_plan("copy", 4, seed)


def test_it_runs_all_models_to_their_ends_as_the_command_does():
    run = TrainingRun(asked(), "a browser")
    assert run.race() == ()
    finish(run)
    rows = run.race()
    assert run.status is Status.DONE and [row.model for row in rows] == [*ENTRANTS]
    assert all(row.is_over and row.step == STEPS and len(row.by_place) == 4 for row in rows)
    alone = Racer("lstm", "copy", 4, seed=0)
    for _ in range(STEPS):
        alone.step()
    assert rows[-1].right == alone.row.right, "the others change nothing in it"


def test_the_one_that_has_had_the_least_time_goes_next():
    engine = RaceEngine(asked())
    for racer, seconds in zip(engine._models(), (500.0, 100.0, 300.0), strict=True):
        racer.seconds = seconds
    engine.advance(Order())
    assert [racer.steps_taken for racer in engine._models()] == [0, 1, 0]


def test_it_goes_on_at_another_place_as_if_it_had_stayed():
    stays, moves = (RaceEngine(asked(seed=3)) for _ in range(2))
    for engine in (stays, moves):
        for racer in engine._models():
            for _ in range(5):
                racer.step()
    handed_over = moves.advance(Order(most=0))
    assert handed_over.state is not None and not handed_over.steps
    there = RaceEngine(asked(seed=3), handed_over.state)
    for engine in (stays, there):
        for racer in engine._models():
            while racer.steps_taken < EVERY:
                racer.step()
    rights = [[racer.row.right for racer in engine._models()] for engine in (stays, there)]
    assert rights[0] == rights[1] and len(rights[0][0]) == 2


def test_a_worker_makes_the_engine_that_a_plan_needs():
    engines = Engines()
    order = WorkerOrder(1, Order(), frozenset({1}), (pickle.loads(pickle.dumps(asked())), None))
    progress = engines.follow(order)
    assert progress.failure is None and [row.model for row in progress.race] == [*ENTRANTS]


def test_it_begins_anew_where_its_worker_has_ended():
    run, place = TrainingRun(asked(), "a browser"), Place(ThreadWorker)
    run.advance(0, place)
    place.rest()
    run.lost(run._engine.worker if run._engine is not None else None)
    finish(run)
    assert run.status is Status.DONE and all(row.is_over for row in run.race())


def test_it_is_stopped_and_is_none_of_the_runs_that_are_compared(scheduler, monkeypatch):
    monkeypatch.setattr(race, "MOST_STEPS", 10**9)
    monkeypatch.setattr(race, "TARGET", 2.0)
    first = scheduler.add_run(TrainingRun(asked(), "a browser"), viewer="a window")
    wait_until(lambda: bool(first.race()), "the race to begin")
    assert scheduler.crowd == 1, "one place for all three"
    other = scheduler.add_run(TrainingRun(plan(steps=3), "a browser"), viewer="a window")
    assert other.number == 1, "a race is not counted"
    first.stop()
    wait_until(lambda: other.over and scheduler.crowd == 0, "the other run to end")
    assert [history.plan for history in scheduler.compared(None, "a browser")] == [other.plan]


def test_it_takes_the_memory_of_three_and_is_refused_like_any_run(scheduler, monkeypatch):
    from explorer import limits

    assert asked().bytes == 3 * super(RacePlan, race_plan("copy", 4, 1)).bytes
    monkeypatch.setattr(limits, "RUNS_PER_BROWSER", 1)
    monkeypatch.setattr(limits, "GRACE", FOREVER)
    scheduler.add_run(TrainingRun(plan(steps=10_000), "a browser"))
    with pytest.raises(InputError, match="limit"):
        scheduler.add_run(TrainingRun(asked(), "a browser"))
