"""Pins the page of ablations: a guess comes first, and the words say what these two runs did."""

import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer import limits, resources
from explorer.learning import ablations
from explorer.learning.ablations import ABLATIONS, OUTCOMES, STEPS, TARGET, plans
from explorer.learning.comparison import differences
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.ui.format import plain, share_words
from explorer.ui.setting_names import setting_name, setting_value
from tests.explorer.learning.helpers import advance
from tests.pages.helpers import figure, figures, fine, go, open_page, session_of, shown, told
from tests.pages.stepped import another_browser, asleep, by_hand, press
from transformer_core.analysis.schedule import least_loss, rates, smoothed_target
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.learning import Learning

__all__ = ["another_browser", "by_hand"]
pytestmark = pytest.mark.usefixtures("by_hand")


def guess_of(at: AppTest, name: str, which: str = "first"):
    return at.radio(key=f"expect-{which}-break-{name}")


def guessed(at: AppTest, name: str, guess: str, which: str = "first") -> AppTest:
    return guess_of(at, name, which).set_value([*OUTCOMES].index(guess)).run()


def begin(name: str, guess: str, steps: int = 0) -> AppTest:
    at = open_page("break_it", {"experiment": name}, **{"details-break": True})
    guessed(at, name, guess)
    press(at, "train-both")
    for run in pair(at):
        advance(run, steps)
    return at.run()


def pair(at: AppTest) -> list[TrainingRun]:
    found = session_of(at).ablation
    runs = [resources.training_scheduler().view_run(run_id, "a test") for run_id in (found.baseline, found.ablated)]
    assert all(runs)
    return runs


def ended(at: AppTest, monkeypatch, *said: tuple[int, float, float]) -> AppTest:
    """As if the two had ended so: steps, exact match, loss of the last step."""
    for run, (steps, exact, loss) in zip(pair(at), said, strict=True):
        losses = np.linspace(2.5, loss, steps, dtype=np.float32)
        final = FinalEvaluation(exact - 0.02, 900)  # not as lucky as the evaluation that it stopped at
        history = replace(run.history(), status=Status.DONE, loss=losses, evaluations=np.array([[steps, exact]]), final=final)
        monkeypatch.setattr(run, "history", lambda history=history: history)
    return at.run()


def test_nothing_trains_before_a_guess():
    at = open_page("break_it")
    assert fine(at)
    assert at.button(key="train-both").disabled
    guessed(at, "causal", "never")
    assert not at.button(key="train-both").disabled and session_of(at).ablation is None


@pytest.mark.parametrize("name", list(ABLATIONS))
def test_what_will_be_compared_is_shown_before_it_begins(name):
    at = open_page("break_it", {"experiment": name}, seed=3)
    assert fine(at)
    baseline, ablated = plans(name, 3)
    for setting, value in differences(baseline, ablated).items():
        before, after = (setting_value(setting, each) for each in (differences(ablated, baseline)[setting], value))
        assert f"**{setting_name(setting)}: {before} → {after}**" in shown(at)
    assert "True" not in shown(at) and "n_heads" not in shown(at), "in words, not as in the code"
    (drawn,) = figures(at)
    if name == "smoothing":
        for line, share in zip(drawn.lines, (0.1, 0.0), strict=True):
            np.testing.assert_allclose(line, smoothed_target(11, 1, share), rtol=1e-6)
        return
    if name == "warmup":
        for line, plan in zip(drawn.lines, (baseline, ablated), strict=True):
            np.testing.assert_allclose(line, rates(STEPS, plan.cfg.d_model, plan.recipe), rtol=1e-6)
        return
    kind = "self_attn" if name == "causal" else "cross_attn"
    plans_drawn = [plan for plan in (baseline, ablated) if plan.cfg.cross_attention]
    for cells, plan in zip(drawn.cells, plans_drawn, strict=True):
        begun = Learning(plan, plan.keep).trainer.probe()
        weights = begun.weights[f"decoder.{plan.cfg.n_layers - 1}.{kind}.weights"][0].mean(dim=0).numpy()
        assert np.isnan(cells).any() == (name == "causal" and plan.cfg.causal)
        np.testing.assert_allclose(np.nan_to_num(cells), weights, atol=1e-3)


@pytest.mark.parametrize("name", ["causal", "cross"])
def test_the_two_are_shown_as_far_as_they_are(name, monkeypatch):
    monkeypatch.setattr(ablations, "STEPS", 2)  # an evaluation, and with it a snapshot, at the end
    at = begin(name, "same", steps=1)
    assert fine(at) and not at.success
    for run in pair(at):
        advance(run, 1)
    at.run()
    for line, run in zip(figure(at, "break-loss").lines, pair(at), strict=True):
        np.testing.assert_array_equal(line, run.history().loss)
    for line, run in zip(figure(at, "break-exact").lines, pair(at), strict=True):
        np.testing.assert_allclose(line, run.history().evaluations[:, 1])
    having = [run for run in pair(at) if name == "causal" or run.plan.cfg.cross_attention]
    kind = "self_attn" if name == "causal" else "cross_attn"
    for cells, run in zip(figure(at, "break-attention").cells, having, strict=True):
        weights = run.history().snapshots[-1].weights[f"decoder.0.{kind}.weights"][0].astype(np.float32).mean(axis=0)
        assert np.isnan(cells).any() == (name == "causal" and run.plan.cfg.causal)  # the mask, of the one that has it
        np.testing.assert_allclose(np.nan_to_num(cells), weights, rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "guess", "baseline", "ablated", "found"),
    [
        ("causal", "same", (240, 1.0, 0.01), (600, 0.285, 0.001), "never"),
        ("heads", "same", (240, 0.995, 0.01), (250, 1.0, 0.02), "same"),
        ("warmup", "same", (400, 0.995, 0.01), (250, 1.0, 0.02), "faster"),
        ("width", "never", (240, 0.995, 0.01), (600, 0.2, 0.02), "never"),
        ("smoothing", "same", (240, 0.995, 0.53), (250, 1.0, 0.02), "same"),
        ("scale", "never", (240, 0.995, 0.01), (400, 0.99, 0.02), "slower"),
        ("scale", "slower", (240, 0.995, 0.01), (400, 0.99, 0.02), "slower"),
    ],
)
def test_what_happened_is_told_beside_what_was_expected(name, guess, baseline, ablated, found, monkeypatch):
    at = ended(begin(name, guess), monkeypatch, baseline, ablated)
    assert fine(at)
    (verdict,) = (each.value for each in at.success)
    words = f"{verdict} {shown(at)}"
    for steps, exact, loss in (baseline, ablated):
        assert all(number in words for number in (f"{exact - 0.02:.1%}", "900", f"{steps:,}", f"{loss:.3f}"))
        assert f"{exact:.1%}" not in verdict
    assert OUTCOMES[guess] in words and OUTCOMES[found] in words
    assert ("cheated" in words) == (name == "causal")
    if name == "causal":
        assert f"of 900 sequences, {share_words(ablated[1] - 0.02, 900)} come out right" in words
    differs = {
        "causal": "**causal mask: on → off**",
        "scale": "**score: scaled_dot → dot**",
        "warmup": "**linear warm-up: on → off** alone",
        "width": "**d_model: 64 → 8** differs, and with it the initial weights",
    }
    assert "**In these two runs**" in words and differs.get(name, "both learn, about as fast") in words
    assert "because" not in words.lower(), "two runs show none"
    assert "seed" in words, "what would"
    assert ("As you expected" in words) == (guess == found)
    assert guess_of(at, name).disabled, "nobody has known it all along"
    go(go(at, "home"), "break_it")
    assert at.success[0].value == verdict


def test_it_asks_why_and_after_the_result_about_the_next_part(monkeypatch):
    at = begin("cross", "never")
    assert session_of(at).controls.remembered["said-break"].startswith("3__")
    with monkeypatch.context() as patched:
        patched.setattr(TrainingRun, "over", True)
        at = ended(at, patched, (240, 1.0, 0.01), (600, 0.2, 2.3))
        assert fine(at) and at.button(key="train-new").disabled
        at = guessed(at, "residual", "slower", "new")
    press(at, "train-new")
    assert fine(at) and at.selectbox(key="experiment").value == "residual"
    assert (session_of(at).ablation.name, session_of(at).ablation.guess) == ("residual", "slower")
    assert guess_of(at, "residual").value == [*OUTCOMES].index("slower") and guess_of(at, "residual").disabled


def test_a_reason_is_asked_for_once_something_is_expected():
    at = open_page("break_it")
    assert not at.main.text_input and not at.main.button_group
    at = guessed(at, "causal", "never")
    (why,) = at.main.button_group
    why.set_value(1).run()
    at.main.text_input[0].set_value("it *peeks*").run()
    press(at, "train-both")
    assert any(each.value == plain("it *peeks*") for each in at.main.caption) and "peeks" not in str(dict(at.query_params))
    assert session_of(at).controls.remembered["said-break"].startswith("31_")
    assert open_page("break_it", {"said-break": "99_1234"}).main.radio[0].value is None


def with_rows(at: AppTest, monkeypatch, *right: list[bool]) -> AppTest:
    """As if the two had got these of the rows right that are looked at."""
    for run, rows in zip(pair(at), right, strict=True):
        history = run.history()
        seen = replace(history.snapshots[-1], right=np.array(rows))
        told = replace(history, snapshots=(seen,))
        monkeypatch.setattr(run, "history", lambda history=told: history)
    return at.run()


def written(at: AppTest) -> list[str]:
    """What is asked, and what both write, each with its verdict, without markup."""
    (box,) = (each.proto.body for each in at.get("html") if 'class="answer-now"' in each.proto.body)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", line)).strip() for line in re.findall(r"<p.*?</p>", box)]


@pytest.mark.parametrize(
    ("baseline", "ablated", "row"),
    [
        ([True, True, True, True], [True, True, False, False], 2),
        ([True, False, True, True], [True, True, True, True], 1),
        ([True, True, True, True], [True, True, True, True], 0),
    ],
)
def test_at_the_end_a_row_that_fails_is_shown_where_there_is_one(baseline, ablated, row, monkeypatch):
    monkeypatch.setattr(ablations, "STEPS", 2)
    at = begin("causal", "same", steps=2)
    ended(at, monkeypatch, (240, 1.0, 0.01), (600, 0.303, 0.001))
    with_rows(at, monkeypatch, baseline, ablated)
    assert fine(at)
    asked, one, other = written(at)
    plan, seen = pair(at)[0].plan, pair(at)[0].history().snapshots[-1]
    assert asked == f"asked {' '.join(plan.task.vocabulary.decode(seen.probe.src[row].tolist()))}"
    assert ("✓" in one, "✓" in other) == (baseline[row], ablated[row])
    assert ("4 rows that are looked at here come out right" in at.success[0].value) == all(ablated)
    drawn = figure(at, "break-attention").cells[0]
    weights = seen.weights["decoder.0.self_attn.weights"][row].astype(np.float32).mean(axis=0)
    np.testing.assert_allclose(np.nan_to_num(drawn), weights, rtol=1e-3)


def test_smoothing_is_seen_in_how_sure_both_are(monkeypatch):
    monkeypatch.setattr(ablations, "STEPS", 2)
    at = begin("smoothing", "same", steps=2)
    assert fine(at)
    for line, run in zip(figure(at, "break-confidence").lines, pair(at), strict=True):
        seen = run.history().snapshots[-1]
        right = [
            seen.probabilities[row, place, label]
            for row, labels in enumerate(seen.probe.labels.tolist())
            for place, label in enumerate(labels)
        ]
        np.testing.assert_allclose(line[-1], np.mean(np.float32(right)), rtol=1e-4)
    assert f"at least {least_loss(11, 0.1):.3f}" in shown(at) and "Measured with the seeds 0 to 4" in shown(at)


def test_the_sidebar_has_the_seed_alone_and_the_pair_takes_it():
    at = open_page("break_it", seed=3)
    beside = {each.key for kind in ("text_input", "select_slider", "slider", "selectbox") for each in getattr(at.sidebar, kind)}
    assert {key.split("--")[0] for key in beside} == {"seed-slider", "seed"}
    assert not at.sidebar.expander and not at.sidebar.get("bidi_component")
    at.sidebar.select_slider[0].set_value(2).run()
    assert "the seed, 2," in shown(at)


def test_a_baseline_that_has_not_learned_either_is_told(monkeypatch):
    at = ended(begin("width", "never"), monkeypatch, (600, 0.5, 0.5), (600, 0.2, 0.9))
    assert f"The baseline has not reached {TARGET:.0%} either" in at.success[0].value
    ended(at, monkeypatch, (600, 0.5, 0.5), (600, 0.995, 0.1))
    assert f"Only the ablated model has reached {TARGET:.0%}" in at.success[0].value
    assert f"{TARGET:.0%}" not in ended(at, monkeypatch, (600, 1.0, 0.5), (600, 0.2, 0.9)).success[0].value


def test_a_run_that_fails_is_told(monkeypatch):
    monkeypatch.setitem(ABLATIONS, "norm", replace(ABLATIONS["norm"], both={"rate": 1e30}))
    at = begin("norm", "same", steps=3)
    assert {run.status for run in pair(at)} == {Status.FAILED}
    assert len(at.warning) == 2 and all("step" in each.value for each in at.warning)


def test_a_new_pair_takes_the_place_of_the_old_one_and_one_that_is_gone_is_told():
    at = begin("warmup", "same")
    first = pair(at)
    press(at, "train-both")
    second = pair(at)
    assert {run.id for run in first}.isdisjoint(run.id for run in second)
    assert all(run.status is Status.STOPPED for run in first)
    words = shown(at)
    for run in second:
        resources.training_scheduler().remove_run(run)
    assert fine(at.run()) and shown(at) != words and not figures(at)


def test_a_full_server_says_so_on_this_page(monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS", 1)
    at = open_page("break_it", {"experiment": "warmup"})
    guessed(at, "warmup", "same")
    press(at, "train-both")
    assert "1" in told(at) and session_of(at).ablation is None
    assert not resources.training_scheduler()._runs  # the first of the two does not go on alone


def test_a_pair_outlives_a_sleep_and_belongs_to_its_browser_and_to_no_comparison(monkeypatch, another_browser):
    at = begin("positions", "never", 20)
    link, both = dict(at.query_params), pair(at)
    assert session_of(open_page("break_it", link)).ablation is None, "it is on screen in another window"
    assert not open_page("compare").dataframe, "a pair is read where its question is"
    asleep(monkeypatch, 180)
    another_browser()
    assert session_of(open_page("break_it", link)).ablation is None
    another_browser()
    again = open_page("break_it", link)
    assert fine(again) and pair(again) == both and not any(run.resting for run in both)
    assert "baseline: step 20" in again.get("progress")[0].proto.text
    asleep(monkeypatch, 180)
    asleep(monkeypatch, limits.REST)
    assert not resources.training_scheduler().runs() and session_of(open_page("break_it", link)).ablation is None
    assert not open_page("compare").dataframe
