"""Pins what is said of runs beside one another, and how many of them are kept for whom."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer import limits
from explorer.learning.comparison import common_steps, differences, reached, smallest
from explorer.learning.past_runs import PastRuns
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from tests.explorer.learning.helpers import CFG, finish, plan
from transformer_core import SentenceTask


def history(evaluations: dict[int, float], first_step: int = 0, steps: int = 40) -> RunHistory:
    line = np.linspace(1, 2, steps)
    return RunHistory(plan(), Status.DONE, "", first_step, line, line, line, line, 1.0, np.array(list(evaluations.items())), ())


def past_run(number: int, evaluations: dict[int, float], **sizes: int) -> RunHistory:
    return replace(history(evaluations), number=number, plan=replace(plan(), cfg=replace(CFG, **sizes)))


def test_plans_differ_in_what_was_chosen_and_not_in_what_follows_from_it():
    assert differences(plan(), plan()) == {}
    assert differences(plan(), plan(seed=3, rate=None)) == {"seed": 3, "rate": None}
    other = TrainingPlan(replace(CFG, d_model=24, src_vocab=99, tgt_vocab=99), SentenceTask("pronoun-zh"), plan().recipe, 0.5)
    assert differences(plan(), other) == {"task": "pronoun-zh", "vocab": None, "length": None, "d_model": 24, "target": 0.5}


def test_when_a_run_got_there_is_its_first_evaluation_that_found_so_much():
    found = history({10: 0.2, 20: 0.99, 30: 0.4, 40: 1.0})
    assert reached(found, 0.99) == (20, pytest.approx(np.linspace(1, 2, 40)[:20].sum()))
    assert reached(found, 1.0) == (40, pytest.approx(found.seconds))
    assert reached(history({10: 0.98}), 0.99) is None
    assert reached(history({110: 0.995}, first_step=100), 0.99) == (110, pytest.approx(np.linspace(1, 2, 40)[:10].sum()))
    assert reached(replace(found, evaluations=np.zeros((0, 2))), 0.99) is None


def test_the_smallest_run_that_got_there():
    small, middle, large = (past_run(i, {40: exact}, d_ff=8 + 8 * i) for i, exact in enumerate((0.5, 1.0, 1.0)))
    assert smallest([large, small, middle], 0.99) == [middle]
    assert smallest([small], 0.99) == []
    as_small = past_run(7, {20: 1.0}, d_ff=16)
    assert smallest([large, middle, as_small], 0.99) == [middle, as_small], "of equals, each"


def test_two_runs_meet_at_the_steps_that_were_kept_of_both():
    one, other = (finish(TrainingRun(plan(seed=2, steps=steps), "me")) for steps in (12, 8))
    met = common_steps(one, other)
    assert list(met) == [0, 4, 8]
    for step, pair in met.items():
        assert [snapshot.step for snapshot in pair] == [step, step]
        assert all(np.array_equal(pair[0].weights[name], pair[1].weights[name]) for name in pair[0].weights)


def test_so_many_past_runs_are_kept_for_each_and_without_their_beginnings(monkeypatch):
    monkeypatch.setattr(limits, "PAST_RUNS", 2)
    past = PastRuns()

    def begun(owner: str = "me", **recipe: Any) -> TrainingRun:
        run = TrainingRun(plan(**recipe), owner)
        run.number = past.next_number(owner, [])
        return run

    for i in range(4):
        finish(run := begun(seed=i))
        past.add_run(run)
    past.add_run(begun())  # it has not taken a step: there is nothing to tell
    assert [(each.number, each.plan.recipe.seed) for each in past.of("me")] == [(3, 2), (4, 3)]
    assert past.of("you") == []
    now = begun(seed=9)
    assert [each.number for each in past.with_now(now, "me", [now])] == [3, 4]
    now.advance(0)
    assert [each.number for each in past.with_now(None, "me", [now])] == [3, 4, 5]
    others = begun("you", seed=7)
    others.advance(0)
    found = past.with_now(others, "me", [others, now])
    assert [(each.number, each.plan.recipe.seed) for each in found] == [(3, 2), (4, 3), (5, 9), (6, 7)]


def test_the_owner_longest_without_a_new_run_is_forgotten_first(monkeypatch):
    past = PastRuns()
    done = {who: TrainingRun(plan(), who) for who in ("first", "second", "third")}
    for run in done.values():
        finish(run)
        past.add_run(run)
    monkeypatch.setattr(limits, "PAST_BYTES", int(3.5 * past.of("first")[0].nbytes))
    past.add_run(done["first"])
    assert [len(past.of(who)) for who in done] == [2, 0, 1]
