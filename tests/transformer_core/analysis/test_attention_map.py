"""Pins: an AttentionMap is what a forward pass recorded, its mask is the model's own, and what does not fit is refused."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import Trace
from transformer_core.analysis.attention_map import AttentionMap, Link, token_labels
from transformer_core.analysis.mask_tiles import mask_tiles

SRC = (3, 7, 7, 1, 12, 0, 0)  # two of padding
TGT = (1, 9, 4, 16, 0)
SRC_TOKENS, TGT_TOKENS = ([f"{side}{i}" for i in ids] for side, ids in (("s", SRC), ("t", TGT)))
MASKS = {"encoder": "source padding", "decoder": "target", "cross": "cross"}


def recorded(**changes):
    """A pass of 3 heads over 7 source and 5 target tokens, as arrays without the batch axis."""
    trace = Trace()
    with torch.no_grad(), trace:
        perturbed_model(config(**changes))(torch.tensor([SRC]), torch.tensor([TGT]))
    return {name: trace[name].numpy()[0] for name, stage in trace.stages.items() if stage.axes[0] == "batch"}


def some_map(heads=4, queries=3, keys=6, kind="cross", seed=0, **changes):
    """Weights as a softmax gives them, on random pairs; the first query may see nothing."""
    rng = np.random.default_rng(seed)
    allowed = rng.random((queries, keys)) < 0.6
    allowed[0] = False
    weights = rng.random((heads, queries, keys)) * allowed
    weights /= np.maximum(weights.sum(axis=-1, keepdims=True), 1e-12)
    given = {"kind": kind, "layer": 2, "weights": weights.astype(np.float32), "allowed": allowed}
    given |= {"query_tokens": tuple("abc"[:queries]), "key_tokens": tuple("uvwxyz"[:keys])}
    return AttentionMap(**given | changes)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_map_is_what_the_pass_recorded(kind, causal):
    stages = recorded(causal=causal)
    for layer in range(2):
        found = AttentionMap.from_stages(stages, kind, layer, SRC_TOKENS, TGT_TOKENS)
        assert (found.kind, found.layer, found.n_heads) == (kind, layer, 3)
        scope = f"{'encoder' if kind == 'encoder' else 'decoder'}.{layer}.{'cross' if kind == 'cross' else 'self'}_attn"
        np.testing.assert_array_equal(found.weights, stages[f"{scope}.weights"])
        np.testing.assert_array_equal(found.allowed, mask_tiles(SRC, TGT, 0, causal)[MASKS[kind]])
        assert found.query_tokens == tuple(SRC_TOKENS if kind == "encoder" else TGT_TOKENS)
        assert found.key_tokens == tuple(TGT_TOKENS if kind == "decoder" else SRC_TOKENS)
        assert (kind != "cross") == (found.query_tokens == found.key_tokens)
        assert (found.weights[:, ~found.allowed] == 0).all() and (found.weights[:, found.allowed] > 0).all()


def test_labels_are_position_and_token():
    assert token_labels(["the", "8", "the", "<pad>", "²", "4b", ""]) == [
        "0 the",
        "1 · 8",
        "2 the",
        "3 <pad>",
        "4 · ²",
        "5 4b",
        "6 ",
    ]
    found = some_map(query_tokens=("1", "la", "la"), key_tokens=("5", "3", "3", "a", "b", "c"))
    assert found.query_labels == ["0 · 1", "1 la", "2 la"]
    assert found.key_labels == ["0 · 5", "1 · 3", "2 · 3", "3 a", "4 b", "5 c"]


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_entropy_is_that_of_even_weights(seed):
    found = some_map(seed=seed)
    by_hand = [np.log2(row.sum()) if row.any() else 0 for row in found.allowed]
    assert found.max_entropy == pytest.approx(np.mean(by_hand))
    assert some_map(allowed=np.ones((3, 6), bool)).max_entropy == pytest.approx(np.log2(6))
    assert some_map(allowed=np.zeros((3, 6), bool)).max_entropy == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_is_over_the_heads_and_the_strongest_link_is_of_one(seed):
    found = some_map(seed=seed)
    np.testing.assert_allclose(found.mean(), sum(found.weights) / 4, rtol=1e-6)
    for head in range(4):
        link = found.strongest(head)
        assert isinstance(link, Link) and link.weight == found.weights[head, link.query, link.key] > 0
        assert link.weight == max(float(w) for row in found.weights[head] for w in row)
    heads = {(found.strongest(head).query, found.strongest(head).key) for head in range(4)}
    assert len(heads) > 1 or seed != 0, "not the same link for every head"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "self"}, "no attention of the kind 'self'"),
        ({"layer": -1}, "in a layer -1"),
        ({"weights": np.zeros((3, 6))}, r"weights \(3, 6\) do not fit 3 query tokens and 6 key tokens"),
        ({"weights": np.zeros((4, 6, 3))}, r"weights \(4, 6, 3\)"),
        ({"weights": np.zeros((2, 4, 3, 6))}, r"weights \(2, 4, 3, 6\)"),
        ({"allowed": np.ones((6, 3), bool)}, r"a mask \(6, 3\) of bool"),
        ({"allowed": np.ones((4, 3, 6), bool)}, r"a mask \(4, 3, 6\) of bool"),
        ({"allowed": np.ones((3, 6))}, r"a mask \(3, 6\) of float64"),
        ({"query_tokens": ("a", "b")}, r"weights \(4, 3, 6\) do not fit 2 query tokens and 6 key tokens"),
        ({"key_tokens": tuple("uvwxy")}, r"weights \(4, 3, 6\) do not fit 3 query tokens and 5 key tokens"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    assert some_map().weights.shape == (4, 3, 6)
    with pytest.raises(ValueError, match=message):
        some_map(**changes)


def test_a_decoder_s_query_is_named_by_the_word_read_and_the_word_to_be_said():
    stages, labels = recorded(), [*TGT_TOKENS[1:], "<end>"]
    for kind in ("decoder", "cross"):
        found = AttentionMap.from_stages(stages, kind, 0, SRC_TOKENS, TGT_TOKENS, labels)
        assert found.query_names == [f"{a} → {b}" for a, b in zip(TGT_TOKENS, labels, strict=True)]
        assert found.query_labels[1].startswith("1 ") and found.query_labels[1].endswith(f" → {labels[1]}")
        assert " → " not in " ".join(found.key_labels)
    assert AttentionMap.from_stages(stages, "encoder", 0, SRC_TOKENS, TGT_TOKENS, labels).query_names == list(SRC_TOKENS)
    with pytest.raises(ValueError, match="not followed"):
        AttentionMap.from_stages(stages, "cross", 0, SRC_TOKENS, TGT_TOKENS, labels[1:])
