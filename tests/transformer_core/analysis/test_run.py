"""Pins: a run of a decoder alone, whose source has no tokens, has the parts of a decoder."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import Trace
from transformer_core.analysis.run import Run
from transformer_core.data.vocabulary import letters_after_start
from transformer_core.errors import InputError


@pytest.fixture(scope="module")
def run():
    model = perturbed_model(config(stacks="decoder", norm="pre"))
    return Run(model, letters_after_start(17), [], [1, 5, 9, 5, 9], [5, 9, 5, 9, 5])


def test_its_stages_are_those_of_the_pass(run):
    with Trace() as trace:
        run.model(torch.empty(1, 0, dtype=torch.long), torch.tensor([run.tgt]))
    assert [*run.stages] == [*trace.stages]
    np.testing.assert_array_equal(run.stages["logits"], trace["logits"][0].detach())
    part = run.attention("decoder", 1)
    assert part.queries == part.keys == run.ids("decoder") == [1, 5, 9, 5, 9] and run.ids("encoder") == []
    assert (part.allowed == np.tri(5, dtype=bool)).all()
    np.testing.assert_allclose(part(part.input), part["output"], atol=1e-5)
    w_q, b_q = part.weights("w_q")
    np.testing.assert_allclose((part.input @ w_q + b_q)[:, :22], part["q"][0], atol=1e-5)


def test_it_has_no_other_attention(run):
    for kind, words in (("encoder", "no encoder"), ("cross", "no cross-attention")):
        with pytest.raises(InputError, match=words):
            run.attention(kind, 0)


def test_padding_behind_the_target_changes_nothing_before_it(run):
    padded = run.padded(0, 3)
    assert padded.src == [] and padded.tgt == [*run.tgt, 0, 0, 0]
    np.testing.assert_allclose(padded.stages["logits"][:5], run.stages["logits"], atol=1e-5)
