"""Pins the page of comparisons: every run of a browser stays, with its numbers, its curves and its attention, task by task."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer import limits, resources
from explorer.learning.comparison import settings
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.model_on_screen.setting_table import SETTINGS
from explorer.model_on_screen.settings import ModelSettings
from tests.pages.helpers import component, figure, figures, fine, go, matrices, open_page, session_of, shown, turn
from tests.pages.stepped import EASY, another_browser, asleep, by_hand, press, run_of, start, step
from transformer_core import PRESETS, CopyTask, Recipe
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.training.cost import count_by_formula

__all__ = ["another_browser", "by_hand"]
pytestmark = pytest.mark.usefixtures("by_hand")


def trained(*changes: dict, steps: int = 20) -> AppTest:
    """The page after several runs of so many steps, each with settings of its own on top of those before."""
    at = open_page("training", {"pace": "fast"}, **EASY)
    for change in changes:
        start(turn(at, **change), steps)
    return go(at, "compare")


def past(at: AppTest) -> list[RunHistory]:
    return resources.training_scheduler().compared(run_of(at), "this browser")


def table(at: AppTest):
    return at.dataframe[0].value


def column(at: AppTest, beginning: str) -> list:
    (name,) = (name for name in table(at) if name.startswith(beginning))
    return list(table(at)[name])


def test_before_the_first_run_and_with_one():
    at = open_page("compare")
    assert fine(at)
    models = [
        resources.model_store().learned_by(replace(ModelSettings(), d_model=width).plans()) for width in (128, 64, 32, 16)
    ]
    for line, model in zip(figure(at, "learned-curves").lines, models, strict=True):
        np.testing.assert_allclose(line[~np.isnan(line)], model.curve[:, 1], rtol=1e-6)
        step = int(model.curve[model.curve[:, 1] >= 0.9][0, 0])
        words = f"d_model {model.cfg.d_model} reaches 90% at step {step:,}; at the end {model.curve[-1, 1]:.1%} of its answers"
        assert words in shown(at)
    start(turn(go(at, "training"), **EASY), 10)
    go(at, "compare")
    assert fine(at) and not any(each.id.endswith("learned-curves") for each in figures(at))
    assert column(at, "run") == [1]
    (settings,) = column(at, "settings")
    assert all(part in settings for part in ("d_model 16", "heads 2", "layers 1", "seed 0"))
    assert [each.id.split("-compare-")[-1] for each in figures(at)] == ["loss", "exact"]


def test_a_width_that_learned_in_another_way_is_not_compared(monkeypatch):
    store = resources.model_store()
    odd = store.learned_by(replace(ModelSettings(), d_model=32).plans())
    longer = replace(odd.learned, recipe=replace(odd.learned.recipe, batch_size=63))
    get = store.get
    monkeypatch.setattr(store, "get", lambda key: replace(odd, learned=longer) if key == odd.id else get(key))
    at = open_page("compare")
    assert len(figure(at, "learned-curves").lines) == 3 and "d_model 32" not in shown(at)


def test_runs_are_told_apart_by_what_differs_and_what_they_did(monkeypatch):
    monkeypatch.setattr("explorer.exhibits.compare.run_table.TARGET", 0.01)
    at = trained({"rate": 1e-9}, {"d_ff": 32, "seed": 3, "rate": 0.01})
    assert fine(at)
    found = past(at)
    assert column(at, "run") == [1, 2]
    assert set(column(at, "settings")[1].split(", ")) == {"d_ff 32", "seed 3", "peak learning rate 0.01"}
    assert column(at, "parameters") == [count_by_formula(run.plan.cfg) for run in found]
    for run, words in zip(found, column(at, "exact match"), strict=True):
        low, high = share_interval(run.exact_match, 4)  # all that there are
        assert words == f"{run.exact_match:.1%} ({100 * low:.1f}–{high:.1%})"
    assert column(at, "of sequences") == [4, 4]
    reached = [next((step for step, exact in run.evaluations if exact >= 0.01), np.nan) for run in found]
    np.testing.assert_array_equal(column(at, "steps to"), reached)
    smallest = min((count_by_formula(run.plan.cfg) for run, there in zip(found, reached, strict=True) if there > 0), default=0)
    assert not smallest or f"{smallest:,}" in at.success[0].value
    for run, drawn in zip(found, figure(at, "compare-loss").lines, strict=True):
        np.testing.assert_array_equal(drawn, run.loss)
    for run, drawn in zip(found, figure(at, "compare-exact").lines, strict=True):
        np.testing.assert_allclose(drawn, run.evaluations[:, 1], rtol=1e-6)
    step(go(at, "training"), 10)
    drawn, longer = figure(go(at, "compare"), "compare-loss").lines
    assert len(drawn) == len(longer) == 30 and np.isnan(drawn[20:]).all() and not np.isnan(longer).any()


def test_only_runs_of_one_task_are_compared():
    at = trained({}, {"d_ff": 32}, {"length": 4}, steps=10)
    assert fine(at)
    assert column(at, "run") == [3], "at first those of the task that was trained last"
    assert "length 4" in shown(at) and "length 3" not in shown(at)
    at.selectbox(key="compare_task").set_value(0).run()
    assert fine(at)
    assert column(at, "run") == [1, 2] and column(at, "settings")[1] == "d_ff 32"
    assert len(figure(at, "compare-loss").lines) == 2


def test_two_runs_stand_side_by_side_at_the_same_step_with_their_difference():
    at = trained({"d_ff": 32}, {"d_ff": 48}, {"d_ff": 16})
    assert fine(at)
    found = past(at)
    at.selectbox(key="compare_one").set_value(0).run()
    sent = component(at, "compare-steps")
    assert (sent["steps"], sent["position"]) == ([0, 10, 20], None)
    assert len(sent["jumps"]) == 6 and {jump["name"].split(" · ")[0] for jump in sent["jumps"]} == {"run 1", "run 3"}
    session_of(at).controls.remembered["compare_step"] = 10  # as its slider does
    at.run()
    assert component(at, "compare-steps")["position"] == 10 and at.query_params["compare_step"] == "10"
    assert fine(at)
    weights = []
    for run in (found[0], found[2]):
        (snapshot,) = (each for each in run.snapshots if each.step == 10)
        weights.append(snapshot.weights["decoder.0.cross_attn.weights"][0].astype(np.float32))
    np.testing.assert_allclose(figure(at, "compare-both").cells, [w.mean(0) for w in weights], rtol=1e-5)
    (difference,) = figure(at, "compare-difference").cells
    np.testing.assert_allclose(difference, weights[1].mean(0) - weights[0].mean(0), atol=1e-6)
    at.selectbox(key="compare_head").set_value(2).run()
    np.testing.assert_allclose(figure(at, "compare-both").cells, [w[1] for w in weights], rtol=1e-5)
    at.segmented_control(key="compare_kind").set_value("decoder").run()
    closed = np.isnan(figure(at, "compare-difference").cells[0])
    assert np.array_equal(closed, np.triu(np.ones(closed.shape, bool), 1))
    again = open_page("compare", dict(at.query_params))
    assert again.selectbox(key="compare_one").value == 0 and again.selectbox(key="compare_head").value == 2


def test_runs_on_different_sequences_have_no_difference_and_without_cross_attention_no_cross():
    at = trained({"length": 5}, {"seed": 5, "cross_attention": False}, steps=10)
    assert fine(at)
    assert [each.id.split("-compare-")[-1] for each in matrices(at)] == ["0", "1"]
    assert at.segmented_control(key="compare_kind").options == ["encoder", "decoder"]


def test_runs_that_share_no_step_are_not_set_side_by_side():
    at = trained({}, steps=13)
    press(go(at, "training"), "button-pause")
    data = run_of(at).checkpoint(training=True)
    at.file_uploader(key="upload").set_value(("m.safetensors", data, "application/octet-stream")).run()
    step(press(at, "continue-upload"), 2)  # kept after 13 and 15 only
    assert fine(go(at, "compare"))
    assert column(at, "run") == [1, 2]
    assert [each.id.split("-compare-")[-1] for each in figures(at)] == ["loss", "exact"]
    assert session_of(at).rerun.page == "compare"


def test_every_setting_that_may_differ_has_a_name():
    known = set(settings(TrainingPlan(PRESETS["tiny"], CopyTask(), Recipe())))
    assert known - SETTINGS.keys() <= {"vocab"}, "but that, which is called so on screen, too"


def test_the_runs_of_a_browser_are_there_in_each_of_its_windows_and_after_they_were_closed(monkeypatch, another_browser):
    trained({"d_ff": 16}, {"d_ff": 32})
    elsewhere = start(open_page("training", {"pace": "fast"}, **EASY | {"d_ff": 48}), 20)
    for link in ({}, {"run": "gone"}, {"run": run_of(elsewhere).id}):
        at = open_page("compare", link)
        assert column(at, "run") == [1, 2, 3] and column(at, "status") == ["stopped", "training", "training"]
        assert [setting.rpartition(", ")[2] for setting in column(at, "settings")[1:]] == ["d_ff 32", "d_ff 48"]
    press(elsewhere, "button-play_circle")  # the one before, of this window, is put away before the second run is
    assert column(open_page("compare"), "run") == [1, 2, 3], "the new one has not taken a step"
    asleep(monkeypatch, limits.GRACE + 1)
    assert column(at := open_page("compare"), "status") == ["stopped", "paused", "stopped"]
    asleep(monkeypatch, limits.GRACE + limits.REST + 1)
    assert not resources.training_scheduler().runs() and column(at.run(), "run") == [1, 2, 3]
    another_browser()
    assert not open_page("compare").dataframe
