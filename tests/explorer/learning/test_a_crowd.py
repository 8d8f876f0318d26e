"""Pins what holds when many windows turn at random while others train: counted, not timed. Everything is real but the size of
the models: scheduler, store, learning on demand, in threads of this process and in worker processes."""

import math
import random
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pytest

from explorer import limits
from explorer.learning import placement
from explorer.learning.learner import Learner
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.scheduler import Scheduler
from explorer.learning.store import ModelStore
from tests.explorer.learning.helpers import HANGS, wait_until
from transformer_core import PRESETS, CopyTask, Recipe

pytestmark = pytest.mark.slow

WINDOWS, TURNS, RUNS = 10, 8, 5
KNOBS: dict[str, tuple[Any, ...]] = {"d_model": (8, 12, 16, 20), "n_heads": (1, 2), "n_layers": (1, 2), "norm": ("pre", "post")}
TASK = CopyTask(vocab=5, length=3)
CFG = replace(PRESETS["tiny"], src_vocab=5, tgt_vocab=5, d_ff=12, **{name: values[0] for name, values in KNOBS.items()})


def plan(steps: int = 20, **settings: Any) -> TrainingPlan:
    recipe = Recipe(steps=steps, batch_size=4, evaluate_on=10, device="cpu")
    return TrainingPlan(replace(CFG, **settings), TASK, recipe, target=1.1)  # all steps are taken


@dataclass
class Room:
    """A server, and what was counted.

    Attributes:
        begun, kept: how often each model that is learned on demand was begun, and put into the store.
        most: how many were under way at once.
        orders: one after another, at which place and for which run.
        there: by key, whether a model has been put into the store.
    """

    scheduler: Scheduler
    store: ModelStore
    demand: Learner
    begun: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    most: int = 0
    orders: list[tuple[object, str]] = field(default_factory=list)
    there: dict[str, threading.Event] = field(default_factory=dict)

    def wait_for(self, key: str) -> None:
        assert self.there.setdefault(key, threading.Event()).wait(HANGS)


@pytest.fixture(params=[False, True], ids=["threads", "processes"])
def room(request, tmp_path, monkeypatch) -> Iterator[Room]:
    monkeypatch.setattr(limits, "WORKERS", 2 if request.param else 1)  # threads of this process are one place
    monkeypatch.setattr(limits, "SLICE", 0.005)
    monkeypatch.setattr(limits, "GRACE", math.inf)  # those who train stay, however long the others take
    monkeypatch.setattr(placement, "_LONG", math.inf)  # a machine that is busy makes any turn long
    scheduler, store = Scheduler(processes=request.param), ModelStore(tmp_path)
    room = Room(scheduler, store, Learner(store, scheduler, patience=0.001))
    add, put, advance = scheduler.add_run, store.put, TrainingRun.advance

    def counted_add(run, **options):
        room.begun[run.plan.key] += 1
        room.most = max(room.most, len(room.demand._runs))
        return add(run, **options)

    def counted_put(model):
        room.kept[model.key] += 1
        kept = put(model)
        room.there.setdefault(model.key, threading.Event()).set()
        return kept

    def counted_advance(run, seconds, place=None):
        room.orders.append((place, run.id))
        advance(run, seconds, place)

    monkeypatch.setattr(scheduler, "add_run", counted_add)
    monkeypatch.setattr(store, "put", counted_put)
    monkeypatch.setattr(TrainingRun, "advance", counted_advance)
    yield room
    scheduler.stop()


def visit(room: Room, window: str, seed: int) -> str:
    """Turns knobs at random, some while their model has not been learned yet; returns what is on screen in the end."""
    chance, at = random.Random(seed), dict.fromkeys(KNOBS, 0)
    for _ in range(TURNS):
        knob = chance.choice(list(KNOBS))
        at[knob] = min(max(at[knob] + chance.choice((-1, 1)), 0), len(KNOBS[knob]) - 1)
        wanted = plan(**{name: KNOBS[name][place] for name, place in at.items()})
        if wanted.key in room.store:
            room.demand.unwant(window)
            continue
        room.demand.want(wanted, window)
        if chance.random() < 0.5:
            room.wait_for(wanted.key)
    return wanted.key


def test_ten_windows_turn_at_random_while_five_runs_train(room):
    trained = [TrainingRun(plan(steps=20_000), f"person {i}") for i in range(RUNS)]
    for run in trained:
        room.scheduler.add_run(run)
    room.begun.clear()
    with ThreadPoolExecutor(WINDOWS) as threads:
        last = [*threads.map(lambda i: visit(room, f"{i}", seed=i), range(WINDOWS))]

    for key in last:
        room.wait_for(key)
    assert set(room.kept.values()) == {1}, "equal settings are learned once"
    wait_until(lambda: not room.demand._runs, "the end of what nobody wants")
    assert room.demand.computed == room.begun.total() and room.demand.watched == 0
    assert set(room.kept) <= set(room.begun)
    assert room.most <= WINDOWS, "one window, one model at a time"
    wait_until(lambda: room.scheduler.crowd == RUNS, "all runs but those that people train are removed")
    assert not any(run.over for run in trained)

    for run in trained:
        assert longest_wait(room.orders, run.id) <= 1, "between two turns of a run, every other one has one at most"
        room.scheduler.remove_run(run)
    wait_until(lambda: room.scheduler.crowd == 0, "nothing that goes on")
    assert not room.scheduler._runs


def longest_wait(orders: list[tuple[object, str]], run: str) -> int:
    """How many turns another run had, at most, between two of this one at the same place."""
    mine = [i for i, (_place, other) in enumerate(orders) if other == run]
    between = (
        Counter(other for at, other in orders[i + 1 : j] if at is orders[i][0])
        for i, j in pairwise(mine)
        if orders[i][0] is orders[j][0]
    )
    return max((max(turns.values()) for turns in between if turns), default=0)
