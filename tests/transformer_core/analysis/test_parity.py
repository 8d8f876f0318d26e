"""Pins: our model is torch's, stage by stage, in gradients and in a step of Adam; what is broken is noticed."""

import json

import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import Trace, Transformer
from transformer_core.__main__ import main
from transformer_core.analysis.parity import SABOTAGES, TOLERANCE, _adam_step, moved, parity, random_batch, random_case
from transformer_core.analysis.torch_reference import layers_as_ours, torch_layers
from transformer_core.errors import InputError
from transformer_core.model.stages import attention_path, norm_stage

DTYPES = list(TOLERANCE)


@pytest.mark.parametrize("stacks", ["both", "decoder"])
@pytest.mark.parametrize("seed", range(10))
def test_ten_random_configurations_are_those_of_torch(seed, stacks):
    model, batch = random_case(seed, stacks)
    assert model.cfg.stacks == stacks and (batch.src.size(1) == 0) == (stacks == "decoder")
    parts, ends = (5, 3) if stacks == "both" else (2, 2)
    for dtype in DTYPES:
        found = parity(model, batch, dtype, seed=seed)
        assert found.all_equal, found.worst
        # Of each part the norm, the output, and the weights or the hidden units; and what the stacks and the model put out.
        assert len(found.stages) == parts * 3 * model.cfg.n_layers + ends
        assert [each.name for each in found.stages] == [name for name in _order(model, batch) if name in _names(found)]
        assert {each.name for each in found.gradients} == {each.name for each in found.step}
        assert all(each.size > 0 for each in (*found.stages, *found.gradients, *found.step))


def _order(model, batch):
    with Trace() as trace:
        model(batch.src, batch.tgt)
    return list(trace.stages)


def _names(found):
    return {each.name for each in found.stages}


def test_the_sizes_are_random():
    cases = [random_case(seed) for seed in range(10)]
    assert len({model.cfg for model, _batch in cases}) == 10
    assert {model.cfg.norm for model, _batch in cases} == {"pre", "post"}
    assert all((batch.src == 0).any() and (batch.tgt == 0).any() for _model, batch in cases)


@pytest.mark.parametrize("sabotage", SABOTAGES)
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("stacks", ["both", "decoder"])
def test_what_is_broken_is_noticed(sabotage, norm, stacks):
    model = perturbed_model(config(norm=norm, stacks=stacks), 3)
    batch = random_batch(model.cfg, 3)
    found = parity(model, batch, torch.float64, sabotage)
    assert not found.all_equal and found.worst.relative > 1e4 * TOLERANCE[torch.float64]
    first, path = found.first_different, attention_path("encoder" if stacks == "both" else "decoder", 0)
    assert first is not None and found.stages.index(first) == [found.is_equal(each) for each in found.stages].index(False)
    assert first.name == path.stage(norm_stage(pre=norm == "pre") if sabotage == "eps" else "weights")
    assert parity(model, batch, torch.float64).all_equal  # the model itself is as it was


def test_a_norm_too_many_is_seen_because_everything_was_moved():
    model = Transformer(config(norm="post"), torch.Generator().manual_seed(1))
    other = moved(model, 5)
    before, after = dict(model.named_parameters()), dict(other.named_parameters())
    assert all((before[name] - after[name]).abs().max() > 0.05 for name in before)
    theirs = torch_layers(model.cfg)
    assert theirs.encoder.norm is None and theirs.decoder.norm is None
    assert layers_as_ours(theirs).keys() < before.keys()


@pytest.mark.parametrize(
    "changes", [{"residual": False}, {"score": "additive"}, {"layer_norm": "unbiased_std"}, {"cross_attention": False}]
)
def test_what_torch_cannot_be_is_said(changes):
    model = perturbed_model(config(**changes), 4)
    with pytest.raises(InputError, match=r"no counterpart for this model: .* in the reference"):
        parity(model, random_batch(model.cfg, 4), torch.float64)


def test_the_training_step_is_that_of_torch_s_optimiser():
    weights, gradients = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(1))
    ours, theirs, untrained = (torch.nn.Parameter(weights.clone()) for _ in range(3))
    ours.grad = theirs.grad = gradients
    _adam_step([ours, untrained])
    torch.optim.Adam([theirs], lr=1e-3, eps=1e-3).step()
    assert torch.equal(ours, theirs) and torch.equal(untrained, weights) and not torch.equal(ours, weights)


def test_the_command_prints_it_and_says_by_its_exit_whether_all_is_equal(capsys):
    assert main(["parity", "--seed", "4"]) == 0
    printed = capsys.readouterr().out
    assert "float32" in printed and "differs" not in printed and "after one step of Adam" in printed
    assert main(["parity", "--seed", "4", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["equal"] and facts["float64"] < 1e-11 < facts["float32"] < 2e-5
    assert {"name", "float32", "float64"} == facts["stages"][0].keys()
    for stacks, first in (("both", "encoder"), ("decoder", "decoder")):
        alone = ["parity", "--seed", "4", "--stacks", stacks]
        assert main(alone) == 0 and "differs" not in capsys.readouterr().out
        assert main([*alone, "--sabotage", "swapped"]) == 1
        assert f"differs: {first}.0.self_attn.weights" in capsys.readouterr().out
