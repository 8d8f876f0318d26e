"""Pins live runs on other machines with a real cluster: the same numbers as here, also where a machine is killed.

One story, in the order of the file: starting machines is what takes the time.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from explorer import limits
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.workers import Place
from tests.cluster.conftest import Machines
from tests.explorer.learning.helpers import (
    CFG,
    FOREVER,
    HANGS,
    equal,
    finished,
    over,
    plan,
    three_single_steps,
    wait_until,
)
from transformer_core import SentenceTask

pytestmark = pytest.mark.cluster
LONG = 1500  # steps: a second or more, and to kill a machine takes a tenth of one


class Server:
    """A scheduler as the app has it, with one process here."""

    def __init__(self, address: str) -> None:
        self.scheduler = Scheduler(processes=True, cluster=address)
        self.scheduler.prepare()

    @property
    def away(self) -> list[Place]:
        return [place for place in self.scheduler._placement.places if place.is_remote]

    def wait_for(self, cores: int) -> list[Place]:
        wait_until(lambda: len(self.away) == cores, f"{cores} cores of other machines")
        return self.away

    def add(self, **recipe) -> TrainingRun:
        return self.scheduler.add_run(TrainingRun(plan(**recipe), "me"), viewer="a window")

    def is_away(self, run: TrainingRun) -> bool:
        return self.scheduler._placement.of(run) in self.away


@pytest.fixture(scope="module")
def server(machines) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "WORKERS", 1)
        patch.setattr(limits, "RUNS_PER_BROWSER", 99)
        patch.setattr(limits, "CLUSTER_LOOK", HANGS)  # on a busy machine Ray takes its time to answer
        made = Server(machines.address)
        yield made
        made.scheduler.stop()


def test_a_run_is_the_same_there_as_here(server):
    server.wait_for(1)
    task = SentenceTask("pronoun-en")
    words = replace(plan(average=0.1), cfg=replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab), task=task)
    for each in (plan(seed=1, optimiser="sgd"), words, plan(target=0.0)):
        run = server.scheduler.add_run(TrainingRun(each, "me"))
        assert server.is_away(run)
        over(run)
        assert (run.status, run.history().message, run.history().note) == (Status.DONE, None, None)
        assert equal(run, finished(each))


def test_switches_act_there(server):
    (place,) = server.away
    whole, run = finished(plan()), TrainingRun(plan(), "me")
    three_single_steps(run, place)
    for step in (6, 2):
        run.rewind(step, pause=True)
        run.advance(FOREVER, place)
        assert (run.status, run.history().step) == (Status.PAUSED, step)
    run.play()
    run.advance(FOREVER, place)
    assert run.status is Status.DONE and equal(run, whole)
    run.rewind(5)
    run.stop()
    run.advance(FOREVER, place)
    assert (run.status, run.history().step) == (Status.STOPPED, 4)


def test_a_machine_that_comes_later_is_used_and_where_one_is_killed_its_runs_go_on_elsewhere(server, machines: Machines):
    machines.add()
    server.wait_for(2)
    runs = [server.add(seed=seed, steps=LONG, evaluate_every=50) for seed in range(2)]
    assert all(server.is_away(run) for run in runs)
    wait_until(lambda: all(run.history().step > 60 for run in runs), "some steps of both")
    machines.kill(1)
    server.wait_for(1)
    over(*runs)
    assert [run.history().note is None for run in runs].count(True) == 1, "one of them had been there"
    (lost,) = (run for run in runs if run.history().note is not None)
    assert lost.history().note.values["n"] > 60 and lost.history().note.values["m"] >= 50
    for run in runs:
        assert run.status is Status.DONE and equal(run, finished(run.plan))


def test_where_the_whole_cluster_goes_all_goes_on_here(server, machines: Machines, caplog):
    run = server.add(steps=LONG, evaluate_every=50)
    assert server.is_away(run)
    wait_until(lambda: run.history().step > 60, "some steps")
    machines.kill_all()
    server.wait_for(0)
    over(run)
    assert run.status is Status.DONE and equal(run, finished(run.plan))
    assert run.history().note.values["n"] > 60, "its page says so"
    wait_until(lambda: "is away, all training stays on this machine" in caplog.text, "a word about it")
    assert caplog.text.count("is away, all training") == 1
