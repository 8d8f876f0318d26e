"""Pins the experiments: what differs between the two models, that a guess comes first, and words that say what happened."""

from dataclasses import asdict, astuple

import numpy as np
import pytest

from explorer import lab, server
from explorer.training import ablations
from explorer.training.ablations import ABLATIONS, TARGET, outcome, plans
from explorer.training.run_history import RunHistory, Status
from tests.explorer.training.helpers import wait_until
from tests.pages.helpers import figure, figures, fine, open_page, shown
from transformer_core import Transformer
from transformer_core.model.accounting import count_by_formula


@pytest.mark.parametrize("name", ABLATIONS)
def test_the_two_differ_in_what_is_said_and_in_nothing_else(name):
    baseline, ablated = plans(name, seed=5)
    ablation = ABLATIONS[name]
    for a, b, change in (
        (asdict(baseline.cfg), asdict(ablated.cfg), ablation.change),
        (asdict(baseline.recipe), asdict(ablated.recipe), ablation.recipe),
    ):
        assert {key for key in a if a[key] != b[key]} == set(change)
        assert {key: b[key] for key in change} == dict(change)
    assert bool(ablation.change) != bool(ablation.recipe)
    assert baseline.recipe.seed == ablated.recipe.seed == 5
    assert count_by_formula(ablated.cfg) == sum(p.numel() for p in Transformer(ablated.cfg, device="meta").parameters())


def history(steps: int, exact: float) -> RunHistory:
    looks = np.array([[steps, exact]])
    line = np.ones(steps, dtype=np.float32)
    return RunHistory(Status.DONE, "", 0, line, line, line, line, 1.0, looks, ())


@pytest.mark.parametrize(
    ("baseline", "ablated", "found"),
    [
        ((200, 1.0), (200, 1.0), "same"), ((200, 1.0), (250, 0.99), "same"), ((200, 1.0), (260, 0.99), "slower"),
        ((200, 1.0), (600, 0.98), "never"), ((600, 0.5), (600, 0.99), "same"), ((600, 0.5), (600, 0.5), "never"),
    ],
)  # fmt: skip
def test_what_happened_is_measured_by_the_baseline(baseline, ablated, found):
    assert outcome(history(*baseline), history(*ablated)) == found


def test_nothing_trains_before_a_guess():
    at = open_page("break_it")
    assert fine(at)
    assert not figures(at)
    assert at.button(key="train-both").disabled
    at.radio(key="guess-causal").set_value("never").run()
    assert not at.button(key="train-both").disabled
    assert "_pair" not in at.session_state


def begin(name: str, guess: str):
    at = open_page("break_it", experiment=name)
    at.radio(key=f"guess-{name}").set_value(guess).run()
    at.button(key="train-both").click().run()
    assert not at.exception
    return at


def pair(at):
    return [server.training_scheduler().get(run_id, lab.session()) for run_id in astuple(at.session_state["_pair"])[1:]]


def finished(at):
    wait_until(lambda: all(run.over for run in pair(at)), "the end of both runs")
    assert fine(at.run())
    return at


def test_without_the_causal_mask_it_cheats(monkeypatch):
    monkeypatch.setattr(ablations, "STEPS", 400)  # the baseline model needs about 240
    at = finished(begin("causal", "same"))
    baseline, ablated = (run.history() for run in pair(at))
    assert baseline.exact_match >= TARGET
    assert ablated.exact_match < 0.5
    assert ablated.loss[-1] < 0.1
    words = shown(at)
    assert "**It cheated**" in words
    assert "You expected “it learns just as well”; in this run it does not reach the target." in words
    assert f"loss {ablated.loss[-1]:.3f}" in words
    assert f"{baseline.exact_match:.1%} exact after {baseline.step:,} steps" in words
    drawn, cut = figure(at, "break-loss").lines
    np.testing.assert_array_equal(drawn[: baseline.step], baseline.loss)
    assert np.isnan(drawn[baseline.step :]).all()
    np.testing.assert_array_equal(cut[: ablated.step], ablated.loss)
    np.testing.assert_allclose(figure(at, "break-exact").lines[1], ablated.evaluations[:, 1], rtol=1e-6)
    for key, run in zip(("break-baseline", "break-ablated"), pair(at), strict=True):
        weights = run.history().snapshots[-1].weights["decoder.0.self_attn.weights"][0]
        drawn = np.stack(figure(at, key).cells)
        assert np.isnan(drawn).any() == (key == "break-baseline")  # the mask, of the one that has it
        np.testing.assert_allclose(np.nan_to_num(drawn), weights, rtol=1e-6)


def test_without_cross_attention_it_only_guesses(monkeypatch):
    monkeypatch.setattr(ablations, "STEPS", 60)
    at = finished(begin("cross", "never"))
    for key, run in zip(("break-baseline", "break-ablated"), pair(at), strict=True):
        weights = run.history().snapshots[-1].weights["decoder.0.self_attn.weights"][0]
        np.testing.assert_allclose(np.nan_to_num(np.stack(figure(at, key).cells)), weights, rtol=1e-6)
    assert "You expected “it does not reach the target”: so it was." in shown(at)
    assert pair(at)[1].history().loss[-1] > 1.8


def test_a_new_pair_takes_the_place_of_the_old_one():
    at = begin("warmup", "same")
    first = pair(at)
    at.button(key="train-both").click().run()
    second = pair(at)
    assert {run.id for run in first}.isdisjoint(run.id for run in second)
    assert all(run.status is Status.STOPPED for run in first)
    for run in second:
        server.training_scheduler().remove(run)
    assert fine(at.run())
    assert "no longer on the server" in shown(at)
