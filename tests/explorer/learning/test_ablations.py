"""Pins the ablations: what differs between the two models, what counts as what, and what the causal mask is for."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from explorer.learning.ablations import ABLATIONS, outcome, plans, starts_alike
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from tests.explorer.learning.helpers import finish
from transformer_core import CopyTask
from transformer_core.analysis.schedule import rates
from transformer_core.model.transformer import shapes_only
from transformer_core.training.cost import count_by_formula


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
    assert count_by_formula(ablated.cfg) == sum(p.numel() for p in shapes_only(ablated.cfg).parameters())


@pytest.mark.parametrize("name", ABLATIONS)
def test_only_what_changes_the_tensors_themselves_changes_where_the_others_begin(name):
    baseline, ablated = plans(name, seed=5)
    assert starts_alike(baseline, ablated) == (name not in ("cross", "width"))
    shifted = replace(ablated, recipe=replace(ablated.recipe, seed=6))
    assert not starts_alike(baseline, shifted)


def test_the_place_of_the_norm_is_compared_where_it_matters():
    """In a single layer both learn. Final norms, which pre-norm has of itself, are no part of the difference."""
    baseline, ablated = plans("norm", seed=0)
    assert baseline.cfg.n_layers == ablated.cfg.n_layers >= 2
    assert (baseline.cfg.norm, ablated.cfg.norm) == ("pre", "post")
    assert baseline.cfg.has_final_norm and ablated.cfg.has_final_norm
    assert count_by_formula(baseline.cfg) == count_by_formula(ablated.cfg)


def test_without_warm_up_the_peak_and_the_later_schedule_are_the_same():
    baseline, ablated = (rates(200, 64, plan.recipe) for plan in plans("warmup", seed=0))
    peak = baseline.argmax()
    assert baseline[0] < baseline[peak] == ablated[0] == ablated.max()
    np.testing.assert_array_equal(baseline[peak:], ablated[peak:])


def test_warm_up_is_compared_where_it_matters_and_smoothing_at_the_paper_s_amount():
    baseline, _ablated = plans("warmup", seed=0)
    assert (baseline.cfg.norm, baseline.cfg.n_layers) == ("post", 2)
    assert [plan.recipe.label_smoothing for plan in plans("smoothing", seed=0)] == [0.1, 0.0]


def history(steps: int, exact: float) -> RunHistory:
    line = np.ones(steps, dtype=np.float32)
    return RunHistory(
        plans("warmup", seed=0)[0], Status.DONE, None, 0, line, line, line, line, 1.0, np.array([[steps, exact]]), ()
    )


@pytest.mark.parametrize(
    ("baseline", "ablated", "found"),
    [
        ((200, 1.0), (200, 1.0), "same"),
        ((200, 1.0), (250, 0.99), "same"),
        ((200, 1.0), (260, 0.99), "slower"),
        ((250, 1.0), (200, 1.0), "same"),
        ((260, 1.0), (200, 1.0), "faster"),
        ((200, 1.0), (600, 0.98), "never"),
        ((600, 0.5), (600, 0.99), "faster"),
        ((600, 0.5), (600, 0.5), "never"),
    ],
)
def test_what_happened_is_measured_by_the_baseline(baseline, ablated, found):
    assert outcome(history(*baseline), history(*ablated)) == found


@pytest.mark.slow
def test_without_the_causal_mask_the_loss_falls_and_the_answers_stay_wrong():
    """On a model and a task so small that both are trained in a moment."""
    found = []
    for plan in plans("causal", seed=0):
        cfg = replace(plan.cfg, d_model=24, n_heads=3, d_ff=32, src_vocab=7, tgt_vocab=7)
        recipe = replace(plan.recipe, steps=200, rate=0.01, evaluate_every=200)
        found.append(finish(TrainingRun(replace(plan, cfg=cfg, task=CopyTask(7, 6), recipe=recipe, target=1.1), "me")))
    baseline, ablated = found
    assert ablated.loss[-1] < 0.1 and ablated.exact_match < 0.5 < baseline.exact_match
