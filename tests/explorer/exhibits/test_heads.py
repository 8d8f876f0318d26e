"""Pins the numbers of the page on heads: weights, how widely and how far heads attend, to what, and what they cost."""

import numpy as np
import pytest

from explorer.exhibits.heads.after_an_edit import moved_attention
from explorer.exhibits.heads.every_head import every_head, favourite_places
from explorer.exhibits.heads.head_cost import cost
from explorer.exhibits.heads.head_patterns import PATTERNS, drawn_of, patterns, shares
from explorer.exhibits.heads.side_by_side import distance, entropy, heads
from explorer.exhibits.heads.words_and_lines import selected_word
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core.analysis.run import Run
from transformer_core.analysis.weight_edit import WeightEdit, with_weights

KINDS = ("encoder", "decoder", "cross")


def recorded(run: Run, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a layer's heads, and the pairs that may attend."""
    part = run.attention(kind, 1)
    return part["weights"], np.isfinite(part["masked_scores"][0])


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_all_heads_and_of_one_word(kind):
    run = run_of(model_of())
    weights, allowed = recorded(run, kind)
    found = heads(run, kind, 1)
    np.testing.assert_allclose(found, np.where(allowed, weights, np.nan), rtol=1e-5)
    np.testing.assert_array_equal(np.isnan(found), np.broadcast_to(~allowed, weights.shape))
    np.testing.assert_array_equal(selected_word(run, kind, 1, "query", 3), weights[:, 3])
    np.testing.assert_array_equal(selected_word(run, kind, 1, "key", 2), weights[:, :, 2])


@pytest.mark.parametrize("padding", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_all_heads_of_all_layers_stand_layer_by_layer(kind, padding):
    run = run_of(model_of())
    found = every_head(run, kind, padding)
    padded = run.padded(padding, padding)
    for layer in range(run.cfg.n_layers):
        part = padded.attention(kind, layer)
        hidden = ~np.isfinite(part["masked_scores"])
        heads = found[layer * run.cfg.n_heads : (layer + 1) * run.cfg.n_heads]
        np.testing.assert_array_equal(heads, np.where(hidden, np.nan, part["weights"]))
    assert len(found) == run.cfg.n_layers * run.cfg.n_heads


@pytest.mark.parametrize("words", [2, 3, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_the_place_that_gets_more_than_half_of_a_heads_attention(kind, words):
    """A model that knows nothing attends to all of its words nearly alike: of few, to one of them more than half."""
    run = run_of(model_of())
    run = run.like(run.src[:words], run.tgt[:words], run.labels[:words])
    expected = []
    for layer in range(run.cfg.n_layers):
        part = run.attention(kind, layer)
        for head in part["weights"]:
            to_place = [[row[i + by] for i, row in enumerate(head) if _is_open(part, i, i + by)] for by in (0, -1, 1)]
            to_place.append([row[0] for i, row in enumerate(head) if _is_open(part, i, 0)])
            shares = [np.mean(each) if each else 0 for each in to_place]
            expected.append(int(np.argmax(shares)) if max(shares) > 0.5 else -1)
    assert favourite_places(run, kind, 0).tolist() == expected
    assert words > 2 or max(expected) >= 0


def test_a_changed_weight_moves_the_heads_that_it_is_computed_before():
    run = run_of(model_of())

    def moved(parameter: str, kind: str) -> np.ndarray:
        changed = with_weights(run.model, [WeightEdit(parameter, (0, 0), 3.0)])
        return moved_attention(Run(changed, run.vocabulary, run.src, run.tgt, run.labels, original=run.model), kind)

    for kind in KINDS:
        assert moved_attention(run, kind).shape == (run.cfg.n_layers, run.cfg.n_heads)
        assert not moved("decoder.1.cross_attn.w_v.weight", kind).any(), "nothing is attended to behind the last values"
        assert (moved("decoder.1.self_attn.w_q.weight", kind) > 0).any() == (kind in ("decoder", "cross"))
    first = moved("encoder.0.self_attn.w_q.weight", "encoder")
    assert first[0, 0] > 0 and not first[0, 1:].any(), "of its own layer, its own head alone"


def _is_open(part, query: int, key: int) -> bool:
    return 0 <= key < part.allowed.shape[1] and bool(part.allowed[query, key])


def test_a_query_that_may_attend_to_nothing_has_no_weights():
    run = run_of(model_of()).like([0, 0], [3, 4], [4, 2])  # a source of padding
    assert np.isnan(heads(run, "encoder", 0)).all()
    assert not np.isnan(heads(run, "decoder", 0)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_entropy_and_distance_one_query_at_a_time(kind):
    run = run_of(model_of())
    weights, _allowed = recorded(run, kind)
    bits = [np.mean([-(row[row > 0] * np.log2(row[row > 0])).sum() for row in head]) for head in weights]
    np.testing.assert_allclose(entropy(run, kind, 1), bits, rtol=1e-5)
    if kind != "cross":
        n = len(weights[0])
        far = [np.mean([sum(row[j] * abs(i - j) for j in range(n)) for i, row in enumerate(head)]) for head in weights]
        np.testing.assert_allclose(distance(run, kind, 1), far, rtol=1e-5)


@pytest.mark.teaches(point="A7")
@pytest.mark.parametrize("padding", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_what_heads_look_at_pair_by_pair(kind, padding):
    """All words of this vocabulary are words, but for padding."""
    run = run_of(model_of())
    padded = run.padded(padding, padding)
    weights, allowed = recorded(padded, kind)
    queries, keys = (run.src if kind == "encoder" else run.tgt), (padded.tgt if kind == "decoder" else padded.src)
    tests = {
        "same place": lambda i, j: i == j,
        "place before": lambda i, j: j == i - 1,
        "place after": lambda i, j: j == i + 1,
        "first": lambda i, j: j == 0,
        "same word": lambda i, j: queries[i] == keys[j] != 0 and (kind == "cross" or i != j),
        "padding": lambda i, j: keys[j] == 0,
        "special": lambda i, j: False,
        "number": lambda i, j: False,
        "sign": lambda i, j: False,
        "word": lambda i, j: keys[j] != 0,
    }
    assert list(tests) == list(PATTERNS)
    rows = range(len(queries))
    uniform = allowed / np.maximum(allowed.sum(axis=1, keepdims=True), 1)
    found = shares(run, kind, 1, padding, False)
    for name, column in zip(tests, found.T, strict=True):
        related = [[j for j in range(len(keys)) if tests[name](i, j) and (allowed[i, j] or name == "padding")] for i in rows]
        if not any(related):
            assert np.isnan(column).all(), name
            continue
        expected = [np.mean([head[i, each].sum() for i, each in enumerate(related) if each]) for head in [*weights, uniform]]
        np.testing.assert_allclose(column, expected, rtol=1e-4, atol=1e-6, err_msg=name)
    drawn = patterns(run, kind, 1, padding)
    np.testing.assert_array_equal(drawn, found[:, drawn_of(found)])
    assert np.isfinite(drawn).all() and not np.isclose(drawn[-1], 1).any()


@pytest.mark.teaches(point="A7")
def test_before_the_first_step_stands_another_model():
    late, early = model_of(), model_of(norm="pre")
    run = run_of(late)
    both = Run(late, run.vocabulary, run.src, run.tgt, run.labels, before=early)
    now, before = (shares(both, "cross", 1, 0, initial) for initial in (False, True))
    np.testing.assert_array_equal(now, shares(run, "cross", 1, 0, True))  # what is unknown is not shown
    np.testing.assert_array_equal(before, shares(run_of(early), "cross", 1, 0, False))
    assert not np.array_equal(now, before, equal_nan=True)


def test_where_heads_cannot_differ_every_kind_there_is_is_drawn():
    run = run_of(model_of()).like([3], [4], [2])
    found = shares(run, "encoder", 0, 0, False)
    assert patterns(run, "encoder", 0, 0).shape == (4, np.isfinite(found[0]).sum())


@pytest.mark.teaches(point="C4")
def test_heads_that_share_the_width_cost_what_one_costs():
    shared, full = cost(model_of().cfg, 20)  # d_model is 66
    assert (shared.tolist(), full.tolist()) == ([1] * 6, [1, 2, 3, 6, 11, 22])
