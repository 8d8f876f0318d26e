"""Pins the two ways to write layer norm and the two axes of a batch, against numpy, F.layer_norm and F.batch_norm."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core.analysis.normalization import (
    by_feature,
    by_token,
    company,
    embedding_sums,
    spread_by_batch_size,
    two_norms,
)

SENTENCES = [[3, 5, 2, 9, 4], [7, 1, 8, 6, 2, 11, 4], [12, 3]]


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(1.5, 3.0, shape).astype(np.float32)


@pytest.mark.teaches(point="A9")
@pytest.mark.parametrize("eps", [1e-5, 0.3])
def test_the_two_norms_are_those_of_torch_and_of_the_notes(eps):
    x = draw(2, 7, 22)
    standard, unbiased = two_norms(x, eps)
    np.testing.assert_allclose(standard, F.layer_norm(torch.tensor(x), (22,), eps=eps).numpy(), rtol=1e-5, atol=1e-6)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(unbiased, centred / (wide.std(axis=-1, ddof=1, keepdims=True) + eps), rtol=1e-4, atol=1e-6)
    assert np.abs(standard - unbiased).max() > 0.03


@pytest.mark.teaches(point="A9")
def test_one_number_alone_cannot_be_normed():
    with pytest.raises(ValueError, match="at least 2 numbers per vector, not 1"):
        two_norms(draw(3, 1))


@pytest.mark.teaches(point="C6")
def test_layer_norm_goes_along_rows_and_batch_norm_along_columns():
    batch = draw(2, 7, 22, seed=2)
    np.testing.assert_allclose(by_token(batch), F.layer_norm(torch.tensor(batch), (22,)).numpy(), rtol=1e-5, atol=1e-6)
    reference = F.batch_norm(torch.tensor(batch).transpose(1, 2), None, None, training=True).transpose(1, 2).numpy()
    np.testing.assert_allclose(by_feature(batch), reference, rtol=1e-4, atol=1e-5)
    assert np.abs(by_feature(batch).mean(axis=(0, 1))).max() < 1e-5
    assert np.abs(by_feature(batch).mean(axis=2)).max() > 0.1


@pytest.mark.teaches(point="C6")
def test_a_batch_of_one_token_is_all_zero_under_batch_norm():
    assert not by_feature(draw(1, 1, 22)).any()
    assert by_token(draw(1, 1, 22)).any()


@pytest.mark.teaches(point="C6")
def test_the_batch_is_what_the_encoder_gets():
    cfg = config(pad_id=2)
    model = perturbed_model(cfg)
    with torch.no_grad():
        model.src_embedding.table.weight[2] = 0  # padding, which training leaves at zero
    found = embedding_sums(model, [[3, 5, 1], [7, 1, 8, 6]], 6)
    table, places = model.src_embedding.table.weight.detach().numpy(), model.src_embedding.positions.numpy()
    assert found.shape == (2, 6, 66)
    for row, ids in zip(found, [[3, 5, 1, 2, 2, 2], [7, 1, 8, 6, 2, 2]], strict=True):
        np.testing.assert_allclose(row, table[ids] * math.sqrt(66) + places[:6], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found[0, 3:], places[3:6])  # padding is not nothing: it has a position


@pytest.mark.teaches(point="C6")
@pytest.mark.parametrize("padding", [0, 4])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_only_batch_norm_notices_company(count, padding):
    model = perturbed_model(config())
    found = company(model, SENTENCES[:count], padding)
    length = max(map(len, SENTENCES[:count])) + padding
    assert found.batch.shape == found.tokens.shape == found.features.shape == (count, length, 66)
    assert not found.token_change.any(), "layer norm sees one token, so nothing at all may change"
    if count == 1 and not padding:
        assert not found.feature_change.any()
        return
    x = torch.tensor(found.batch).flatten(0, 1)
    alone = F.batch_norm(x[:5], None, None, training=True)
    together = F.batch_norm(x, None, None, training=True)[:5]
    np.testing.assert_allclose(found.feature_change, (together - alone).numpy(), rtol=1e-3, atol=1e-4)
    assert np.abs(found.feature_change).max() > 0.2


@pytest.mark.teaches(point="C6")
def test_a_batch_beyond_the_positions_is_declined():
    model = perturbed_model(config(max_len=9))
    company(model, SENTENCES, 2)
    with pytest.raises(ValueError, match="10 tokens is longer than max_len 9"):
        company(model, SENTENCES, 3)
    with pytest.raises(ValueError, match="7 tokens does not fit into 6 positions"):
        embedding_sums(model, SENTENCES, 6)


@pytest.mark.teaches(point="C6")
def test_batch_norm_varies_less_with_more_sentences_and_layer_norm_not_at_all():
    model, sentence = perturbed_model(config()), [3, 5, 7, 4]
    by_tokens, by_features = spread_by_batch_size(model, sentence, (1, 2, 9, 64), draws=6, seed=3)
    assert by_tokens.max() < 1e-6
    assert by_features[0] < 1e-6, "alone, there is no other batch to differ from"
    assert by_features[1] > by_features[2] > by_features[3] > 0.01
