"""Pins what rooms train: models equal but for the seed, or one setting; and that those that come with the app are today's."""

import numpy as np
import pytest

from explorer import resources
from explorer.learning import shipped_recordings
from explorer.learning.ablations import recorded_plans
from explorer.learning.shipped_recordings import contents, described, packed, shipped
from explorer.model_on_screen.settings import of_task
from explorer.rooms import experiments, outcomes
from tools import recorded_runs
from transformer_core.training.learning import Learning

_STEPS = 12  # of each recording that are trained again


@pytest.fixture
def stopped_afterwards():
    yield
    resources.stop()


def test_the_forty_differ_in_their_seeds_alone():
    plans = experiments.forty()
    assert [plan.recipe.seed for plan in plans.values()] == [*range(1, 41)] and len(plans) == 40
    assert len({described(plan).replace(f"seed={plan.recipe.seed},", "") for plan in plans.values()}) == 1


def test_the_values_of_a_setting_take_turns_and_nothing_else_differs():
    plans = [*experiments.varied("d_model", (32, 64)).values()]
    assert [(plan.cfg.d_model, plan.recipe.seed) for plan in plans[:4]] == [(32, 1), (64, 1), (32, 2), (64, 2)]
    assert len({plan.recipe.rate for plan in plans}) == 1 and len(plans) == 40
    assert described(plans[1]) == described(experiments.planned(1))


def test_the_step_that_is_needed_is_the_first_with_nine_of_ten_right():
    curves = [[(10, 0.5), (20, 0.9), (30, 0.8), (40, 1.0)], [(10, 0.1)], []]
    assert experiments.steps_needed(curves) == [20, None, None]


def test_the_forty_that_repeat_are_the_app_s_own_and_end_at_their_target():
    plans = experiments.forty(experiments.REPEAT)
    usual = of_task("repeat").plan()
    assert [plan.recipe.seed for plan in plans.values()] == [*range(1, 41)]
    assert {(plan.cfg, plan.target) for plan in plans.values()} == {(usual.cfg, experiments.RIGHT[experiments.REPEAT])}
    (name, flat), *others = experiments.another(7, experiments.REPEAT, layers=1).items()
    assert not others and (name, flat.cfg.n_layers, flat.recipe.seed) == ("repeat 7 n_layers 1", 1, 7)
    assert flat.recipe.steps == experiments.OTHER_STEPS < usual.recipe.steps
    assert experiments.steps_needed([[(10, 0.84), (20, 0.85)]], experiments.REPEAT) == [20]


def test_of_a_decoder_alone_the_row_is_asked_and_only_what_is_judged_is_written():
    asked, wrote = experiments.before_learning(task=experiments.REPEAT)
    task = of_task("repeat").plan().task
    judged = experiments.ablations.untrained(experiments.planned(1, experiments.REPEAT)).probe.judged
    for row, written, counts in zip(asked, wrote, judged.tolist(), strict=True):
        assert len(row) == len(written) == task.length and [letter != " " for letter in written] == counts


def every_plan():
    peeking = experiments.peeking()
    open_ = shipped(experiments.OPEN, peeking[experiments.OPEN])
    assert open_ is not None
    following = {experiments.name_of(recorded_runs.NEXT): experiments.planned(recorded_runs.NEXT)}
    covered = {experiments.COVERED: experiments.covered(open_)}
    repeating = experiments.forty(experiments.REPEAT) | experiments.another(recorded_runs.NEXT, experiments.REPEAT, layers=1)
    return recorded_plans() | experiments.forty() | following | repeating | peeking | covered


def test_all_that_is_played_back_comes_with_the_app_by_today_s_plans_and_is_small():
    plans = every_plan()
    assert contents().plans == {name: described(plan) for name, plan in plans.items()}, "run python -m tools.recorded_runs"
    assert shipped_recordings.FILE.stat().st_size < 2**20
    for name, plan in plans.items():
        made = shipped(name, plan)
        assert made is not None and made.day and made.final is not None and made.final.rows >= 200
    assert shipped("baseline", plans["ablated"]) is None, "another plan"


@pytest.mark.parametrize("name", ["baseline", "ablated", "letters 17", "repeat 17", experiments.MASKED, experiments.OPEN])
def test_what_comes_with_the_app_is_what_would_be_trained_today(name):
    """The first steps are taken again: with other data, or another trainer, their losses differ. Another processor may add in
    another order, which changes the last digits."""
    plan = every_plan()[name]
    kept = shipped(name, plan)
    assert kept is not None
    learning = Learning(plan, keep=[])
    losses = [learning.step().loss for _step in range(_STEPS)]
    np.testing.assert_allclose(losses, kept.loss[:_STEPS], rtol=1e-4, err_msg="run python -m tools.recorded_runs")


def test_a_recording_is_read_as_it_was_written(stopped_afterwards, tmp_path, monkeypatch):
    plan = experiments.peeking()[experiments.MASKED]
    kept = shipped(experiments.MASKED, plan)
    assert kept is not None
    file = tmp_path / "one.npz"
    file.write_bytes(packed([("again", kept, False)], [(1.0, 0.5)], {}, "2026-01-02", {"torch": "x"}))
    monkeypatch.setattr(shipped_recordings, "FILE", file)
    for cached in (contents, shipped_recordings._arrays, shipped_recordings._snapshots):
        cached.cache_clear()
    try:
        again = shipped("again", plan)
        assert again is not None and again.day == "2026-01-02" and contents().pairs == [(1.0, 0.5)]
        assert (again.right, again.rows, again.likely) == (kept.right, kept.rows, kept.likely)
        assert outcomes._film(again) == outcomes._film(kept)
    finally:
        monkeypatch.undo()
        for cached in (contents, shipped_recordings._arrays, shipped_recordings._snapshots):
            cached.cache_clear()


@pytest.mark.slow
def test_the_heads_of_the_recorded_ones_are_those_that_a_room_would_measure(stopped_afterwards):
    """One of the quickest is trained again. Another processor may end it ten steps sooner or later."""
    name = "repeat 35"
    kept = shipped(name, experiments.planned(35, experiments.REPEAT))
    assert kept is not None
    made = recorded_runs.trained({name: kept.plan})
    (measured,) = experiments.head_shares(made)
    (held,) = experiments.head_shares({name: kept})
    np.testing.assert_allclose([measured.before, measured.after], [held.before, held.after], atol=0.15)
    assert held.before[0] > 0.4 and held.after[1] > 0.5 and max(held.before[1], held.after[0]) < 0.2


def test_a_model_that_peeked_goes_on_with_its_eyes_covered(stopped_afterwards, monkeypatch):
    """From its own weights: it needs them to be quicker than a model from random ones."""
    monkeypatch.setattr(experiments, "PEEK_STEPS", 60)
    made = recorded_runs.trained({"open": experiments.peeking()[experiments.OPEN]})["open"]
    plan = experiments.covered(made)
    assert plan.cfg.causal and plan.recipe.steps == experiments.COVERED_STEPS and plan.resume_from is not None
    covered = recorded_runs.trained({"covered": plan})["covered"]
    fresh = Learning(experiments.planned(1), keep=[]).step().loss
    assert covered.loss[0] < 0.8 * fresh


def test_rows_and_answers_are_letters_of_the_task():
    asked, wrote = experiments.before_learning()
    task = of_task("letters").plan().task
    assert len(asked) == len(wrote) == 4 and all(len(row) == task.length for row in asked)
    assert all(set(row) <= set("ABCDEFGHIJ") for row in (*asked, *wrote)) and wrote != asked
