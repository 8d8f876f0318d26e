"""Pins where the keys, values and queries of cross-attention come from."""

import numpy as np
import pytest
import torch

from explorer.exhibits.layers.keys_and_values import k_v, memory, q
from tests.explorer.exhibits.helpers import model_of, run_of


def close(values: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.teaches(point="A11")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("bias", [True, False])
def test_k_and_v_are_the_encoders_output_times_the_layers_weights_and_q_the_decoders(norm, bias):
    model = model_of(norm=norm, attention_bias=bias)
    run = run_of(model)
    products, queries = k_v(run), q(run)
    assert products.shape == (4, 7, 66) and queries.shape == (2, 5, 66)
    given = "cross_attn.norm_in" if norm == "pre" else "self_attn.norm_out"
    with torch.no_grad():
        for layer in range(2):
            part = model.get_submodule(f"decoder.{layer}.cross_attn")
            close(products[2 * layer], part.w_k(torch.tensor(memory(run))))
            close(products[2 * layer + 1], part.w_v(torch.tensor(memory(run))))
            close(queries[layer], part.w_q(torch.tensor(run.stages[f"decoder.{layer}.{given}"])))
    heads = run.stages["decoder.1.cross_attn.k"]
    close(products[2], np.concatenate([heads[0], heads[1], heads[2]], axis=1))  # (7, 22) three times, side by side


@pytest.mark.teaches(point="A11")
def test_a_wrong_record_is_found_out():
    run = run_of(model_of())
    run.stages["decoder.1.cross_attn.k"] = run.stages["decoder.1.cross_attn.k"].copy()
    run.stages["decoder.1.cross_attn.k"][2, 4, 20] += 0.25
    errors = np.abs(k_v(run) - k_v.recorded(run)).max(axis=(1, 2))
    assert errors[2] == pytest.approx(0.25, abs=1e-4) and max(errors[[0, 1, 3]]) < 2e-5


@pytest.mark.teaches(point="C9")
def test_every_layer_makes_keys_and_values_of_its_own_of_the_same_output():
    model = model_of(n_layers=3)
    run = run_of(model)
    before, queries = k_v(run), q(run)
    for one in range(6):
        for other in range(one % 2, one, 2):
            assert np.abs(before[one] - before[other]).max() > 0.5
    # Another memory, the same decoder: K and V follow it in every layer.
    run.stages["memory"] = run.stages["memory"] + 1
    for layer, moved in enumerate((k_v(run) - before)[::2]):
        step = model.get_submodule(f"decoder.{layer}.cross_attn.w_k").weight.detach().numpy().sum(axis=1)
        close(moved, np.broadcast_to(step, moved.shape))
    np.testing.assert_array_equal(q(run), queries)


def test_a_model_without_cross_attention_has_none():
    with pytest.raises(ValueError, match="This model has no cross-attention"):
        k_v(run_of(model_of(cross_attention=False)))
