"""Pins the training page: a run from start to end, its buttons, what is said of it, what is refused, where models go."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer import limits, resources
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.session import runs
from tests.explorer.learning.helpers import advance, same, wait_until
from tests.pages.helpers import (
    attention_view,
    complaints,
    component,
    field,
    figure,
    figures,
    fine,
    go,
    open_page,
    place,
    session_of,
    shown,
    told,
    traced,
    turn,
)
from tests.pages.stepped import EASY, another_browser, asleep, by_hand, open_buttons, press, run_of, start, step
from transformer_core import CopyTask, Recipe, Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.analysis.schedule import least_loss
from transformer_core.training.cost import count_by_formula
from transformer_core.training.folder import default_folder
from transformer_core.training.learning_plan import default_config, plan_for
from transformer_core.training.trainer import learning_rate

__all__ = ["another_browser", "by_hand"]
pytestmark = pytest.mark.usefixtures("by_hand")

CFG = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=16, n_heads=2, d_ff=16, n_layers=1, dropout=0.0, norm="pre")
PLAN = TrainingPlan(CFG, CopyTask(3, 3), Recipe(steps=50, batch_size=8, rate=0.01, warmup=60, average=0.05), 0.99)
MANY = {"symbols": 10, "length": 5, "batch_size": 32}  # ten thousand sequences
NEW, RESET = "play_circle", "replay"
UNDER_WAY = {NEW, "pause", "skip_next", "stop", RESET}


def metrics(at: AppTest) -> dict[str, str]:
    return {each.label: each.value for each in at.metric}


# A run


def test_a_run_is_shown_as_far_as_it_is():
    at = open_page("training", **EASY)
    assert fine(at)
    assert open_buttons(at) == {NEW} and [each.id.split("-training-")[-1] for each in figures(at)] == ["attention"]
    assert "50 steps" in shown(at) and "5% of the way" in shown(at), "what a start would do"
    start(at)
    run = run_of(at)
    assert run.plan == PLAN and run.status is Status.RUNNING
    assert open_buttons(at) == UNDER_WAY and not figures(at)
    step(at, 1)
    assert metrics(at)["step"] == "1" and metrics(at)["loss"] == f"{run.history().loss[0]:.3f}"
    step(at, 20)
    assert fine(at)
    history = run.history()
    curves = figure(at, "training-curves")
    for drawn, values in zip(curves.lines, (history.loss, history.evaluations[:, 1]), strict=True):
        np.testing.assert_allclose(drawn, values, rtol=1e-5)
    np.testing.assert_allclose(figure(at, "training-rate").lines[0], history.learning_rate, rtol=1e-5)
    assert [shape["y0"] for shape in curves.layout["shapes"][:2]] == [pytest.approx(math.log(2)), 0.99]
    assert metrics(at)["step"] == "21" and metrics(at)["exact match"] == f"{history.exact_match:.1%}"
    assert "Of the 4 sequences that it learns from." in [each.help for each in at.metric]


@pytest.mark.slow
def test_the_servers_own_workers_take_a_run_to_its_target(monkeypatch):
    monkeypatch.setattr(limits, "WORKERS", 1)
    at = start(open_page("training", **EASY | MANY | {"goal": 50, "steps": 300}))
    wait_until(lambda: run_of(at).over, "the end of the run")
    assert fine(at.run())
    history = run_of(at).history()
    assert history.status is Status.DONE and history.exact_match >= 0.5
    right, rows = history.final.exact_match, history.final.rows
    low, high = share_interval(right, rows)
    (words,) = (each.value for each in at.success)
    told = f"{history.exact_match:.1%} of 200", f"on {rows:,} different", f"{right:.1%} ({100 * low:.1f}–{high:.1%})"
    assert all(number in words for number in (f"{history.step:,}", *told))
    assert metrics(at)["exact match"] == f"{right:.1%}"
    assert open_buttons(at) == {NEW, RESET}


def test_a_target_that_is_not_reached_is_told():
    at = start(open_page("training", **EASY | MANY | {"rate": 1e-300}), 50)
    assert run_of(at).status is Status.DONE
    final = run_of(at).history().final
    assert "50" in told(at) and f"{final.exact_match:.1%}" in told(at) and f"of {final.rows} different held-out" in told(at)


@pytest.mark.parametrize(("rate", "ending"), [(0.01, "training stopped. There are too few"), (1e-300, "was not reached")])
def test_where_all_sequences_are_evaluated_none_are_said_to_be_held_out(rate, ending):
    at = start(open_page("training", **EASY | {"rate": rate, "goal": 50}), 50)
    history = run_of(at).history()
    assert history.status is Status.DONE and history.final.rows == 4
    (words,) = (each.value for each in (*at.success, *at.warning))
    assert f"{history.exact_match:.1%} of the 4 sequences that it learns from" in words and ending in words
    assert "held-out" not in words and "different" not in words


def test_e1_e7_the_paper_s_recipe_by_one_button_and_each_of_its_numbers_by_hand():
    at = open_page("training", **EASY | {"d_model": 24, "warmup": 70})
    press(at, "paper-recipe")
    assert fine(at)
    recipe = run_of(start(at)).plan.recipe
    assert (recipe.rate, recipe.warmup, recipe.label_smoothing, recipe.schedule) == (None, 4000, 0.1, "noam")
    assert (recipe.optimiser, recipe.betas, recipe.eps) == ("adam", (0.9, 0.98), 1e-9)
    at = open_page(
        "training", {"part": "schedule"}, **EASY | {"rate_rule": "paper", "warmup": 4000, "beta_2": 0.9, "adam_eps": 1e-6}
    )
    assert fine(at)
    width = session_of(at).settings.d_model
    np.testing.assert_allclose(
        figure(at, "schedule").lines[0][:50], [width**-0.5 * min(n**-0.5, n * 4000**-1.5) for n in range(1, 51)], rtol=1e-5
    )
    assert "equation 3, as it is." in shown(at)
    recipe = run_of(start(at)).plan.recipe
    assert (recipe.betas, recipe.eps, recipe.rate) == ((0.9, 0.9), 1e-6, None)
    assert "betas" in told(turn(at, beta_2=1.5))


def test_pause_one_step_resume_and_stop():
    at = start(open_page("training", **EASY), 2)
    run = run_of(at)
    press(at, "button-pause")
    step(at, 3)
    assert run.status is Status.PAUSED and metrics(at)["step"] == "2"
    assert open_buttons(at) == UNDER_WAY - {"pause"} | {"play_arrow"}
    press(at, "button-skip_next")
    step(at, 3)
    assert run.status is Status.PAUSED and metrics(at)["step"] == "3"
    press(at, "button-play_arrow")
    step(at, 3)
    assert run.status is Status.RUNNING and metrics(at)["step"] == "6"
    press(at, "button-stop")
    step(at, 3)
    assert run.status is Status.STOPPED and metrics(at)["step"] == "6"
    assert open_buttons(at) == {NEW, RESET}
    assert fine(at)


def test_the_first_run_is_slow_enough_to_be_watched_unless_somebody_says_otherwise():
    at = open_page("training", **EASY)
    assert at.toggle(key="slow_motion").value
    step(start(at), 15)
    assert fine(at) and at.toggle(key="slow_motion").value
    assert "slow motion" in component(at, f"scrubber-{run_of(at).id}-0")["note"]
    assert {each.step for each in run_of(at).history().snapshots} >= set(range(11))
    press(at, "button-stop")
    assert not at.toggle(key="slow_motion").value, "one has seen how it goes"
    start(at)
    assert not run_of(at).watched
    at.toggle(key="slow_motion").set_value(True).run()
    assert run_of(at).watched and at.query_params["pace"] == "slow"
    at.toggle(key="slow_motion").set_value(False).run()
    assert not run_of(at).watched and "pace" not in at.query_params
    assert not open_page("training", {"pace": "fast"}, **EASY).toggle(key="slow_motion").value


def test_what_nobody_has_chosen_is_as_the_model_on_screen_learns():
    at = open_page("training", {"task": "copy"}, **{"d_model": 32})
    (learned, chosen) = (session_of(at).settings.plan().recipe, field(at, "rate"))
    assert float(chosen.value) == learned.rate
    turn(at, d_model=128)
    again = session_of(at).settings.plan().recipe
    assert float(field(at, "rate").value) == again.rate != learned.rate
    field(at, "rate").set_value("0,25").run()
    turn(at, d_model=32)
    start(at)
    assert run_of(at).plan.recipe == replace(learned, rate=0.25)


def test_reset_is_the_same_run_and_a_new_run_takes_the_new_settings():
    at = start(open_page("training", **EASY | {"dropout": 0.1}), 6)
    first = run_of(at)
    press(at, "button-replay")
    second = run_of(step(at, 6))
    assert first.id != second.id and same(first.history(), second.history())
    assert resources.training_scheduler().view_run(first.id, "a test") is None, "a window has one run"
    words = len(at.caption)
    turn(at, seed=8, steps=100)
    assert run_of(at) is second and len(at.caption) == words + 1, "it is said that the settings have changed"
    press(at, "button-play_circle")
    assert run_of(at).plan.recipe == replace(second.plan.recipe, seed=8, steps=100) and fine(at)


def test_a_rate_without_measure_is_told_and_its_model_stays_here():
    at = start(open_page("training", **EASY | {"rate": 1e300}), 3)
    run = run_of(at)
    assert run.status is Status.FAILED
    assert str(run.history().message) in told(at)
    press(at, "open-heads")
    assert session_of(at).rerun.page == "training" and session_of(at).settings.model is None
    assert len(complaints(at)) == 2, "what became of the run, and that its weights cannot be opened"
    turn(at, rate=0.01)
    start(at, 2)
    assert fine(at) and run_of(at).history().step == 2


def test_as_long_as_a_run_may_take_is_told(monkeypatch):
    monkeypatch.setattr(limits, "MAX_MINUTES", 1e-9)
    at = start(open_page("training", **EASY), 3)
    assert run_of(at).status is Status.STOPPED and run_of(at).history().step == 1
    assert "1e-09" in told(at)


# What is refused

REFUSED = {
    "no rate": ({"rate": 0.0}, ("learning rate", "above 0")),
    "a rate below 0": ({"rate": -0.003}, ("learning rate", "-0.003")),
    "no clipping": ({"clip": 0.0}, ("clip", "above 0")),
    "too large": ({"d_model": 512, "d_ff": 2048, "n_layers": 6}, (f"{limits.MAX_PARAMETERS:,}",)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_trained_is_declined_in_one_sentence(case):
    settings, parts = REFUSED[case]
    at = open_page("training", {"task": "copy"}, **settings)
    assert all(part in told(at) for part in parts)
    assert open_buttons(at) == set()
    if case == "too large":
        cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=512, d_ff=2048, n_layers=6, n_heads=4, norm="pre")
        assert f"{count_by_formula(cfg):,}" in told(at)


@pytest.mark.parametrize("there", [(), ("cuda",), ("mps",)], ids=["none", "cuda", "mps"])
@pytest.mark.parametrize("asked", ["cuda", "mps", "tpu"])
def test_only_devices_that_are_there_are_offered_and_a_link_that_asks_for_another_is_told(there, asked, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in there)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in there)
    at = open_page("training", {"task": "copy", "device": asked})
    (offered,) = [each for each in at.button_group if each.key == "device"]
    assert list(offered.options) == ["cpu", *there]
    has_it = asked in there
    assert fine(at) if has_it or asked == "tpu" else told(at) == f"This server has no {asked} device. Training uses the CPU."
    assert offered.value == (asked if has_it else "cpu")
    assert fine(at.run()) and at.query_params.get("device", "cpu") == offered.value
    assert open_buttons(at) == {NEW}


def test_heads_that_do_not_fit_are_declined_and_the_nearest_that_do_are_offered():
    at = open_page("training", n_heads=3)
    assert "64" in told(at) and "3" in told(at)
    (offered, *_more) = [each.key for each in at.button if each.key.startswith("nearest-n_heads-")]
    start(press(at, offered), 1)
    assert fine(at) and run_of(at).plan.cfg.n_heads == int(offered.rpartition("-")[2])


def test_a_step_too_large_is_declined_with_both_numbers(monkeypatch):
    monkeypatch.setattr(limits, "MAX_STEP_TOKENS", 600)
    assert all(number in told(open_page("training", {"task": "copy"})) for number in ("608", "600"))  # 32 rows of 10 and 9


def test_a_full_server_says_so_once(monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS", 0)
    at = open_page("training", **EASY)
    before = place(at, f"button-{NEW}")
    press(at, f"button-{NEW}")
    assert "0" in told(at) and open_buttons(at) == {NEW}
    assert place(at, f"button-{NEW}") == before  # elsewhere, it would be on the page twice while the page is drawn
    assert session_of(at).run_id is None and fine(at.run())


@pytest.mark.parametrize(
    ("typed", "rate", "shown_as"),
    [("0,004", 0.004, "0.004"), ("4e-3", 0.004, "0.004"), ("0.004", 0.004, "0.004"), (" 1.250,5", 1250.5, "1250.5")],
)
def test_a_rate_is_read_with_a_comma_or_a_point_and_shown_as_it_was_understood(typed, rate, shown_as):
    at = open_page("training", {"task": "copy"})
    field(at, "rate").set_value(typed).run()
    assert field(at, "rate").value == shown_as and at.query_params["rate"] == shown_as and fine(at)
    start(at)
    assert run_of(at).plan.recipe.rate == rate
    linked = open_page("training", {"task": "copy", "rate": typed})
    assert fine(linked) and field(linked, "rate").value == shown_as


@pytest.mark.parametrize(
    ("typed", "words"),
    [("1,000", "“1,000” may mean 1 or 1000"), ("fast", "“fast” is not a number"), ("", "“” is not a number")],
)
def test_what_is_no_number_is_declined_in_one_sentence_and_the_rate_stays(typed, words):
    at = open_page("training", {"task": "copy"})
    usual = session_of(at).settings.plan().recipe.rate
    field(at, "rate").set_value(typed).run()
    assert f"{words}" in shown(at) and f"still {usual}" in shown(at) and field(at, "rate").value == typed
    start(at)
    assert run_of(at).plan.recipe.rate == usual and "rate" not in at.query_params
    field(at, "rate").set_value("0,5").run()
    assert words not in shown(at) and at.query_params["rate"] == "0.5"
    turn(at, d_model=128)
    assert field(at, "rate").value == "0.5"


# The server and its other visitors


def test_a_run_in_the_queue_says_which_it_is(monkeypatch, another_browser):
    monkeypatch.setattr(limits, "MAX_ACTIVE", 1)
    start(open_page("training", **EASY))
    another_browser()
    at = start(open_page("training", **EASY))
    assert fine(at)
    assert any("1" in each.value for each in at.info) and open_buttons(at) == UNDER_WAY


def test_whoever_has_the_link_watches_and_whoever_has_started_it_steers(another_browser):
    at = start(open_page("training", **EASY), 10)
    run = run_of(at)
    link = {"run": run.id}
    assert at.query_params["run"] == run.id
    another_browser()
    watcher = open_page("training", link, **EASY)
    assert fine(watcher)
    assert open_buttons(watcher) == {NEW} and figure(watcher, "training-curves")
    another_browser()
    again = open_page("training", link)  # the owner's page, reloaded
    assert run_of(again) is run and open_buttons(again) == UNDER_WAY
    another_browser()
    assert open_buttons(watcher.run()) == {NEW}, "who watches goes on watching"
    start(watcher)
    assert run_of(watcher) is not run and run_of(watcher).owner == "another browser"
    assert run.status is Status.RUNNING, "the other's run stays"


@pytest.mark.parametrize("page", ["training", "compare"])
def test_a_link_to_a_run_that_is_gone_says_so_and_is_kept(page):
    at = open_page(page, {"run": "gone"})
    assert told(at) and at.query_params["run"] == "gone"
    go(at, "training")
    assert told(at) and at.query_params["run"] == "gone"
    start(turn(at, **EASY))
    assert fine(at) and at.query_params["run"] == run_of(at).id


def restarted() -> None:
    """The server ends, and begins anew with the folder that it had."""
    resources.saved_runs().save()
    resources.stop()
    resources.model_store().forget_memory()


def test_after_a_restart_a_run_is_offered_to_its_owner_and_goes_on(another_browser):
    at = start(open_page("training", **EASY))
    run, link = run_of(at), dict(at.query_params)
    step(at, 20)
    restarted()
    again = open_page("training", link)
    assert fine(again) and f"after step {run.saved.step}" in shown(again) and run.saved.step >= 10
    assert again.query_params["run"] == run.id, "until it goes on, the link says what it said"
    fine(again.button(key="go-on-saved").click().run())
    goes_on = run_of(again)
    assert goes_on.plan.first_step == run.saved.step and again.query_params["run"] == goes_on.id
    assert "go-on-saved" not in {button.key for button in again.button}
    step(again, 3)
    assert goes_on.history().step == run.saved.step + 3
    restarted()
    another_browser()
    assert "not on this server" in told(open_page("training", link)), "nobody else is offered it"
    another_browser()
    at = open_page("training", link)
    at.button(key="forget-saved").click().run()
    assert "not on this server" in told(at)


@pytest.mark.parametrize("paused", [False, True])
def test_a_run_outlives_a_sleep_and_is_as_it_was_when_its_window_comes_back(monkeypatch, paused):
    at = start(open_page("training", **EASY))
    run, link = run_of(at), dict(at.query_params)
    step(at, 20)
    if paused:
        fine(at.button(key="button-pause").click().run())
    asleep(monkeypatch, 180)
    history = run.history()
    run.advance(0)
    assert run.resting and run.history().step == history.step, "nobody looks, and nothing is computed"
    again = open_page("training", link)
    assert fine(again) and run_of(again) is run and not run.resting
    assert run.status is (Status.PAUSED if paused else Status.RUNNING)
    assert figure(again, "training-curves")


def test_a_run_whose_window_was_closed_is_offered_to_its_owner_alone(monkeypatch, another_browser):
    at = start(open_page("training", **EASY))
    run = run_of(at)
    step(at, 7)
    asleep(monkeypatch, 180)
    again = open_page("training")
    assert fine(again) and f"at step {run.history().step}" in shown(again)
    fine(again.button(key="take-up").click().run())
    assert run_of(again) is run and again.query_params["run"] == run.id and not run.resting
    another_browser()
    assert "take-up" not in {button.key for button in open_page("training").button}
    another_browser()
    fine(open_page("training").button(key="forget-left").click().run())
    resources.saved_runs().save()
    assert run.over and resources.saved_runs().of(run.owner) == []


def test_a_run_that_has_rested_for_too_long_goes_on_from_its_file(monkeypatch):
    at = start(open_page("training", **EASY))
    run, link = run_of(at), dict(at.query_params)
    step(at, 20)
    asleep(monkeypatch, 180)
    asleep(monkeypatch, limits.REST)
    assert run.forgotten
    resources.saved_runs().save()
    again = open_page("training", link)
    assert fine(again) and f"after step {run.history().step}" in shown(again), "all that it had learned"
    fine(again.button(key="go-on-saved").click().run())
    assert run_of(again).plan.first_step == run.history().step


def test_after_a_restart_a_run_that_had_just_begun_is_offered_too_and_keeps_its_pace():
    for slow in (True, False):
        at = start(open_page("training", **EASY))
        run = run_of(at)
        assert run.watched and run.saved is None
        resources.stop()  # and saved_runs().save() was never called
        again = open_page("training")
        assert fine(again) and "had just begun" in shown(again)
        if not slow:
            again.toggle(key="slow_motion").set_value(False).run()
        fine(again.button(key="go-on-saved").click().run())
        assert run_of(again).plan == run.plan and run_of(again).watched is slow
        fine(again.button(key="button-stop").click().run())
        resources.saved_runs().save()


def test_a_run_that_was_over_and_is_resumed_from_an_earlier_step_is_saved_again():
    at = start(open_page("training", **EASY))
    step(at, 20)
    run = run_of(at)
    run.stop()
    resources.saved_runs().save()
    assert not list((default_folder() / "runs").iterdir())
    runs.go_back(run, 10, pause=True)
    assert run.status is Status.PAUSED and len(list((default_folder() / "runs").iterdir())) == 1


def test_a_state_that_cannot_be_read_any_more_is_told_once():
    at = start(open_page("training", **EASY))
    step(at, 20)
    restarted()
    again = open_page("training")
    for file in (default_folder() / "runs").iterdir():
        file.write_bytes(b"damaged")
    again.button(key="go-on-saved").click().run()
    assert "cannot be read" in told(again)
    assert fine(again.run())


def test_the_run_stays_on_screen_while_other_pages_are_read():
    at = start(open_page("training", **EASY))
    run = run_of(at)
    for page in ("home", "heads", "training"):
        assert fine(go(at, page))
        assert at.query_params["run"] == run.id
    assert run_of(at) is run and run.status is Status.RUNNING


# Where models go


def test_a_trained_model_opens_on_other_pages():
    at = start(open_page("training", **EASY | {"symbols": 10}), 3)
    press(at, "button-stop")
    run = run_of(at)
    press(at, "open-attention")
    assert fine(at) and session_of(at).rerun.page == "attention"
    press(go(at, "training"), "open-heads")
    assert fine(at) and session_of(at).rerun.page == "heads" and at.session_state["kind"] == "cross"
    ids = [int(n) for n in at.text_input(key="numbers").value.split()]
    stages = traced(checkpoint.from_bytes(run.checkpoint()).model, ids, ids[:-1])
    np.testing.assert_allclose(attention_view(at)["weights"], stages["decoder.0.cross_attn.weights"], rtol=1e-4, atol=1e-6)
    assert session_of(at).settings.model is not None


@pytest.mark.parametrize(
    ("task", "key", "source"), [("copy", "numbers", {"1", "2"}), ("addition", "src", {"27+58="})], ids=["few", "sums"]
)
def test_a_model_opens_with_a_source_that_it_can_read(task, key, source):
    at = start(open_page("training", **EASY | {"task": task}), 1)
    press(press(at, "button-stop"), "open-heads")
    assert fine(at) and session_of(at).rerun.page == "heads"
    assert set(at.text_input(key=key).value.split()) <= source


def uploaded(data: bytes, **settings) -> AppTest:
    at = open_page("training", **EASY | settings)
    return at.file_uploader(key="upload").set_value(("m.safetensors", data, "application/octet-stream")).run()


def test_a_model_file_is_opened():
    at = uploaded(checkpoint.to_bytes(Transformer(CFG), {"task": "copy", "steps": 7}))
    assert fine(at)
    assert not any(each.key == "continue-upload" for each in at.button), "there is no training in it"
    press(at, "open-upload")
    assert fine(at) and session_of(at).rerun.page == "heads" and session_of(at).shown().cfg == CFG


def test_a_downloaded_training_continues_as_if_it_had_never_stopped():
    whole, paused = (TrainingRun(replace(PLAN, target=1.1), "me") for _ in range(2))
    advance(whole, 18)
    advance(paused, 13)
    paused.pause()
    at = uploaded(paused.checkpoint(training=True), goal=100)
    assert fine(at)
    assert "13" in shown(at)
    for key in ("continue-upload", "button-replay"):  # Reset: once more from step 13
        step(press(at, key), 5)
        history = run_of(at).history()
        np.testing.assert_array_equal(history.loss, whole.history().loss[13:])
        np.testing.assert_array_equal(figure(at, "training-curves").lines[0], history.loss)
        assert metrics(at)["step"] == "18" and history.steps[0] == 14


def test_a_training_that_has_taken_all_its_steps_says_so():
    run = TrainingRun(replace(PLAN, target=1.1, recipe=replace(PLAN.recipe, evaluate_every=50)), "me")
    advance(run, 50)
    at = press(uploaded(run.checkpoint(training=True)), "continue-upload")
    assert "50" in told(at) and session_of(at).run_id is None


@pytest.mark.parametrize("data", [b"", b"not a model", b"\x08" + 7 * b"\x00" + b"{}      "], ids=["empty", "text", "bare"])
def test_a_file_that_is_no_model_is_declined_in_one_sentence(data):
    at = uploaded(data)
    assert told(at) and open_buttons(at) == {NEW}


# The other part, and links


def test_e7_the_schedule_and_the_smoothed_target_are_the_recipe_s():
    at = open_page("training", {"part": "schedule"}, **EASY | {"d_model": 96, "warmup": 70, "rate": 0.002, "smoothing": 0.2})
    assert fine(at)
    recipe = Recipe(rate=0.002, warmup=70)
    chosen, paper = figure(at, "schedule").lines
    np.testing.assert_allclose(chosen, [learning_rate(n, 96, recipe) for n in range(1, len(chosen) + 1)], rtol=1e-6)
    np.testing.assert_allclose(paper[:3], [512**-0.5 * n * 4000**-1.5 for n in (1, 2, 3)], rtol=1e-6)
    for bars, share in zip(figure(at, "target").lines, (0.0, 0.1, 0.2), strict=True):
        np.testing.assert_allclose(bars, [share / 3, 1 - share + share / 3, share / 3], rtol=1e-6)
    none, tenth, own = figure(at, "confidence").lines
    assert none[-1] < 0.01 < tenth[-1] < own[-1]
    assert len(figures(at)) == 3
    history = run_of(start(at, 5)).history()
    norms, losses = figure(at, "schedule-effect").lines
    np.testing.assert_allclose(norms, history.gradient_norm)
    np.testing.assert_allclose(losses, history.loss)
    assert f"{history.loss[-1]:.3f}" in shown(at) and f"below {least_loss(3, 0.2):.2f}" in shown(at)


def test_e7_in_a_language_the_least_loss_is_what_its_grammar_leaves_open():
    at = start(open_page("training", {"part": "schedule", "task": "small-fr"}), 1)
    assert fine(at)
    assert run_of(at).plan.least_loss == pytest.approx(0.089, abs=0.01) and "no model gets below about 0.09" in shown(at)


def test_e7_a_whole_language_has_its_own_schedule_and_the_targets_of_its_first_tokens():
    at = open_page("training", {"part": "schedule", "task": "everyday-fr"})
    assert fine(at)
    recipe = plan_for("everyday-fr", default_config("everyday-fr"), 0).recipe
    assert recipe.schedule == "cosine" and f"stays there up to step {round(0.3 * recipe.steps):,}" in shown(at)
    assert {len(bars) for bars in figure(at, "target").lines} == {12} and "The first 12 of 1,403 tokens" in shown(at)
