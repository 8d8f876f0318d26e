"""Pins: arrows turn as a model's rotary positions turn its queries and keys, and products follow the distance alone."""

import numpy as np
import pytest
import torch

from explorer.pictures.positions import FARTHEST_QUERY, LAST_KEY, score_of, turned_hands, turning_pairs
from tests.transformer_core.helpers import config
from transformer_core.model.relative_position import Rotation

EVERY = range(LAST_KEY + FARTHEST_QUERY + 1)


@pytest.mark.parametrize("d_k", [2, 8, 22, 64])
def test_arrows_turn_as_the_models_own_queries_and_keys(d_k):
    cfg = config(d_model=2 * d_k, n_heads=2, position="rotary", max_len=64)
    to_the_right = torch.tensor([1.0, 0.0]).repeat(len(EVERY), d_k // 2)  # (position, d_k)
    hands = turned_hands(cfg, EVERY)
    np.testing.assert_allclose(hands.reshape(len(EVERY), d_k), Rotation(cfg)(to_the_right), atol=1e-6)
    angles = np.outer(EVERY, 10_000.0 ** (-2 * np.arange(d_k // 2) / d_k))
    np.testing.assert_allclose(hands, np.stack([np.cos(angles), np.sin(angles)], axis=-1), atol=1e-12)


def test_both_words_moved_keep_their_score_and_the_query_alone_changes_it():
    cfg = config(d_model=44, n_heads=2)
    rates = 10_000.0 ** (-2 * np.arange(11) / 22)
    hands = turned_hands(cfg, EVERY)
    apart = range(FARTHEST_QUERY + 1)
    scores = np.array([[score_of(hands[key + n], hands[key]) for key in range(LAST_KEY + 1)] for n in apart])
    np.testing.assert_allclose(scores, np.cos(np.outer(apart, rates)).sum(axis=1)[:, None] / np.sqrt(22) + 0 * scores)
    assert np.abs(np.diff(scores, axis=0)).min() > 0.002 and scores[0, 0] == 11 / np.sqrt(22)


@pytest.mark.parametrize(("d_k", "drawn"), [(2, [0]), (3, [0]), (4, [0, 1]), (22, [0, 1, 2]), (64, [0, 4, 8])])
def test_the_pairs_that_are_drawn(d_k, drawn):
    assert turning_pairs(config(d_model=2 * d_k, n_heads=2)) == drawn
