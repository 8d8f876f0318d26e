"""Pins what a head is said to attend to: which tokens count as what, and how much of its attention they get, against loops."""

import math

import numpy as np
import pytest

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.attention_metrics import (
    attention_ahead,
    attention_to_next,
    entropy,
    even_weights,
    first_aligned,
    mean_attention_to,
    mean_distance,
    relations,
    score_terms,
    token_kind,
)


@pytest.mark.teaches(point="A7")
def test_kinds_of_tokens():
    tokens = ["<pad>", "<unk>", "7", "10", "the", "i", "去", ".", "<", "'", "x2"]
    assert [token_kind(token) for token in tokens] == [*["special"] * 2, *["number"] * 2, *["word"] * 3, *["sign"] * 3, "word"]


TOKENS = ("<pad>", "<start>", "the", "cat", ".", "7")


@pytest.mark.teaches(point="A7")
@pytest.mark.parametrize("same_sequence", [True, False])
def test_relations_between_tokens_one_pair_at_a_time(same_sequence):
    keys = [1, 2, 3, 2, 5, 4, 0, 0]
    queries = keys if same_sequence else [3, 1, 2, 0, 2]
    found = relations(queries, keys, TOKENS, 0, same_sequence)
    kinds = {1: "special", 2: "word", 3: "word", 4: "sign", 5: "number", 0: None}
    for i, asking in enumerate(queries):
        for j, asked in enumerate(keys):
            expected = {
                "same place": i == j,
                "place before": j + 1 == i,
                "place after": j == i + 1,
                "first": j == 0,
                "same word": asking == asked and asked != 0 and not (same_sequence and i == j),
                "padding": asked == 0,
            }
            expected |= {kind: kinds[asked] == kind for kind in ("special", "number", "sign", "word")}
            assert {name: bool(marks[i, j]) for name, marks in found.items()} == expected, (i, j)


@pytest.mark.teaches(point="A7")
def test_what_a_head_attends_to_is_what_loops_find():
    cfg, trace = config(), Trace()
    src, tgt = token_ids(cfg)
    with trace:
        perturbed_model(cfg)(src, tgt)
    weights = trace["decoder.1.self_attn.weights"][1].numpy()
    allowed = np.isfinite(trace["decoder.1.self_attn.masked_scores"][1, 0].numpy())
    tokens = ["<pad>", *(f"w{i}" for i in range(1, 17))]
    ids = tgt[1].tolist()
    found = relations(ids, ids, tokens, cfg.pad_id, True)
    for name, related in found.items():
        for head in range(3):
            shares = []
            for i in range(5):
                reachable = [j for j in range(5) if related[i, j] and allowed[i, j]]
                if reachable:
                    shares.append(sum(weights[head, i, j] for j in range(5) if related[i, j]))
            measured = mean_attention_to(weights, related, allowed)[head]
            assert np.isnan(measured) if not shares else measured == pytest.approx(np.mean(shares), rel=1e-5), name
    assert np.isnan(mean_attention_to(weights, found["place after"], allowed)).all(), "a causal mask hides the place after"
    assert mean_attention_to(weights, found["word"], allowed) == pytest.approx([1, 1, 1], rel=1e-5)


@pytest.mark.teaches(point="A7")
def test_even_weights_look_at_all_that_is_open_alike():
    allowed = np.array([[True, False, False], [True, True, True], [False, False, False]])
    np.testing.assert_allclose(even_weights(allowed), [[[1, 0, 0], [1 / 3] * 3, [0, 0, 0]]])


def test_the_first_moment_at_which_a_head_points_is_found():
    draws = np.random.default_rng(0)
    places = np.zeros((5, 7), dtype=bool)
    places[[0, 1, 3], [2, 6, 0]] = True  # two queries have no place
    weights = draws.random((6, 3, 5, 7)) / 70
    weights[2, 1, [0, 1, 3], [2, 6, 0]] = [0.9, 0.2, 0.3]  # 0.47 on average
    weights[3, 0, [0, 1, 3], [2, 6, 0]] = [0.5, 0.5, 0.5]
    weights[3, 2, [0, 1, 3], [2, 6, 0]] = [0.9, 0.2, 0.5]
    weights[4, 1] = places
    assert first_aligned(weights, places) == (3, 2)
    assert first_aligned(weights.astype(np.float16), places, least=0.45) == (2, 1)
    assert first_aligned(weights, places, least=0.6) == first_aligned(weights, places, least=1.0) == (4, 1)  # at least
    assert first_aligned(weights[:3], places) is None
    assert first_aligned(weights, np.zeros_like(places)) is None
    assert first_aligned(weights[:0], places) is None


def test_attention_to_what_comes_later_and_to_what_comes_next():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 4))  # (head, query, key)
    later = [sum(weights[head, i, i + 1 :].sum() for i in range(4)) / 4 for head in range(2)]
    np.testing.assert_allclose(attention_ahead(weights), later)
    assert attention_to_next(weights) == pytest.approx(
        np.mean([weights[head, i, i + 1] for head in range(2) for i in range(4)])
    )
    assert attention_to_next(np.eye(4)[None, [1, 2, 3]]) == 1


def test_entropy_is_0_bits_for_one_token_and_log2_for_all():
    weights = np.zeros((3, 5, 8))
    weights[0, :, 2] = 1
    weights[1] = 1 / 8
    weights[2, :, :2] = 0.25, 0.75
    by_hand = 0.25 * 2 + 0.75 * math.log2(4 / 3)
    np.testing.assert_allclose(entropy(weights), [0, 3, by_hand], atol=1e-12)


def test_mean_distance_counts_positions():
    weights = np.zeros((3, 4, 4))
    weights[0] = np.eye(4)
    weights[1, :, 0] = 1  # everybody looks at the first: 0, 1, 2, 3 away
    weights[2] = np.eye(4)[:, ::-1] * 0.5 + np.eye(4) * 0.5  # half at oneself, half at the mirror image: 3, 1, 1, 3 away
    np.testing.assert_allclose(mean_distance(weights), [0, 1.5, 1.0])


@pytest.mark.parametrize("score", ["scaled_dot", "dot", "additive", "concat_linear"])
@pytest.mark.parametrize("place", ["encoder.0.self_attn", "decoder.1.self_attn", "decoder.0.cross_attn"])
def test_the_terms_of_a_score_add_up_to_the_models_own(place, score):
    cfg = config(score=score)
    model, trace = perturbed_model(cfg), Trace()
    with trace:
        model(*token_ids(cfg))
    batch, head = 1, 2
    q, k, scores = (trace[f"{place}.{name}"][batch, head].numpy() for name in ("q", "k", "scores"))
    terms = score_terms(q, k, model.get_submodule(place).score)
    assert terms.left.shape == q.shape and terms.right.shape == k.shape
    join = {"times": np.multiply, "plus": np.add, "tanh": lambda left, right: np.tanh(left + right)}[terms.join]
    sums = join(terms.left[:, None].astype(np.float64), terms.right[None].astype(np.float64)).sum(axis=-1) + terms.rest
    np.testing.assert_allclose(sums / (math.sqrt(22) if score == "scaled_dot" else 1), scores, rtol=0, atol=2e-5)
    assert (terms.rest != 0) is (score == "concat_linear")
