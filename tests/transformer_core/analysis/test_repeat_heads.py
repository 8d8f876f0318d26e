"""Pins: the places that a repeating head looks at, by hand; and what is said of such heads: in two layers one head learns to
look at the token before, one of the next layer at the token after the last time, and neither is enough; one layer is not."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, generator, perturbed_model
from transformer_core import Trace, Trainer, Transformer
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.analysis.repeat_heads import HeadScores, after_last_time, head_scores, token_before, without_heads
from transformer_core.data.tasks import RepeatTask
from transformer_core.training.evaluation import exact_match
from transformer_core.training.learning_plan import default_config, plan_for

TASK = RepeatTask()
MOST = 400  # steps


def places(found: torch.Tensor) -> list[list[int]]:
    """Returns the keys of each query of the first row."""
    return [row.nonzero()[:, 0].tolist() for row in found[0]]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1, 5, 6, 7], [[], [], [], []]),
        ([1, 5, 6, 5, 6], [[], [], [], [2], [3]]),
        ([5, 5, 5, 5], [[], [1], [2], [3]]),  # the last time was the token before: behind it is the query itself
        ([1, 5, 6, 5, 7, 5], [[], [], [], [2], [], [4]]),  # the last of two times
        ([3, 4, 3, 4, 3], [[], [], [1], [2], [3]]),
        ([9], [[]]),
    ],
)
def test_the_token_after_the_last_time_and_the_one_before(row, expected):
    found = after_last_time(torch.tensor([row]))
    assert found.shape == (1, len(row), len(row)) and found.dtype == torch.bool
    assert places(found) == expected
    assert places(token_before(torch.tensor([row]))) == [[], *([i] for i in range(len(row) - 1))]


def test_each_row_has_its_own_places():
    rows = torch.tensor([[1, 5, 6, 5, 6], [1, 2, 2, 3, 1], [4, 3, 4, 4, 3]])
    for one, row in zip(after_last_time(rows), rows, strict=True):
        assert torch.equal(one, after_last_time(row[None])[0])
    assert token_before(rows).shape == (3, 5, 5)


@torch.no_grad()
def test_shares_are_means_over_the_queries_that_are_judged_and_over_the_others():
    """By a loop over rows and places."""
    model = perturbed_model(config(src_vocab=22, tgt_vocab=22, stacks="decoder"))
    batch = TASK.batch(9, generator(4), held_out=True)
    with Trace() as trace:
        model(batch.src, batch.tgt)
    found = head_scores(model, batch)
    assert found.after.shape == found.before.shape == (2, 3)
    for layer in (0, 1):
        weights = trace[f"decoder.{layer}.self_attn.weights"]
        for head in range(3):
            after, before = [], []
            for row in range(9):
                tokens = batch.tgt[row].tolist()
                for query in range(1, 20):
                    looked = weights[row, head, query]
                    if batch.judged[row, query]:
                        last = max(i for i in range(query) if tokens[i] == tokens[query])
                        after.append(float(looked[last + 1]))
                    else:
                        before.append(float(looked[query - 1]))
            np.testing.assert_allclose(found.after[layer, head], np.mean(after), rtol=1e-5)
            np.testing.assert_allclose(found.before[layer, head], np.mean(before), rtol=1e-5)
    padded = head_scores(model, batch.padded((0, 26), 0))
    np.testing.assert_allclose([padded.after, padded.before], [found.after, found.before], rtol=1e-4)


def test_the_best_head_has_the_largest_share():
    found = HeadScores(np.array([[0.1, 0.2], [0.9, 0.3]]), np.array([[0.1, 0.8], [0.0, 0.3]]))
    assert found.best(found.after) == HeadCut("decoder", 1, 0) and found.best(found.before) == HeadCut("decoder", 0, 1)


@cache
def learned(seed: int, **changes) -> tuple[Transformer, float]:
    """A model that has learned to repeat as well as it should, or for 400 steps; and the share that it has right then."""
    plan = plan_for("repeat", replace(default_config("repeat"), **changes), seed)
    trainer, share = Trainer(Transformer(plan.cfg, generator(seed)), plan.task, plan.recipe), 0.0
    while trainer.steps_taken < MOST and share < plan.target:
        trainer.take()
        if trainer.steps_taken % plan.recipe.evaluate_every == 0:
            share = trainer.share_right()
    return trainer.averaged().eval(), share


def share_without(model: Transformer, *heads: HeadCut) -> float:
    found = without_heads(model, TASK, TASK.batch(200, generator(99), held_out=True), heads)
    assert found.heads == heads and found.whole == exact_match(model, TASK, TASK.batch(200, generator(99), held_out=True))
    return found.without


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
def test_two_heads_that_work_together_repeat(seed):
    model, share = learned(seed)
    assert share >= 0.85
    found = head_scores(model, TASK.batch(200, generator(99), held_out=True))
    again, before = found.best(found.after), found.best(found.before)
    assert (again, before) == (HeadCut("decoder", 1, 0), HeadCut("decoder", 0, 0))
    assert found.after[1, 0] > 0.4 and found.before[0, 0] > 0.4
    assert share_without(model, again) < 0.2
    assert share_without(model, before) < 0.3
    alone = head_scores(cut_out(model, [before]), TASK.batch(200, generator(99), held_out=True))
    assert alone.after[1, 0] < found.after[1, 0] / 2  # it finds its place by what the other head notes


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_of_four_heads_one_can_be_missed_and_all_that_repeat_cannot(seed):
    model, share = learned(seed, n_heads=4)
    assert share >= 0.85
    found = head_scores(model, TASK.batch(200, generator(99), held_out=True))
    assert found.best(found.after).layer == 1 and share_without(model, found.best(found.after)) > 0.7
    high = [HeadCut("decoder", int(layer), int(head)) for layer, head in zip(*np.nonzero(found.after >= 0.3), strict=True)]
    assert len(high) > 1 and share_without(model, *high) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_one_layer_is_not_enough(seed):
    _model, share = learned(seed, n_layers=1)
    assert 0.1 < share < 0.45
