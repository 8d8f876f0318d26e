"""Pins the vector of one word, operation by operation, to what the model recorded."""

import numpy as np
import pytest
import torch

from explorer.exhibits.layers.residual_stream import cosines, lengths, stream, stream_rows
from tests.explorer.exhibits.helpers import model_of, run_of

pytestmark = pytest.mark.teaches(point="A10")

ORDERS = {"pre": ["norm_in", "output", "residual"], "post": ["output", "residual", "norm_out"]}


def close(values: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(values, expected, rtol=1e-5)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("residual", [True, False])
def test_a_row_for_each_operation_in_the_order_of_the_arrangement(norm, stack, residual):
    run = run_of(model_of(norm=norm, residual=residual))
    parts = ["self_attn", "feed_forward"] if stack == "encoder" else ["self_attn", "cross_attn", "feed_forward"]
    order = [name for name in ORDERS[norm] if residual or name != "residual"]
    leaves = ORDERS[norm][-1]
    names = [f"{stack}.0.feed_forward.{leaves}", *(f"{stack}.1.{part}.{name}" for part in parts for name in order)]
    if norm == "pre":
        names.append("memory" if stack == "encoder" else "decoder.output")
    np.testing.assert_array_equal(stream_rows(run, stack, 1, 3), [run.stages[name][3] for name in names])


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_lengths_and_turns_of_one_token(norm):
    run, leaves = run_of(model_of(norm=norm)), ORDERS[norm][-1]
    parts = ["self_attn", "cross_attn", "feed_forward"]
    names = [f"decoder.{layer}.{part}.{leaves}" for layer in range(2) for part in parts]
    vectors = [run.stages[name][3].astype(float) for name in ("decoder.embedding.sum", *names)]
    added = [run.stages[f"decoder.1.{part}.output"][3].astype(float) for part in parts]
    root = [np.sqrt((x**2).sum()) for x in vectors]
    close(stream(run, "decoder", 3), root)
    close(lengths(run, "decoder", 1, 3), [root[3:-1], [np.sqrt((x**2).sum()) for x in added], root[4:]])
    turns = cosines(run, "decoder", 1, 3)
    close(turns, [vectors[i] @ vectors[i + 1] / (root[i] * root[i + 1]) for i in (3, 4, 5)])
    assert (np.abs(turns) < 1).all()


def test_a_vector_of_zeros_has_no_direction():
    model = model_of(norm="pre", position="none")
    with torch.no_grad():
        model.src_embedding.table.weight[run_of(model).src[2]] = 0
    run = run_of(model)
    turns = cosines(run, "encoder", 0, 2)
    assert np.isnan(turns[0]) and np.isfinite(turns[1])
    assert lengths(run, "encoder", 0, 2)[0, 0] == 0


def test_without_cross_attention_the_decoder_has_two_parts():
    assert lengths(run_of(model_of(cross_attention=False)), "decoder", 1, 0).shape == (3, 2)
