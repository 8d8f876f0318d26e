"""Pins: greedy decoding is what a slow loop over whole forward passes gives, one sequence at a time."""

import pytest
import torch

from tests.core.helpers import BATCH, config, perturbed_model, token_ids
from transformer_core import greedy_decode, greedy_steps

STEPS = 6


def by_loop(model, src, start_id, steps):
    """Each sequence alone, without its padding, the whole model run again for every token."""
    rows, tables = [], []
    for ids in src:
        ids = ids[ids != model.cfg.pad_id][None]
        tokens, table = [start_id], []
        for _ in range(steps):
            with torch.no_grad():
                logits = model(ids, torch.tensor([tokens]))[0, -1]
            table.append(logits.exp() / logits.exp().sum())
            tokens.append(max(range(len(logits)), key=lambda i: logits[i].item()))
        rows.append(tokens)
        tables.append(torch.stack(table))
    return torch.tensor(rows), torch.stack(tables)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("causal", [True, False])
def test_against_a_slow_loop(norm, causal):
    model = perturbed_model(config(norm=norm, causal=causal), seed=1).double()
    src, _ = token_ids(model.cfg, batch=5)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "attn.w_" in name:
                parameter *= 4  # so that what comes out depends on what went in
        model.output.bias.zero_()
        model.output.bias[model.cfg.pad_id] = -100.0  # an untrained model would say padding too, which is then masked
    expected, probabilities = by_loop(model, src, 3, STEPS)
    said = expected[:, 1:]
    assert len(said.unique()) > 3, "a model that always says the same would show nothing"
    assert (said != said[:, :1]).any()
    assert torch.equal(greedy_decode(model, src, 3, STEPS), expected)
    steps = list(greedy_steps(model, src, 3, STEPS))
    assert len(steps) == STEPS
    for i, step in enumerate(steps):
        assert torch.equal(step.tokens, expected[:, : i + 2])
        torch.testing.assert_close(step.probabilities, probabilities[:, i], rtol=0, atol=1e-10)
        assert torch.equal(step.probabilities.argmax(-1), step.tokens[:, -1])


def test_probabilities_are_probabilities():
    model = perturbed_model(config())
    src, _ = token_ids(model.cfg)
    for step in greedy_steps(model, src, 3, STEPS):
        assert step.probabilities.shape == (BATCH, 17)
        assert (step.probabilities >= 0).all()
        torch.testing.assert_close(step.probabilities.sum(-1), torch.ones(BATCH), rtol=0, atol=1e-6)
        assert not step.probabilities.requires_grad


def test_steps_come_one_at_a_time_and_gradients_stay_on_between_them():
    model = perturbed_model(config())
    src, _ = token_ids(model.cfg)
    steps = greedy_steps(model, src, 3, STEPS)
    first = next(steps)
    assert first.tokens[:, 0].tolist() == [3, 3]
    assert first.tokens.shape == (BATCH, 2)
    assert torch.is_grad_enabled()
    assert next(steps).tokens.shape == (BATCH, 3)


@pytest.mark.parametrize("steps", [0, -1])
def test_no_steps_are_refused(steps):
    model = perturbed_model(config())
    with pytest.raises(ValueError, match=f"decoding needs at least 1 step, not {steps}"):
        greedy_decode(model, token_ids(model.cfg)[0], 3, steps)


def test_more_steps_than_positions_are_refused():
    model = perturbed_model(config(max_len=8))
    src, _ = token_ids(model.cfg)
    assert greedy_decode(model, src, 3, 8).shape == (BATCH, 9)
    with pytest.raises(ValueError, match="a sequence of 9 tokens is longer than max_len 8"):
        greedy_decode(model, src, 3, 9)
