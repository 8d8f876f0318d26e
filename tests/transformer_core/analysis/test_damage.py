"""Pins: what a cut costs is what a plain loop finds, and its interval holds what it should."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import TGT, config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis import bootstrap
from transformer_core.analysis.cutting import HeadCut, WordCut, cut_out
from transformer_core.analysis.damage import (
    Damage,
    correlation,
    damage,
    erasures,
    moves,
    rank_correlation,
    row_losses,
    sharpness,
)
from transformer_core.data.batch import Batch
from transformer_core.model.stages import attention_path


def rows(model, seed, count=4):
    src, tgt = token_ids(model.cfg, batch=count, seed=seed)
    labels = torch.roll(tgt, -1, dims=1)
    labels[:, -1] = 3
    labels[1, 2:] = model.cfg.pad_id
    return Batch(src, tgt, labels)


@torch.no_grad()
def test_the_loss_of_each_row_by_a_plain_loop():
    model = perturbed_model(config(), 1)
    batch = rows(model, 1)
    found = row_losses(model, batch)
    for row in range(len(batch.src)):
        probabilities = model(batch.src[row : row + 1], batch.tgt[row : row + 1])[0].softmax(-1)
        real = [t for t in range(TGT) if batch.labels[row, t] != 0]
        expected = -sum(math.log(probabilities[t, batch.labels[row, t]]) for t in real) / len(real)
        assert found[row] == pytest.approx(expected, abs=1e-5)
    cut = row_losses(cut_out(model, [HeadCut("cross", 0, 1)]), batch)
    assert damage(found, cut).loss == pytest.approx(float(np.mean(cut - found)))


def test_the_interval_is_that_of_the_rows_drawn_with_repeats():
    draws = np.random.default_rng(2)
    whole = draws.normal(size=300)
    added = draws.normal(0.3, 0.5, size=300)
    found = damage(whole, whole + added)
    estimate = bootstrap.mean(added)
    assert (found.loss, found.low, found.high, found.n) == pytest.approx((added.mean(), estimate.low, estimate.high, 300))
    assert not found.holds_zero and damage(whole, whole + added - added.mean()).holds_zero
    nothing = damage(whole, whole)
    assert (nothing.loss, nothing.low, nothing.high, nothing.holds_zero) == (0, 0, 0, True)
    assert found == damage(whole, whole + added) and isinstance(found, Damage)


def test_two_cuts_whose_intervals_overlap_can_cost_unlike():
    draws = np.random.default_rng(5)
    whole, rows = draws.normal(size=200), draws.normal(0.3, 1.0, size=200)
    one, other = damage(whole, whole + rows + 0.05 + draws.normal(0, 0.05, size=200)), damage(whole, whole + rows)
    assert one.low < other.high, "they overlap"
    apart = one.beyond(other)
    assert apart.loss == pytest.approx(one.loss - other.loss) and apart.low > 0
    assert apart.high < 0.07 and not other.beyond(one).high >= 0


@torch.no_grad()
def test_the_largest_weight_of_each_head_without_padding():
    model = perturbed_model(config(), 3)
    batch = rows(model, 3)
    with Trace() as trace:
        model(batch.src, batch.tgt)
    found = sharpness(model, batch)
    assert len(found) == 6
    for kind, real in (("encoder", batch.src != 0), ("decoder", batch.labels != 0), ("cross", batch.labels != 0)):
        name = attention_path(kind, 1).stage("weights")
        for head in range(3):
            expected = [trace[name][row, head, query].max() for row, query in real.nonzero().tolist()]
            assert found[name][head] == pytest.approx(float(np.mean(expected)), abs=1e-6)


@torch.no_grad()
def test_what_a_word_is_worth_to_each_word_of_the_answer():
    model = perturbed_model(config(norm="pre"), 4)
    src, tgt = token_ids(model.cfg, batch=1, seed=4)
    src, labels = src.clamp_min(1), torch.roll(tgt, -1, dims=1)
    (found,) = erasures(model, src, tgt, labels)
    assert found.shape == (TGT, src.size(1))
    for place in range(src.size(1)):
        without = cut_out(model, [WordCut("src", place)])(src, tgt)[0].double().log_softmax(-1)
        whole = model(src, tgt)[0].double().log_softmax(-1)
        for t in range(TGT):
            assert found[t, place] == pytest.approx(float(whole[t, labels[0, t]] - without[t, labels[0, t]]), abs=1e-6)


@torch.no_grad()
@pytest.mark.parametrize("side", ["src", "tgt"])
def test_hiding_a_word_of_many_rows_is_hiding_it_in_each(side):
    model = perturbed_model(config(norm="post"), 5)
    batch = rows(model, 5)
    found = erasures(model, batch.src, batch.tgt, batch.labels, side)
    assert found.shape == (4, TGT, batch.src.size(1) if side == "src" else TGT)
    for row in range(4):
        one = [each[row : row + 1] for each in (batch.src, batch.tgt, batch.labels)]
        np.testing.assert_allclose(found[row], erasures(model, *one, side)[0], atol=1e-5)
    if side == "src":
        np.testing.assert_allclose(found[-1, :, -2:], 0, atol=1e-6)  # padding, which nothing attends to anyway
        assert np.abs(found[0]).max() > 0.01
    else:
        for word in range(TGT):  # hidden from those that come after it, and from itself
            np.testing.assert_allclose(found[:, :word, word], 0, atol=1e-6)
            assert np.abs(found[2, word:, word]).min() > 0


@torch.no_grad()
def test_how_far_the_encoder_s_output_moves_without_a_word():
    model = perturbed_model(config(norm="pre"), 6)
    src, _tgt = token_ids(model.cfg, seed=6)
    found = moves(model, src)
    assert found.shape == (2, src.size(1), src.size(1))
    whole = model.encode(src).numpy().astype(np.float64)
    keep = torch.ones(1, 1, src.size(1), src.size(1), dtype=torch.bool)
    keep[..., 3] = False
    hidden = model.encode(src, keep & model.src_mask(src)).numpy().astype(np.float64)
    for row in range(2):
        for place in range(src.size(1)):
            apart = math.sqrt(((hidden[row, place] - whole[row, place]) ** 2).sum())
            assert found[row, place, 3] == pytest.approx(apart / math.sqrt((whole[row, place] ** 2).sum()), abs=1e-5)
    np.testing.assert_allclose(found[-1, :, -2:], 0, atol=1e-6)


def test_ranks_are_compared_and_equal_values_share_theirs():
    assert rank_correlation(np.array([1, 5, 9]), np.array([10, 20, 1000])) == 1
    assert rank_correlation(np.array([1, 5, 9]), np.array([3, 2, 1])) == pytest.approx(-1)
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / √(4.5 · 5).
    assert rank_correlation(np.array([1, 2, 2, 3]), np.array([1, 2, 3, 4])) == pytest.approx(4.5 / math.sqrt(22.5))
    assert math.isnan(rank_correlation(np.array([1, 1, 1]), np.array([1, 2, 3])))


def test_the_interval_of_a_rank_correlation_holds_the_truth_in_19_of_20_draws():
    draws, held = np.random.default_rng(8), 0
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman's, of normal numbers that are correlated by 0.6
    for _ in range(400):
        one, noise = draws.normal(size=24), draws.normal(size=24)
        found = correlation(one, 0.6 * one + 0.8 * noise)
        assert found.low < found.rank < found.high and found.n == 24
        held += found.low <= truth <= found.high
    assert 370 <= held <= 390
    assert (correlation(one, one).low, correlation(one, one).high) == (pytest.approx(1), pytest.approx(1))
    few = correlation(one[:3], one[:3])
    assert (few.rank, few.low, few.high, few.n) == (pytest.approx(1), -1, 1, 3)


@torch.no_grad()
def test_where_single_tokens_are_judged_the_loss_is_theirs_alone():
    model = perturbed_model(config(stacks="decoder"), 1)
    batch = rows(model, 1)
    judged = torch.zeros_like(batch.labels, dtype=torch.bool)
    judged[0, 1], judged[2, 2:] = True, True
    batch = Batch(batch.src[:, :0], batch.tgt, batch.labels, judged=judged)
    losses = -model(batch.src, batch.tgt).double().log_softmax(-1).gather(-1, batch.labels[:, :, None])[:, :, 0]
    expected = [float(losses[0, 1]), 0.0, float(losses[2, 2:].mean()), 0.0]
    np.testing.assert_allclose(row_losses(model, batch), expected, rtol=1e-5)
