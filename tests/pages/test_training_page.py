"""Pins the training page: a run from start to end, its buttons, what is shown of it, what is refused, where a model goes."""

import math

import numpy as np
import pytest
import torch
from explorer.sections import watching
from streamlit.testing.v1 import AppTest

from explorer import lab, server
from explorer.training import limits
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.training.scheduler import Scheduler
from tests.explorer.training.helpers import wait_until
from tests.pages.helpers import (
    attention_view,
    complaints,
    figure,
    figures,
    fine,
    go,
    open_page,
    shown,
    told,
    traced,
    turn,
)
from transformer_core import SHIPPED, CopyTask, Recipe, Transformer, TransformerConfig, checkpoint
from transformer_core.model.accounting import count_by_formula
from transformer_core.training.trainer import learning_rate

# Learns to say rows of three out of two symbols within a few dozen steps.
EASY = {"d_model": 16, "n_heads": 2, "d_ff": 16, "symbols": 2, "length": 3, "batch_size": 8, "steps": 200, "rate": 0.01}
CFG = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=16, n_heads=2, d_ff=16, n_layers=1, dropout=0.0, norm="pre")
# Goes on until it is stopped.
LONG = EASY | {"symbols": 50, "length": 12, "goal": 100, "steps": 5000}


def press(at: AppTest, label: str) -> AppTest:
    (button,) = (button for button in at.button if button.label == label)
    assert not button.disabled, label
    return button.click().run()


def open_buttons(at: AppTest) -> set[str]:
    names = {"Start", "Start anew", "Pause", "Go on", "One step", "Stop", "Reset"}
    return {button.label for button in at.button if button.label in names and not button.disabled}


def run_of(at: AppTest) -> TrainingRun:
    run = server.training_scheduler().get(at.session_state["_run"], lab.session())
    assert run is not None
    return run


def metric(at: AppTest, label: str) -> str:
    (found,) = (each.value for each in at.metric if each.label == label)
    return found


def trained(**knobs) -> AppTest:
    at = press(open_page("training", **EASY | knobs), "Start")
    assert not at.exception
    wait_until(lambda: run_of(at).over, "the end of the run")
    return at.run()


def test_before_the_start():
    at = open_page("training")
    assert fine(at)
    assert open_buttons(at) == {"Start"}
    assert "Press **Start**" in shown(at)


def test_a_run_from_its_start_to_its_target():
    at = trained()
    assert fine(at)
    assert any(words.value.startswith("Target reached: ") for words in at.success)
    run, history = run_of(at), run_of(at).history()
    assert run.status is Status.DONE
    assert run.plan == TrainingPlan(CFG, CopyTask(3, 3), Recipe(steps=200, batch_size=8, rate=0.01), 0.99)
    assert metric(at, "step") == str(history.step)
    assert metric(at, "loss") == f"{history.loss[-1]:.3f}"
    assert metric(at, "exact") == f"{history.exact_match:.1%}"
    curves = figure(at, "training-curves")
    for drawn, values in zip(curves.lines, (history.loss, history.evaluations[:, 1], history.learning_rate), strict=True):
        np.testing.assert_allclose(drawn, values, rtol=1e-5)
    assert [shape["y0"] for shape in curves.layout["shapes"][:2]] == [math.log(2), 0.99]
    assert open_buttons(at) == {"Start anew", "Reset"}


def test_a_target_that_is_not_reached_is_told():
    at = trained(symbols=50, length=12, steps=50)
    assert "All 50 steps are done" in told(at)
    assert run_of(at).status is Status.DONE


def test_pause_one_step_go_on_and_stop():
    at = press(open_page("training", **LONG), "Start")
    assert open_buttons(at) == {"Start anew", "Pause", "One step", "Stop", "Reset"}
    press(at, "Pause")
    assert run_of(at).status is Status.PAUSED
    assert open_buttons(at) == {"Start anew", "Go on", "One step", "Stop", "Reset"}
    run_of(at).checkpoint()  # waits for the step that was under way
    before = run_of(at).history().step
    press(at, "One step")
    wait_until(lambda: not run_of(at).wants_work(), "one step")
    assert (run_of(at).status, run_of(at).history().step) == (Status.PAUSED, before + 1)
    assert metric(at.run(), "step") == str(before + 1)
    press(at, "Go on")
    assert run_of(at).status is Status.RUNNING
    wait_until(lambda: run_of(at).history().step > before + 1, "more steps")
    press(at, "Stop")
    assert run_of(at).status is Status.STOPPED
    assert open_buttons(at) == {"Start anew", "Reset"}
    assert fine(at)


def test_reset_is_the_same_run_with_the_same_numbers():
    at = trained(dropout=0.1)
    first = run_of(at)
    press(at, "Reset")
    wait_until(lambda: run_of(at).over, "the end of the second run")
    second = run_of(at)
    assert first.id != second.id and first.plan == second.plan
    np.testing.assert_array_equal(first.history().loss, second.history().loss)
    assert server.training_scheduler().get(first.id, "me") is None  # a window has one run


def test_start_anew_takes_the_new_settings():
    at = trained()
    before = run_of(at)
    turn(at, seed=8, steps=50)
    assert "You have turned a knob" in shown(at)
    assert run_of(at) is before
    press(at, "Start anew")
    assert run_of(at).plan.recipe.seed == 8 and run_of(at).plan.recipe.steps == 50
    assert "You have turned a knob" not in shown(at)


def test_a_rate_of_1000_is_told_and_can_be_started_anew():
    at = trained(rate=1e30)
    sentence = told(at)
    assert "training stopped at step" in sentence and "Lower the learning rate" in sentence
    turn(at, rate=0.01)
    press(at, "Start anew")
    wait_until(lambda: run_of(at).over, "the end of the second run")
    assert run_of(at).status is Status.DONE and fine(at.run())


@pytest.mark.parametrize("rate", [1e-300, 1e300])
def test_the_ends_of_the_rate(rate):
    at = trained(rate=rate, steps=50)
    assert not at.exception
    assert len(complaints(at)) == 1


REFUSED = {
    "no rate": ({"rate": 0.0}, ("learning rate", "above 0")),
    "a rate below 0": ({"rate": -0.003}, ("learning rate", "-0.003")),
    "no clipping": ({"clip": 0.0}, ("clip", "above 0")),
    "heads that do not divide": ({"n_heads": 3}, ("64", "3 heads", "try 2 or 4")),
    "no such device": ({"device": "cuda"}, ("no cuda device", "cpu")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_trained_is_declined_in_one_sentence(case, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    knobs, parts = REFUSED[case]
    at = open_page("training", **knobs)
    sentence = told(at)
    assert all(part in sentence for part in parts), sentence
    assert open_buttons(at) == set()


def test_a_model_too_large_to_train_is_declined_with_both_numbers():
    at = open_page("training")
    at.selectbox(key="preset").select("paper_base").run()
    sentence = told(at)
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, tie_embeddings="all")
    assert f"{count_by_formula(cfg):,}" in sentence and f"{limits.MAX_PARAMETERS:,}" in sentence
    assert open_buttons(at) == set()


def test_a_step_too_large_is_declined_with_both_numbers(monkeypatch):
    monkeypatch.setattr(limits, "MAX_STEP_TOKENS", 600)
    at = open_page("training")
    sentence = told(at)
    assert "608" in sentence and "600" in sentence  # 32 rows of 10 and 9


def test_a_full_server_says_so(monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS", 0)
    at = press(open_page("training", **EASY), "Start")
    assert "Unfinished runs on this server: 0" in told(at)
    assert open_buttons(at) == {"Start"}
    assert fine(at.run())  # told once


def test_a_run_in_line_says_which_it_is_and_starts_by_itself(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ACTIVE", 1)
    scheduler = server.training_scheduler()
    at = press(open_page("training", **LONG), "Start")
    ahead = run_of(at)
    monkeypatch.setattr(lab, "browser_token", lambda: "another browser")
    other = press(open_page("training", **EASY), "Start")
    assert fine(other)
    assert "number 1 in line" in shown(other)
    assert open_buttons(other) == {"Start anew", "Pause", "One step", "Stop", "Reset"}
    ahead.stop()
    wait_until(lambda: run_of(other).over, "the end of the run that waited")
    assert run_of(other).status is Status.DONE and scheduler.queue_position(run_of(other)) is None
    assert "in line" not in shown(other.run())


def test_the_more_runs_share_the_server_the_less_often_each_is_looked_at(monkeypatch):
    at = press(open_page("training", **LONG), "Start")
    run = run_of(at)
    assert run.status is Status.RUNNING
    paces = []
    for crowd in (1, 2, 4, 8, 16, 30):
        monkeypatch.setattr(Scheduler, "crowd", crowd)
        paces.append(watching._pace(run))
    assert paces == [0.2, 0.4, 0.8, 1.6, 3.2, 3.2]
    assert fine(at.run())


def test_as_long_as_a_run_may_take_is_told(monkeypatch):
    monkeypatch.setattr(limits, "MAX_MINUTES", 1e-9)
    at = trained()
    assert run_of(at).status is Status.STOPPED and run_of(at).history().step == 1
    assert "stopped after 1e-09 minutes of compute" in told(at)


def test_another_browser_watches(monkeypatch):
    at = press(open_page("training", **LONG), "Start")
    link = {"run": run_of(at).id}
    assert at.query_params["run"] == link["run"]
    wait_until(lambda: run_of(at).history().snapshots, "the first picture")
    monkeypatch.setattr(lab, "browser_token", lambda: "another browser")
    other = open_page("training", link)
    assert fine(other)
    assert "belongs to another browser" in shown(other)
    assert open_buttons(other) == {"Start anew"}
    assert len(figures(other)) >= 1
    turn(other, **EASY)
    press(other, "Start anew")
    assert run_of(other).id != link["run"] and run_of(other).owner == "another browser"
    assert (
        server.training_scheduler().get(link["run"], "another window").status is Status.RUNNING
    )  # the first one's run goes on


def test_a_reloaded_page_finds_its_run_again():
    at = press(open_page("training", **LONG), "Start")
    again = open_page("training", {"run": run_of(at).id})
    assert fine(again)
    assert run_of(again) is run_of(at)
    assert "Pause" in open_buttons(again)


def test_the_run_goes_on_while_other_pages_are_read():
    at = press(open_page("training", **LONG), "Start")
    run = run_of(at)
    for page in ("home", "heads", "training"):
        assert fine(go(at, page))
        assert at.query_params["run"] == run.id
    assert run.status is Status.RUNNING


def test_a_trained_model_opens_on_other_pages():
    at = trained(symbols=10)
    run = run_of(at)
    for button, page in (("Open on Heads", "Heads"), ("Open on Attention", "Attention, step by step")):
        press(go(at, "training"), button)
        assert fine(at)
        assert at.title[0].value == page
        assert f"Trained weights: copy numbers · {run.history().step:,} steps · " in shown(at)
        assert at.session_state["kind"] == "cross"
        if page == "Heads":
            ids = [int(n) for n in at.text_input(key="numbers").value.split()]
            stages = traced(checkpoint.from_bytes(run.checkpoint()).model, ids, ids[:-1])
            found = attention_view(at)["weights"]
            np.testing.assert_allclose(found, stages["decoder.0.cross_attn.weights"], rtol=1e-4, atol=1e-6)
    assert len(at.selectbox(key="model").options) == 2 + len(SHIPPED)  # random weights, what comes with the app, and this one


def test_a_model_of_few_symbols_opens_with_a_row_that_it_knows():
    at = press(trained(), "Open on Heads")
    assert fine(at)
    assert set(at.text_input(key="numbers").value.split()) <= {"1", "2"}


def test_a_model_that_adds_reads_a_sum_sign_by_sign():
    at = press(trained(task="addition", steps=50), "Open on Heads")
    assert fine(at)
    assert at.text_input(key="src").value == "27+58="
    at = open_page("heads", {"model": at.session_state["model"], "src": "08+9x="})
    assert fine(at)
    assert "read as \\<unk>: x" in shown(at)


def test_a_model_file_is_opened():
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=16, n_heads=2, d_ff=16, n_layers=1)
    data = checkpoint.to_bytes(Transformer(cfg), {"task": "copy", "steps": 7})
    at = open_page("training")
    at.file_uploader(key="upload").set_value(("m.safetensors", data, "application/octet-stream")).run()
    assert fine(at)
    assert "copy numbers · 7 steps" in shown(at)
    press(at, "Open on Heads")
    assert at.title[0].value == "Heads" and "Trained weights: copy numbers · 7 steps." in shown(at)


def uploaded(data: bytes, **knobs) -> AppTest:
    at = open_page("training", **EASY | knobs)
    return at.file_uploader(key="upload").set_value(("m.safetensors", data, "application/octet-stream")).run()


def test_a_downloaded_training_is_gone_on_with_as_if_it_had_never_stopped():
    whole = TrainingRun(TrainingPlan(CFG, CopyTask(3, 3), Recipe(steps=200, batch_size=8, rate=0.01), 1.1), "me")
    whole.advance(math.inf)
    paused = TrainingRun(whole.plan, "me")
    for _ in range(37):
        paused.advance(0)
    paused.pause()
    at = uploaded(paused.checkpoint(training=True), goal=100)
    assert fine(at)
    assert "after step 37" in shown(at)
    press(at, "Go on training")
    wait_until(lambda: run_of(at).over, "the end of the run")
    at.run()
    assert fine(at)
    history = run_of(at).history()
    np.testing.assert_array_equal(history.loss, whole.history().loss[37 : history.step])
    np.testing.assert_array_equal(figure(at, "training-curves").lines[0], history.loss)
    assert metric(at, "step") == str(history.step) and history.steps[0] == 38
    first = run_of(at)
    press(at, "Reset")  # once more from step 37
    wait_until(lambda: run_of(at).over, "the end of the second run")
    assert run_of(at) is not first
    np.testing.assert_array_equal(run_of(at).history().loss, history.loss)


def test_a_training_that_has_taken_all_its_steps_says_so():
    run = TrainingRun(TrainingPlan(CFG, CopyTask(3, 3), Recipe(steps=60, batch_size=8, rate=0.01), 1.1), "me")
    run.advance(math.inf)
    at = press(uploaded(run.checkpoint(training=True), steps=50), "Go on training")
    assert "all its 60 steps" in told(at)
    assert "_run" not in at.session_state or at.session_state["_run"] is None


def test_a_model_without_its_training_is_only_opened():
    at = uploaded(checkpoint.to_bytes(Transformer(CFG)))
    assert "Go on training" not in {button.label for button in at.button}


@pytest.mark.parametrize(
    "data", [b"", b"not a model", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "], ids=["empty", "text", "bare"]
)
def test_a_file_that_is_no_model_is_declined_in_one_sentence(data):
    at = open_page("training")
    at.file_uploader(key="upload").set_value(("m.safetensors", data, "application/octet-stream")).run()
    assert "cannot be opened" in told(at)
    assert open_buttons(at) == {"Start"}


def test_e7_the_schedule_and_the_smoothed_target_are_the_recipe_s():
    at = open_page("training", {"part": "Schedule and smoothing"}, d_model=96, warmup=70, rate=0.002, smoothing=0.2)
    assert fine(at)
    recipe = Recipe(rate=0.002, warmup=70)
    chosen, paper = figure(at, "schedule").lines
    np.testing.assert_allclose(chosen, [learning_rate(step, 96, recipe) for step in range(1, len(chosen) + 1)], rtol=1e-6)
    np.testing.assert_allclose(paper[:3], [512**-0.5 * step * 4000**-1.5 for step in (1, 2, 3)], rtol=1e-6)
    none, own, tenth = figure(at, "target").lines
    for bars, share in ((none, 0.0), (own, 0.2), (tenth, 0.1)):
        expected = np.full(11, share / 11)
        expected[1] += 1 - share
        np.testing.assert_allclose(bars, expected, rtol=1e-6)
    losses = figure(at, "confidence").lines
    assert all(len(line) == 120 for line in losses)
    assert losses[0][-1] < 0.01 < losses[2][-1] < losses[1][-1]
    assert "Start a run" in shown(at)


def test_a_link_may_name_the_task():
    at = open_page("training", {"task": "translate-fr"})
    assert at.selectbox(key="task").value == "translate-fr"
    assert fine(open_page("training", {"task": "no-such-task"}))
