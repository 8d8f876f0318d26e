"""Pins: the best match is that of all permutations; likeness by hand; a model's shuffled heads are found again."""

import copy
from itertools import permutations

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import TASKS, Trace, Transformer
from transformer_core.analysis.alignment import aligned_places, aligned_weights, even_share
from transformer_core.analysis.head_matching import HeadMatch, best_match, head_rows, likeness, likenesses, match_by
from transformer_core.data.batch import Batch
from transformer_core.model.stages import attention_path

NUMBERS = np.random.default_rng(5)


@pytest.mark.parametrize("n", range(1, 7))
def test_the_best_match_is_the_best_of_all_permutations(n):
    for _trial in range(20):
        alike = NUMBERS.random((n, n)).round(1)  # with ties
        best = max(sum(alike[i, j] for i, j in enumerate(order)) for order in permutations(range(n)))
        found = best_match(alike)
        assert sorted(found) == list(range(n))
        assert alike[np.arange(n), found].sum() == pytest.approx(best, abs=1e-12)


def test_a_match_by_hand():
    # Each would take the first; together it is better that the second gets it.
    assert list(best_match(np.array([[0.9, 0.8], [0.9, 0.1]]))) == [1, 0]
    assert list(best_match(-np.eye(3) * [1, 2, 0])) in ([1, 0, 2], [2, 0, 1], [1, 2, 0])
    assert sorted(best_match(np.full((4, 4), np.nan))) == [0, 1, 2, 3], "where nothing is known, any will do"
    large = NUMBERS.random((96, 96))
    assert large[np.arange(96), best_match(large)].mean() > 0.95
    with pytest.raises(ValueError, match="no square"):
        best_match(np.ones((2, 3)))


def test_likeness_by_hand():
    one = np.array([[[1.0, 0, 0], [0.5, 0.5, 0]], [[0, 0, 1.0], [0.2, 0.3, 0.5]]], dtype=np.float32)
    found = likeness(one, one)
    np.testing.assert_allclose(found.diagonal(), 1)
    assert found[0, 1] == found[1, 0] == pytest.approx((0 + 0.5) / 2)  # disjoint; and ½ (0.3 + 0.2 + 0.5) apart
    assert np.isnan(likeness(one[:, :0], one[:, :0])).all()
    with pytest.raises(ValueError, match="cannot be compared"):
        likeness(one, one[:, :1])


def batch_of(cfg, seed=0, rows=4):
    src, tgt = token_ids(cfg, batch=rows, seed=seed)
    labels = torch.where(tgt == cfg.pad_id, cfg.pad_id, torch.full_like(tgt, 3))
    return Batch(src, tgt, labels)


@pytest.mark.parametrize("causal", [True, False])
def test_rows_are_those_of_queries_with_a_choice(causal):
    cfg = config(causal=causal)
    batch = batch_of(cfg)
    found = head_rows(perturbed_model(cfg), batch)
    src, tgt = int((batch.src != 0).sum()), int((batch.labels != 0).sum())
    shapes = {kind: rows.shape for kind, rows in found.items()}
    first = len(batch.tgt) if causal else 0  # the first word of each target has only itself
    assert shapes == {"encoder": (6, src, 7), "decoder": (6, tgt - first, 5), "cross": (6, tgt, 7)}
    for rows in found.values():
        np.testing.assert_allclose(rows.sum(axis=-1), 1, atol=1e-5)
        assert (rows.max(axis=-1) < 1).all()
    assert "cross" not in head_rows(perturbed_model(config(cross_attention=False)), batch)


def shuffled(model: Transformer, order: list[int]) -> Transformer:
    """The same model with the heads of each layer in another order."""
    other, d_k = copy.deepcopy(model), model.cfg.d_k
    places = torch.cat([torch.arange(head * d_k, (head + 1) * d_k) for head in order])
    with torch.no_grad():
        for layer in [*other.encoder, *other.decoder]:
            for name in ("self_attn", "cross_attn"):
                if (attention := getattr(layer, name, None)) is not None:
                    for part in ("w_q", "w_k", "w_v"):
                        linear = getattr(attention, part)
                        linear.weight.copy_(linear.weight[places].clone())
                        linear.bias.copy_(linear.bias[places].clone())
                    attention.w_o.weight.copy_(attention.w_o.weight[:, places].clone())
    return other


def test_heads_that_were_shuffled_are_found_again_by_other_sentences():
    cfg = config()
    model, order = perturbed_model(cfg, 4), [2, 0, 1]
    other = shuffled(model, order)
    batch = batch_of(cfg)
    torch.testing.assert_close(other(batch.src, batch.tgt), model(batch.src, batch.tgt))
    lots = batch_of(cfg, 1), batch_of(cfg, 2)
    one, two = (tuple(head_rows(each, lot) for lot in lots) for each in (model, other))
    first, second = ([likenesses(mine, others)] for mine, others in zip(one, two, strict=True))
    found = match_by(first, second, cfg.n_heads)
    assert found.keys() == {"encoder", "decoder", "cross"}
    for match in found.values():
        assert list(match.to) == [1, 2, 0, 4, 5, 3], "the head of number 0 stands in place 1 now"
        np.testing.assert_allclose(match.matched, 1, atol=1e-5)
        assert (match.same_number < 0.999).all() and match.same_layer.all()
        assert len(match.other_numbers) == 2 * 3 * 2


def test_what_a_match_says():
    alike = np.arange(16).reshape(4, 4) / 16
    match = HeadMatch(np.array([2, 1, 0, 3]), alike, n_heads=2)
    np.testing.assert_array_equal(match.matched * 16, [2, 5, 8, 15])
    np.testing.assert_array_equal(match.same_number * 16, [0, 5, 10, 15])
    np.testing.assert_array_equal(match.other_numbers * 16, [1, 4, 11, 14])
    np.testing.assert_array_equal(match.same_layer, [False, True, False, True])
    assert not len(HeadMatch(np.array([0, 1]), alike[:2, :2], n_heads=1).other_numbers)


def test_aligned_weights_are_those_on_the_tokens_that_are_translated():
    task = TASKS["copy"]()
    batch = task.batch(5, torch.Generator().manual_seed(2), held_out=True)
    model = perturbed_model(config(src_vocab=task.vocab, tgt_vocab=task.vocab), 6)
    places = aligned_places(task, batch)
    found = aligned_weights(model, batch, places)
    rows, queries, keys = np.nonzero(places)
    with Trace() as trace:
        model(batch.src, batch.tgt)
    for layer in range(2):
        weights = trace[attention_path("cross", layer).stage("weights")].detach().numpy()
        for head in range(3):
            expected = np.mean([weights[r, head, q, k] for r, q, k in zip(rows, queries, keys, strict=True)])
            assert found[layer, head] == pytest.approx(expected, abs=1e-6)
    assert np.isnan(aligned_weights(model, batch, np.zeros_like(places))).all()
    even = [1 / int((batch.src[row] != task.pad_id).sum()) for row in rows]
    assert even_share(task, batch, places) == pytest.approx(np.mean(even))
