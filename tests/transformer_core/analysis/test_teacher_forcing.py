"""Pins: the loss is what the labels' probabilities say."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from transformer_core.analysis.teacher_forcing import teacher_forced, top_tokens


@pytest.mark.teaches(point="C10")
def test_cross_entropy_contains_the_log_softmax():
    logits = (np.random.default_rng(4).normal(size=(5, 17)) * 4).astype(np.float32)
    labels = [3, 0, 16, 7, 7]
    found = teacher_forced(logits, labels)
    probabilities = torch.tensor(logits).double().softmax(dim=-1).numpy()
    np.testing.assert_allclose(found.probabilities, probabilities, rtol=1e-12)
    np.testing.assert_allclose(found.log_probabilities, np.log(probabilities), rtol=1e-9)
    own = np.log(probabilities[range(5), labels])
    np.testing.assert_allclose(found.label_log_probabilities, own, rtol=1e-9)
    mean = -own.mean()
    assert found.loss == pytest.approx(mean, rel=1e-12)
    assert found.cross_entropy == pytest.approx(mean, rel=1e-12)
    assert found.cross_entropy == pytest.approx(float(F.cross_entropy(torch.tensor(logits), torch.tensor(labels))), rel=1e-5)
    assert found.of_log_probabilities == pytest.approx(mean, rel=1e-12)
    twice = -np.log(torch.tensor(probabilities).softmax(dim=-1).numpy())[range(5), labels].mean()
    assert found.of_probabilities == pytest.approx(twice, rel=1e-9)
    assert abs(found.of_probabilities - mean) > 0.1


@pytest.mark.teaches(point="C10")
def test_a_label_that_is_all_but_impossible_has_a_finite_loss():
    found = teacher_forced(np.array([[0.0, 2000.0]]), [0])
    assert found.loss == 2000 == found.cross_entropy
    assert found.probabilities[0, 0] == 0


@pytest.mark.parametrize(
    ("labels", "words"), [([1, 2], "one label per position: 3, not 2"), ([1, 2, 5], "the label 5 is not among the 5 tokens")]
)
def test_labels_that_do_not_fit_are_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        teacher_forced(np.zeros((3, 5)), labels)


@pytest.mark.teaches(point="A13")
def test_the_top_tokens_are_those_that_reach_highest_anywhere():
    table = np.array([[0.1, 0.6, 0.05, 0.25], [0.1, 0.1, 0.5, 0.3]])
    assert top_tokens(table, 2).tolist() == [1, 2]
    assert top_tokens(table, 2, [0, 1]).tolist() == [0, 1, 2]
    assert top_tokens(table, 9).tolist() == [0, 1, 2, 3]
