"""Pins what a look is worth: a row without one link is that of the model with that link cut, and no other row."""

import pytest
import torch
from torch.testing import assert_close

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import Trace
from transformer_core.analysis import looks as analysis
from transformer_core.analysis.cutting import LinkCut, cut_out
from transformer_core.analysis.looks import looks

CROSS = "decoder.1.cross_attn.weights"


def read(model, src, tgt):
    with torch.inference_mode(), Trace(only=["weights"]) as trace:
        logits = model(src[None], tgt[None])
    return trace[CROSS][0], logits[0].softmax(-1)


@pytest.mark.parametrize("variant", [{}, {"norm": "post"}, {"score": "additive"}])
def test_each_row_is_that_of_the_model_with_that_link_cut(variant, monkeypatch):
    monkeypatch.setattr(analysis, "_AT_ONCE", 5)  # the last batch is not full
    model = perturbed_model(config(**variant), 3)
    src, tgt = torch.tensor([3, 7, 7, 12]), torch.tensor([1, 9, 4])
    found = looks(model, src, tgt)
    weights, probabilities = read(model, src, tgt)
    assert_close(found.weights, weights.transpose(0, 1))
    assert_close(found.probabilities, probabilities)
    for query in range(3):
        for key in range(4):
            weights, probabilities = read(cut_out(model, [LinkCut("cross", None, None, query, key)]), src, tgt)
            assert_close(found.lone_weights[query, key], weights[:, query])
            assert_close(found.lone_probabilities[query, key], probabilities[query])
    assert (found.lone_weights[0, 1, :, 1] == 0).all() and (found.lone_weights[0, 2, :, 1] > 0).all()


def test_the_only_word_can_be_taken_away_as_well():
    model = perturbed_model(config(), 3)
    found = looks(model, torch.tensor([5]), torch.tensor([1, 9, 4]))
    assert (found.lone_weights == 0).all() and found.lone_probabilities.isfinite().all()
