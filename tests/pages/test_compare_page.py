"""Pins the page of comparisons: every run of a browser stays, with its numbers, its curves and its attention."""

import numpy as np
from streamlit.testing.v1 import AppTest

from explorer import server
from explorer.training.run_history import Status
from tests.explorer.training.helpers import wait_until
from tests.pages.helpers import figure, figures, fine, go, open_page, shown, turn
from transformer_core.model.accounting import count_by_formula

# Learns to say rows of three out of two symbols within a few dozen steps.
EASY = {"d_model": 16, "n_heads": 2, "d_ff": 16, "symbols": 2, "length": 3, "batch_size": 8, "steps": 200, "rate": 0.01}


def train(at: AppTest, **knobs) -> AppTest:
    turn(at, **knobs)
    (button,) = (button for button in at.button if button.label in ("Start", "Start anew"))
    button.click().run()
    wait_until(lambda: current().over, "the end of a run")
    return at.run()


def current():
    (run,) = server.training_scheduler()._runs.values()
    return run


def trained(*changes: dict) -> AppTest:
    at = open_page("training", **EASY)
    for change in changes:
        train(at, **change)
    return go(at, "compare")


def past():
    return server.training_scheduler().compared(current(), current().owner)


def test_before_the_first_run():
    at = open_page("compare")
    assert fine(at)
    assert "Nothing has been trained in this browser yet" in shown(at)
    assert not figures(at)


def test_one_run_is_told_of_and_a_second_one_asked_for():
    at = trained({})
    assert fine(at)
    table = at.dataframe[0].value
    assert list(table["run"]) == [1]
    assert table["what it has"][0] == "copy numbers; d_model 16, heads 2, layers 1, seed 0"
    assert "Train a second one" in shown(at)


def test_runs_are_told_apart_by_what_differs_and_what_they_did():
    at = trained({}, {"d_ff": 32, "seed": 3}, {"steps": 50, "length": 12, "symbols": 50})
    assert fine(at)
    first, second, third = found = past()
    table = at.dataframe[0].value
    assert list(table["run"]) == [1, 2, 3]
    assert table["what it has"][1] == "d_ff 32, seed 3"
    assert set(table["what it has"][2].split(", ")) == {
        "vocab 51", "length 12", "d_ff 32", "seed 3", "steps 50"}  # fmt: skip
    assert list(table["parameters"]) == [count_by_formula(run.plan.cfg) for run in found]
    for run, steps in zip((first, second), table["steps to 99%"], strict=False):
        assert run.history.evaluations[-1, 0] == steps
        assert run.history.exact_match >= 0.99
    assert np.isnan(table["steps to 99%"][2])
    assert table["exact at the end, %"][2] == round(100 * third.history.exact_match, 1)
    assert f"The fewest parameters that reached 99% here: {count_by_formula(first.plan.cfg):,}, in run 1." in shown(at)
    for run, drawn in zip(found, figure(at, "compare-loss").lines, strict=True):
        np.testing.assert_array_equal(drawn[: run.history.step], run.history.loss)
        assert np.isnan(drawn[run.history.step :]).all()


def test_two_runs_stand_side_by_side_at_the_same_step_with_their_difference():
    at = trained({"d_ff": 32}, {"d_ff": 64}, {"d_ff": 16})
    assert fine(at)
    runs_there = past()
    at.selectbox(key="compare_one").set_value(0).run()
    at.slider(key="compare_step").set_value(20).run()
    assert fine(at)
    weights = []
    for run in (runs_there[0], runs_there[2]):
        (snapshot,) = (snapshot for snapshot in run.history.snapshots if snapshot.step == 20)
        weights.append(snapshot.weights["decoder.0.cross_attn.weights"][0].astype(np.float32))
    both = figure(at, "compare-both").cells
    np.testing.assert_allclose(both, [w.mean(0) for w in weights], rtol=1e-5)
    (difference,) = figure(at, "compare-difference").cells
    np.testing.assert_allclose(difference, weights[1].mean(0) - weights[0].mean(0), atol=1e-6)
    at.selectbox(key="compare_head").set_value(2).run()
    np.testing.assert_allclose(figure(at, "compare-both").cells, [w[1] for w in weights], rtol=1e-5)
    assert "after step 20" in shown(at)
    at.segmented_control(key="compare_kind").set_value("decoder").run()
    closed = np.isnan(figure(at, "compare-difference").cells[0])
    assert np.array_equal(closed, np.triu(np.ones(closed.shape, bool), 1))


def test_runs_on_different_rows_have_no_difference():
    at = trained({}, {"seed": 5})
    assert fine(at)
    assert "tried on different rows" in shown(at)
    keys = [each.id.split("-compare-")[-1] for each in figures(at)]
    assert keys[-2:] == ["0", "1"]


def test_a_run_under_way_is_there_too_and_models_without_cross_attention_have_none():
    at = trained({}, {"cross_attention": False, "steps": 50})
    assert fine(at)
    assert at.segmented_control(key="compare_kind").options == ["encoder", "decoder"]
    go(at, "training")
    turn(at, cross_attention=True, steps=5000, goal=100, symbols=50, length=12)
    (button,) = (button for button in at.button if button.label == "Start anew")
    button.click().run()
    wait_until(lambda: current().history().step > 2, "some steps")
    assert fine(go(at, "compare"))
    assert list(at.dataframe[0].value["it is"]) == ["finished", "finished", "learning"]
    assert current().status is Status.RUNNING
