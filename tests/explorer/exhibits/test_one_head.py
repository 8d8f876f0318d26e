"""Pins the vectors of a head to the stages that the model recorded, and to the arithmetic done by hand."""

import numpy as np
import pytest

from explorer.exhibits.attention.one_head import query_input, query_matrix, vectors
from tests.explorer.exhibits.helpers import model_of, run_of, weights

PARTS = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("kind", PARTS)
def test_queries_keys_and_values_are_products_with_the_heads_own_columns(kind, norm):
    model = model_of(norm=norm)
    run = run_of(model)
    matrix, bias = weights(model, f"{PARTS[kind]}.w_q")
    own = slice(44, 66)
    np.testing.assert_array_equal(query_matrix(run, kind, 1, 2), matrix[own].T)
    by_hand = query_input(run, kind, 1, 2) @ matrix[own].T + bias[own]
    np.testing.assert_allclose(vectors(run, kind, 1, 2, "q"), by_hand, rtol=1e-4, atol=1e-5)


def test_an_attention_without_biases_adds_none():
    model = model_of(attention_bias=False)
    run = run_of(model)
    x, w_q = query_input(run, "encoder", 0, 1), query_matrix(run, "encoder", 0, 1)
    np.testing.assert_allclose(vectors(run, "encoder", 0, 1, "q"), x @ w_q, rtol=1e-4, atol=1e-5)
