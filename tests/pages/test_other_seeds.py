"""Pins the comparison of models of several seeds: heads that were shuffled are found, means are those of the pairs, and what is
lacking learns one after another, on demand."""

import copy
import re
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer import resources
from explorer.learning.plan import TrainingPlan
from explorer.model_on_screen.cut_costs import damages, rows_of
from explorer.model_on_screen.other_seeds import aligned, matches, seed_model
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.session import learning
from explorer.ui.format import correlation_words
from tests.pages.helpers import figure, figures, fine, session_of, shown, turn, visit
from tests.transformer_core.helpers import perturbed_model
from transformer_core import CopyTask, Transformer
from transformer_core.analysis.cutting import heads_of
from transformer_core.analysis.damage import correlation
from transformer_core.analysis.head_matching import head_rows, likenesses, match_by
from transformer_core.data.batch import Batch
from transformer_core.training import learned, learning_plan
from transformer_core.training.learning_plan import LearningPlan

SIZES = {"d_model": 24, "n_heads": 3, "n_layers": 2, "d_ff": 48}
ORDERS = {1: [2, 0, 1], 2: [1, 0, 2]}  # of the heads of the models that are put at hand, by seed


def settings(d_ff: int = 48, **changes) -> ModelSettings:
    return replace(of_task("copy"), **SIZES | {"d_ff": d_ff} | changes)


def link(d_ff: int = 48, **more) -> dict[str, str]:
    sizes = {name: str(size) for name, size in (SIZES | {"d_ff": d_ff}).items()}
    return {"task": "copy", "part": "other_seeds", "other_seeds_count": "2", "numbers": "3 1 2 2 5 4"} | sizes | more


def shuffled(model: Transformer, order: list[int]) -> Transformer:
    """The same model with the heads of every attention in another order."""
    other, width = copy.deepcopy(model), model.cfg.d_k
    places = torch.cat([torch.arange(head * width, (head + 1) * width) for head in order])
    with torch.no_grad():
        for layer in [*other.encoder, *other.decoder]:
            for attention in (layer.self_attn, getattr(layer, "cross_attn", None)):
                for part in () if attention is None else (attention.w_q, attention.w_k, attention.w_v):
                    part.weight.copy_(part.weight[places].clone())
                    part.bias.copy_(part.bias[places].clone())
                if attention is not None:
                    attention.w_o.weight.copy_(attention.w_o.weight[:, places].clone())
    return other


def put(model: Transformer, of: ModelSettings, right: float = 0.5, plan: LearningPlan | None = None) -> None:
    """Has the store hold a model as what was learned with these settings."""
    plan = plan or of.plan()
    curve = np.array([[7.0, right, 1.0]])
    states = {7: learned.parameters_of(model)}
    resources.model_store().put(learned.Learned(plan.cfg, plan.task, plan.recipe, "learned", curve, 200, states, 1.0, plan.key))


@pytest.fixture(scope="module")
def at_hand() -> ModelSettings:
    """A model, and two others with the same heads in other orders."""
    own = settings()
    model = perturbed_model(own.plan().cfg, 3)
    put(model, own)
    for seed, order in ORDERS.items():
        put(shuffled(model, order), replace(own, seed=seed))
    return own


def finished(at) -> None:
    """Runs until nothing is measured, or learned, any more."""
    until = time.monotonic() + 120
    while at.get("progress") or not figures(at):
        assert fine(at.run()) and time.monotonic() < until
        time.sleep(0.05)


def test_heads_in_another_order_are_found_and_drawn(at_hand):
    at = visit(link(), "what_matters")
    finished(at)
    assert fine(at.run()) and not [each for each in at.button if each.key == "learn-seeds"]
    model = session_of(at).shown()
    alike = np.stack(figure(at, "seeds-matches").cells)[0]
    assert alike.shape == (6, 2) and (alike > 0.999).all()
    marks = figure(at, "seeds-matches").data["marks"]
    expected = [[f"{place // 3}·{order.index(place % 3)}" for order in ORDERS.values()] for place in range(6)]
    assert [[mark.split()[0] for mark in row] for row in marks] == expected
    assert [float(mark.split()[1]) for mark in marks[0]] == [1.0, 1.0]

    turn(at, kind="encoder", layer=1, head=2)
    own, *others = figure(at, "seeds-maps").cells
    np.testing.assert_allclose(own, model.attention("encoder", 1).map.weights[2], atol=1e-6)
    for each in others:
        np.testing.assert_allclose(each, own, atol=2e-3)  # weights are kept in half precision
    names = figure(at, "seeds-maps").names
    assert names == [
        "seed 0: layer 1, head 2",
        "seed 1: layer 1, head 0, alike 1.00",
        "seed 2: layer 1, head 2, alike 1.00",
    ]


def test_means_are_those_of_all_pairs_and_heads(at_hand):
    at = visit(link(), "what_matters")
    finished(at)
    choices = [seed_model(replace(at_hand, seed=seed)).choice for seed in range(3)]
    rows = rows_of(CopyTask())
    lots = [Batch(rows.src[i::2], rows.tgt[i::2], rows.labels[i::2]) for i in range(2)]
    learned = [resources.model_store().get(each.weights.id).model(7) for each in choices]
    untrained = [
        Transformer(model.cfg, generator=torch.Generator().manual_seed(seed)).eval() for seed, model in enumerate(learned)
    ]

    def pairs_of(models):
        maps = [tuple(head_rows(model, lot) for lot in lots) for model in models]
        both = ((maps[i], maps[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        return [match_by(*([likenesses(*lot)] for lot in zip(one, other, strict=True)), 3)["cross"] for one, other in both]

    def means(pairs, name):
        each = [getattr(pair, name).mean() for pair in pairs]
        return f"{np.mean(each):.2f} ({min(each):.2f}–{max(each):.2f})"

    found = [pairs_of(models) for models in (learned, untrained)]
    table = at.dataframe[0].value
    for row, name in enumerate(("matched", "same_number", "other_numbers")):
        assert [table["on screen"][row], table["untrained"][row]] == [means(pairs, name) for pairs in found], name
    assert list(table["heads compared"]) == [18, 18, 36]
    assert "(there are 3)" in shown(at) and "those of 3 models, each with each: they share models, and" in shown(at)
    assert "18 of 18 matches are in the same layer" in shown(at) and "Untrained heads are as much alike" not in shown(at)

    weights = aligned(choices, CopyTask(), 0.0)
    best = [int(each.weights.argmax()) for each in weights]
    words, table = shown(at), at.dataframe[1].value
    assert list(table["best aligned head"]) == [f"layer {at // 3}, head {at % 3}" for at in best]
    assert list(table["aligned weight"]) == [f"{each.weights.max():.2f}" for each in weights]
    assert list(table["right"]) == ["50.0% of 200"] * 3
    same = sum(each == best[0] for each in best[1:])
    assert (
        f"Of the other seeds (2), {same} have that head" in words and f"even attention would put {weights[0].even:.2f}" in words
    )
    assert "as likely as another, 1 in 6 would" in words


def test_a_model_that_learned_by_another_plan_is_left_out_of_the_means(monkeypatch):
    """One that was learned beforehand, for longer, as translators are."""

    def longer(*given):
        plan = learning_plan.plan_for(*given[:3])
        return replace(plan, recipe=replace(plan.recipe, steps=plan.recipe.steps + 1))

    monkeypatch.setattr(learning_plan, "has_thorough_plan", lambda task: True)
    monkeypatch.setattr(learning_plan, "thorough_plan", longer)
    own = settings(d_ff=64)
    model = perturbed_model(own.plan().cfg, 4)
    put(model, own, plan=own.plans()[0])
    put(perturbed_model(own.plan().cfg, 5), replace(own, seed=1))
    put(perturbed_model(own.plan().cfg, 6), replace(own, seed=2))
    at = visit(link(d_ff=64), "what_matters")
    finished(at)
    words = shown(at)
    assert "different in more than the seed: seed 0." in words and "(there are 1)" in words and "those of 2 models" in words
    choices = [seed_model(replace(own, seed=seed)).choice for seed in (1, 2)]
    (match,) = matches([(choices[0], choices[1])], CopyTask(), 0.0)
    table = at.dataframe[0].value
    assert table["on screen"][0].startswith(f"{match['cross'].matched.mean():.2f} (") and table["heads compared"][0] == 6
    assert table["on screen"][0] < table["untrained"][0] and "Untrained heads are as much alike" in words


def test_the_ranks_of_matched_heads(at_hand):
    at = visit(link(), "what_matters")
    finished(at)
    at.button(key="measure-ranks").click().run()
    finished(at)
    heads = heads_of(session_of(at).shown().cfg)
    choices = [seed_model(replace(at_hand, seed=seed)).choice for seed in range(3)]
    losses = [np.array([each.loss for each in damages(choice, CopyTask(), heads, "mean", 0.0)]) for choice in choices]
    table = at.dataframe[2].value
    top = heads[losses[0].argmax()]
    assert (table["layer"][0], table["head"][0]) == (top.layer, top.head)
    assert table["seed 0"][0] == f"#1 · {top.layer}·{top.head}"
    assert [int(each.split("#")[1].split(" ")[0]) for each in table["seed 0"]] == list(range(1, len(heads) + 1))
    expected = ", ".join(correlation_words(correlation(losses[0], each)) for each in losses[1:])
    words = re.search(r"other seed: (.*) when heads are matched, (.*) when they are taken", shown(at))
    assert words is not None and words[2] == expected
    assert all(float(each.split()[0]) > 0.9 for each in words[1].split(", ")), "the same heads in another order"
    assert [each.split(" · ")[1] for each in table["seed 1"]] == [
        f"{layer}·{ORDERS[1].index(head)}" for layer, head in zip(table["layer"], table["head"], strict=True)
    ]


@pytest.fixture
def short(monkeypatch) -> Iterator[list[int]]:
    """Models learn for two steps only; the seeds that were learned, in order."""
    begun: list[int] = []

    def of_run(plan) -> TrainingPlan:
        if not begun or begun[-1] != plan.recipe.seed:
            begun.append(plan.recipe.seed)
        recipe = replace(plan.recipe, steps=2, warmup=1, evaluate_every=1, evaluate_on=4)
        short = TrainingPlan(plan.cfg, plan.task, recipe, plan.target, plan.beyond, plan.gives_up)
        vars(short)["key"] = plan.key  # what it learns counts as what was asked for
        return short

    monkeypatch.setattr(learning, "_of_run", of_run)
    monkeypatch.setattr(resources, "learns_ahead", lambda: False)
    yield begun


def test_what_is_lacking_learns_one_after_another_when_asked(short):
    own = settings(d_ff=80)
    put(perturbed_model(own.plan().cfg, 7), own)
    at = visit(link(d_ff=80), "what_matters")
    assert fine(at) and not figures(at) and short == []
    assert "2 have to learn first" in shown(at) and session_of(at).learning.background_models is None
    at.button(key="learn-seeds").click().run()
    assert fine(at) and short == [1] and "Seed 1 (1 of 2) is learning" in at.get("progress")[0].proto.text
    assert [resources.learning().is_wanted(replace(own, seed=seed).plan().key) for seed in (1, 2)] == [True, False]
    finished(at)
    assert short == [1, 2] and session_of(at).learning.background_models is None
    assert all(seed_model(replace(own, seed=seed)) is not None for seed in (1, 2))
    assert len(figure(at, "seeds-maps").cells) == 3


def test_learning_can_be_cancelled_and_ends_with_another_model(short):
    own = settings(d_ff=112)
    for each in (own, replace(own, n_heads=2)):
        put(perturbed_model(each.plan().cfg, 8), each)
    at = visit(link(d_ff=112), "what_matters")
    at.button(key="learn-seeds").click().run()
    at.button(key="cancel-seeds").click().run()
    fine(at.run())
    wanted = resources.learning().is_wanted
    assert session_of(at).learning.background_models is None and not wanted(replace(own, seed=1).plan().key)
    assert at.button(key="learn-seeds")
    at.button(key="learn-seeds").click().run()
    assert session_of(at).learning.background_models is not None and wanted(replace(own, seed=1).plan().key)
    turn(at, n_heads=2)
    assert fine(at) and session_of(at).learning.background_models is None and not wanted(replace(own, seed=1).plan().key)


def test_before_learning_seeds_are_at_hand():
    at = visit(link(d_ff=96, step="0"), "what_matters")
    finished(at)
    assert fine(at) and len(figure(at, "seeds-maps").cells) == 3
    assert "those of 3 models" in shown(at), "nothing has been learned: they differ in their seed alone"
    assert list(at.dataframe[0].value) == ["how alike", "on screen", "heads compared"], "they are what is untrained"


@pytest.mark.parametrize("changes", [{"cross_attention": "off"}, {"n_heads": "1", "n_layers": "1"}])
def test_models_with_less(changes):
    at = visit(link(d_ff=96, step="0") | changes, "what_matters")
    finished(at)
    assert fine(at)
    if "cross_attention" in changes:
        assert "best aligned head" not in at.dataframe[1].value and "Encoder attention" in shown(at)
    else:
        assert len(at.dataframe[0].value) == 2, "of one head there are no different numbers"
