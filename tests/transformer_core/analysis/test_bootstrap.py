"""Pins: intervals are what the bootstrap says, written out once more, and hold the truth as often as the page claims."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import generator
from transformer_core import TASKS
from transformer_core.analysis import bootstrap
from transformer_core.analysis.cutting import cut_out, heads_of
from transformer_core.analysis.damage import row_losses
from transformer_core.commands.options import opened

COSTS = np.random.default_rng(5).exponential(size=60) ** 2


def test_the_interval_of_a_mean_by_a_plain_loop():
    found, distances = bootstrap.mean(COSTS), []
    for rows in np.random.default_rng(0).integers(60, size=(2000, 60)):
        drawn = COSTS[rows]
        distances.append((drawn.mean() - COSTS.mean()) / max(drawn.std(), 0.2 * COSTS.std()))
    low, high = np.quantile(distances, [0.01, 0.99])
    assert found.value == pytest.approx(COSTS.mean())
    assert found.low == pytest.approx(COSTS.mean() - high * COSTS.std())
    assert found.high == pytest.approx(COSTS.mean() - low * COSTS.std())


@pytest.mark.parametrize("values", [np.zeros(9), np.full(9, 0.25)])
def test_of_equal_costs_the_interval_is_their_value(values):
    assert bootstrap.mean(values) == bootstrap.Estimate(values[0], values[0], values[0])


@pytest.mark.parametrize("costly", [1, 2])
def test_of_a_single_costly_row_the_interval_is_finite(costly):
    """Many a draw lacks it, and has no spread of its own."""
    found = bootstrap.mean(np.array([1.0] * costly + [0.0] * 199))
    assert found.low < 0 < found.value < found.high < 0.1


def test_a_ratio_by_a_plain_loop():
    draws = np.random.default_rng(3)
    wholes = draws.integers(0, 5, size=40)
    parts = draws.binomial(wholes, 0.7)
    found, ratios = bootstrap.ratio(parts, wholes), []
    for rows in np.random.default_rng(0).integers(40, size=(2000, 40)):
        ratios.append(parts[rows].sum() / wholes[rows].sum())
    assert (found.low, found.high) == (pytest.approx(np.quantile(ratios, 0.025)), pytest.approx(np.quantile(ratios, 0.975)))
    assert found.value == parts.sum() / wholes.sum()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["everyday-fr", "everyday-zh"])
def test_as_many_intervals_hold_the_truth_as_the_page_says(name):
    """150 times 200 of 2,500 rows, for every head with even attention. The truth is the cost over all 2,500."""
    model, task, draws = opened(name).model, TASKS[name](), np.random.default_rng(1)
    batch = task.batch(2500, generator(7), held_out=True).trimmed(task.pad_id)

    def losses(each):
        return np.concatenate([row_losses(each, batch.rows(rows)) for rows in torch.arange(2500).split(500)])

    whole, held, below = losses(model), [], []
    for head in heads_of(model.cfg):
        costs = losses(cut_out(model, [head], "uniform")) - whole
        found = [bootstrap.mean(draws.choice(costs, 200, replace=False)) for _ in range(150)]
        held.append(np.mean([each.low <= costs.mean() <= each.high for each in found]))
        below.append(np.mean([each.high < costs.mean() for each in found]))
    assert len(held) == 24
    assert np.mean(held) == pytest.approx(bootstrap.COVERAGE, abs=0.015)
    assert min(held) > bootstrap.LEAST_COVERAGE
    assert np.mean(below) > 2 / 3 * (1 - np.mean(held)), "where one misses, the cost is mostly larger than it says"
