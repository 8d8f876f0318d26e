"""Pins: the schedule drawn is the one that training follows, and what label smoothing asks for and costs."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.transformer_core.helpers import train_steps
from transformer_core import TASKS, CopyTask, Recipe, Transformer, TransformerConfig
from transformer_core.analysis.schedule import least_average_loss, least_loss, loss_of_confidence, rates, smoothed_target
from transformer_core.data.tasks import PairsTask
from transformer_core.training.trainer import right_loss


@pytest.mark.teaches(point="E7")
def test_the_schedule_is_the_paper_s_equation():
    drawn = rates(9000, 512, Recipe(rate=None, warmup=4000))
    steps = np.arange(1, 9001)
    np.testing.assert_allclose(drawn, 512**-0.5 * np.minimum(steps**-0.5, steps * 4000**-1.5), rtol=1e-12)
    assert drawn.argmax() == 3999
    assert drawn.max() == pytest.approx(6.99e-4, rel=1e-3)


@pytest.mark.teaches(point="E7")
def test_the_schedule_drawn_is_the_one_trained_with():
    cfg = TransformerConfig(src_vocab=6, tgt_vocab=6, d_model=8, n_heads=2, d_ff=6, n_layers=1, dropout=0.0)
    recipe = Recipe(steps=12, batch_size=3, rate=0.004, warmup=5, evaluate_every=100, evaluate_on=1, device="cpu")
    model = Transformer(cfg, torch.Generator().manual_seed(0))
    used = [report.learning_rate for report in train_steps(model, CopyTask(6, 4), recipe)]
    np.testing.assert_allclose(rates(12, 8, recipe), used, rtol=1e-12)


@pytest.mark.teaches(point="E7")
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.35])
def test_the_smoothed_target_is_what_torch_s_loss_aims_at(smoothing):
    target = smoothed_target(7, 4, smoothing)
    assert target.sum() == pytest.approx(1)
    logits = torch.randn(1, 7, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    ours = float(-(torch.from_numpy(target) * logits.log_softmax(-1)).sum())
    assert ours == pytest.approx(float(F.cross_entropy(logits, torch.tensor([4]), label_smoothing=smoothing)))


@pytest.mark.teaches(point="E7")
@pytest.mark.parametrize("smoothing", [0.05, 0.1, 0.3])
def test_smoothing_punishes_being_too_sure(smoothing):
    confidence = np.linspace(0.01, 0.999, 4000)
    losses = loss_of_confidence(11, smoothing, confidence)
    best = confidence[losses.argmin()]
    assert best == pytest.approx(1 - smoothing + smoothing / 11, abs=5e-4)
    assert losses.min() == pytest.approx(least_loss(11, smoothing), abs=1e-6)
    assert losses[-1] > losses.min() + 0.01
    hand = -(1 - smoothing) * np.log(0.5) - smoothing / 11 * (np.log(0.5) + 10 * np.log(0.05))
    assert loss_of_confidence(11, smoothing, np.array([0.5]))[0] == pytest.approx(hand)


@pytest.mark.teaches(point="E7")
def test_without_smoothing_the_surer_the_better():
    losses = loss_of_confidence(11, 0.0, np.linspace(0.01, 0.99, 50))
    assert (np.diff(losses) < 0).all()
    np.testing.assert_allclose(losses, -np.log(np.linspace(0.01, 0.99, 50)), rtol=1e-9)
    assert least_loss(11, 0.0) == 0


@pytest.mark.teaches(point="E7")
def test_a_task_with_one_answer_can_be_learned_down_to_what_smoothing_costs():
    task = CopyTask(7, 4)
    assert least_average_loss(task, Recipe()) == 0
    assert least_average_loss(task, Recipe(label_smoothing=0.1)) == pytest.approx(least_loss(7, 0.1))


@pytest.mark.teaches(point="E7")
def test_a_model_that_knew_the_grammar_would_have_that_loss():
    task, smoothing = TASKS["small-fr"](), 0.1
    generator, losses = torch.Generator().manual_seed(0), []
    for _ in range(20):
        batch = task.batch(64, generator)
        row, place, token = batch.right.at.T
        known = torch.full((*batch.labels.shape, task.vocab), smoothing / task.vocab)
        known.index_put_((row, place, token), (1 - smoothing) * batch.right.shares, accumulate=True)
        losses.append(float(right_loss(known.log(), batch.right, smoothing)))
    least = least_average_loss(task, Recipe(label_smoothing=smoothing))
    assert least == pytest.approx(np.mean(losses), abs=0.02) == pytest.approx(0.890, abs=0.02)
    assert least_average_loss(task, Recipe()) == pytest.approx(0.089, abs=0.02)


def test_no_model_gets_below_the_choice_between_two_answers_to_a_sentence():
    """Seven pairs of which two share a sentence: its first word is right in one of two cases, whatever was learned. The answers
    have 8 words and 7 ends."""
    pairs = (("a", "x"), ("a", "y y"), ("b", "x"), ("c", "y"), ("d", "x"), ("e", "y"), ("f", "x"))
    task = PairsTask(pairs=pairs)
    assert not task.has_held_out
    assert least_average_loss(task, Recipe()) == pytest.approx(2 * np.log(2) / 15)
    assert least_average_loss(PairsTask(pairs=pairs[1:]), Recipe()) == 0
    smoothed, entropy = Recipe(label_smoothing=0.1), least_loss(task.vocab, 0.1)
    two = np.full(task.vocab, 0.1 / task.vocab)
    two[:2] += 0.45
    expected = (13 * entropy + 2 * -(two * np.log(two)).sum()) / 15
    assert least_average_loss(task, smoothed) == pytest.approx(expected)
