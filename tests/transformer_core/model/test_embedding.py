"""Pins: the sinusoidal table (a worked example, double precision, far out), and what embeddings look up, add and refuse."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, generator, perturbed_model, token_ids
from transformer_core import Trace, Transformer, sinusoidal_encoding
from transformer_core.model.embedding import TokenAndPositionEmbedding


@pytest.mark.teaches(point="D1")
def test_worked_example_of_width_6():
    table = sinusoidal_encoding(4, 6)
    expected = [
        [0.000, 1.000, 0.000, 1.000, 0.000, 1.000],
        [0.841, 0.540, 0.046, 0.999, 0.002, 1.000],
        [0.909, -0.416, 0.093, 0.996, 0.004, 1.000],
        [0.141, -0.990, 0.139, 0.990, 0.006, 1.000],
    ]
    assert table.shape == (4, 6)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table, expected, rtol=0, atol=5e-4)


@pytest.mark.teaches(point="A2")
@pytest.mark.parametrize(
    ("length", "d_model", "base"), [(23, 20, 10_000.0), (11, 13, 10_000.0), (5, 1, 10_000.0), (17, 8, 100.0)]
)
def test_against_the_formula_in_double_precision(length, d_model, base):
    table = sinusoidal_encoding(length, d_model, base)
    assert table.shape == (length, d_model)
    position, dimension = np.arange(length)[:, None], np.arange(d_model)[None, :]
    angles = position / base ** (2 * (dimension // 2) / d_model)
    expected = np.where(dimension % 2 == 0, np.sin(angles), np.cos(angles))
    np.testing.assert_allclose(table, expected, rtol=0, atol=6e-8)


def test_far_out_positions_are_as_exact_as_near_ones():
    far, d_model = 100_003, 6
    last = sinusoidal_encoding(far + 1, d_model)[far]
    for i in range(d_model // 2):
        angle = far * 10_000.0 ** (-2 * i / d_model)
        assert last[2 * i].item() == pytest.approx(math.sin(angle), abs=1e-7)
        assert last[2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-7)


@pytest.mark.teaches(point="A1")
def test_stages_are_look_up_scale_and_sum():
    cfg = config()
    src, tgt = token_ids(cfg)
    model = perturbed_model(cfg)
    with Trace() as trace:
        model(src, tgt)
    for side, ids, embedding in (("encoder", src, model.src_embedding), ("decoder", tgt, model.tgt_embedding)):
        tokens, scaled, positions, total = (
            trace[f"{side}.embedding.{stage}"].numpy() for stage in ("tokens", "scaled", "positions", "sum")
        )
        np.testing.assert_array_equal(tokens, embedding.table.weight.detach().numpy()[ids.numpy()])
        np.testing.assert_allclose(scaled, tokens * math.sqrt(66), rtol=1e-6)
        np.testing.assert_array_equal(positions, sinusoidal_encoding(ids.size(1), 66).numpy())
        np.testing.assert_array_equal(total, scaled + positions)


def test_untied_padding_stays_the_zero_vector_because_it_gets_no_gradient():
    cfg = config()
    model = Transformer(cfg, generator(2))
    model(*token_ids(cfg)).square().sum().backward()
    for embedding in (model.src_embedding, model.tgt_embedding):
        assert (embedding.table.weight.grad[cfg.pad_id] == 0).all()
        assert (embedding.table.weight.grad != 0).any()


@pytest.mark.parametrize("bad", [17, 400, -1])
def test_an_id_outside_the_vocabulary_is_named(bad):
    embedding = TokenAndPositionEmbedding(config(d_model=6), vocab=17, max_len=8)
    with pytest.raises(ValueError) as caught:
        embedding(torch.tensor([[3, bad, 0], [1, 2, 16]]))
    assert str(caught.value) == f"token id {bad} is outside the vocabulary of 17 ids (0 to 16)"


def test_a_sequence_too_long_is_named():
    cfg = config(max_len=6)
    model = perturbed_model(cfg)
    with pytest.raises(ValueError) as caught:
        model(*token_ids(cfg))
    assert str(caught.value) == "a sequence of 7 tokens is longer than max_len 6; shorten it"
    model(*token_ids(cfg, src=6, tgt=6))  # the limit itself is fine
