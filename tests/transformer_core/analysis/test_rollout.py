"""Pins: rollout is its formula by hand, its shares add up to what the formula alone decides, and it is judged fairly."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import BATCH, SRC, TGT, config, perturbed_model, token_ids
from transformer_core import Trace
from transformer_core.analysis.bootstrap import ratio
from transformer_core.analysis.damage import erasures, moves
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.analysis.rollout import Agreement, Judged, judge, mean_attention, rollout
from transformer_core.model.stages import attention_path

KINDS = [{"norm": "pre"}, {"norm": "post", "n_layers": 3}, {"norm": "pre", "n_layers": 1, "score": "concat_linear"}]


@torch.no_grad()
def recorded(model, src, tgt):
    with Trace() as trace:
        model(src, tgt)
    return {name: trace[name] for name in trace.stages}


def rows_of(*shape, draws):
    weights = draws.random(shape)
    return weights / weights.sum(-1, keepdims=True)


def made_up(cfg, draws):
    """Stages with random weights: 2 heads, a source of 4 words, a target of 3."""
    sizes = {"encoder": (4, 4), "decoder": (3, 3), "cross": (3, 4)}
    kinds = [kind for kind in sizes if kind != "cross" or cfg.cross_attention]
    return {
        attention_path(kind, layer).stage("weights"): rows_of(2, *sizes[kind], draws=draws)
        for kind in kinds
        for layer in range(cfg.n_layers)
    }


@pytest.mark.parametrize("batch", [(), (5,)])
def test_without_a_source_all_shares_are_of_the_decoder_s_own_words(batch):
    cfg = config(n_layers=2, stacks="decoder")
    draws = np.random.default_rng(1)
    stages = {attention_path("decoder", layer).stage("weights"): rows_of(*batch, 2, 3, 3, draws=draws) for layer in (0, 1)}
    s0, s1 = (stages[attention_path("decoder", layer).stage("weights")].mean(axis=-3) for layer in (0, 1))
    found, own = rollout(stages, cfg), np.eye(3)
    assert found.encoder.shape == (3, *batch, 0, 0) and found.cross.shape == (3, *batch, 3, 0)
    np.testing.assert_allclose(found.decoder[2], (s1 + own) / 2 @ (s0 + own) / 2)
    np.testing.assert_allclose(found.decoder.sum(axis=-1), 1)


def test_two_layers_by_hand():
    cfg = config(n_layers=2)
    stages = made_up(cfg, np.random.default_rng(0))

    def mean(kind, layer):
        heads = stages[attention_path(kind, layer).stage("weights")]
        return (heads[0] + heads[1]) / 2

    (a0, a1), (s0, s1), (c0, c1) = ([mean(kind, layer) for layer in (0, 1)] for kind in ("encoder", "decoder", "cross"))
    source, target = np.eye(4), np.eye(3)
    e1 = (a0 + source) / 2
    e2 = (a1 + source) / 2 @ e1
    t1 = (s0 + target) / 4
    t2 = (s1 + target) / 4 @ t1
    r1 = c0 @ e2 / 2
    r2 = c1 @ e2 / 2 + (s1 + target) / 4 @ r1
    found = rollout(stages, cfg)
    np.testing.assert_allclose(found.encoder, [source, e1, e2])
    np.testing.assert_allclose(found.decoder, [target, t1, t2])
    np.testing.assert_allclose(found.cross, [np.zeros((3, 4)), r1, r2])
    assert found.of("cross") is found.cross and found.of("encoder") is found.encoder and found.of("decoder") is found.decoder


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_of_a_model_rows_add_up_to_1_and_nothing_comes_from_later_words_or_padding(kind):
    model = perturbed_model(config(**kind), 1)
    src, tgt = token_ids(model.cfg, seed=1)
    tgt = tgt.clamp_min(1)
    found = rollout(recorded(model, src, tgt), model.cfg)
    layers = model.cfg.n_layers + 1
    assert found.encoder.shape == (layers, BATCH, SRC, SRC)
    assert found.cross.shape == (layers, BATCH, TGT, SRC) and found.decoder.shape == (layers, BATCH, TGT, TGT)
    np.testing.assert_allclose(np.concatenate([found.cross, found.decoder], axis=-1).sum(-1), 1, atol=1e-6)
    assert not np.triu(found.decoder, 1).any(), "causal"
    assert not found.cross[:, -1, :, -2:].any() and not found.encoder[:, -1, :-2, -2:].any(), "padding"
    alone = rollout(recorded(model, src[-1:, :-2], tgt[-1:]), model.cfg)
    np.testing.assert_allclose(found.cross[:, -1:, :, :-2], alone.cross, atol=1e-5)
    np.testing.assert_allclose(found.encoder[:, -1:, :-2, :-2], alone.encoder, atol=1e-5)
    one = {name: value[-1].numpy() for name, value in recorded(model, src, tgt).items() if name.endswith("weights")}
    np.testing.assert_allclose(rollout(one, model.cfg).cross, found.cross[:, -1], atol=1e-12)


def test_without_cross_attention_all_comes_from_the_decoder_s_own_words():
    cfg = config(cross_attention=False)
    stages = made_up(cfg, np.random.default_rng(3))
    found = rollout(stages, cfg)
    assert found.cross.shape == (3, 3, 4) and not found.cross.any()
    s0, s1 = (mean_attention(stages, "decoder", layer) for layer in (0, 1))
    np.testing.assert_allclose(found.decoder[-1], (s1 + np.eye(3)) / 2 @ (s0 + np.eye(3)) / 2)
    np.testing.assert_allclose(found.decoder.sum(-1), 1)


def test_only_rows_with_something_to_lose_and_a_choice_are_compared():
    cost = np.array([[[0.0, 5.0, 1.0], [9.0, 0.2, 0.3], [0.05, 0.02, 0.0], [0.0, 7.0, 8.0]]])
    shares = np.array([[[0.1, 0.6, 0.3], [0.8, 0.1, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.2]]])
    attention = np.array([[[0.6, 0.3, 0.1], [0.9, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    counts = np.ones((1, 4, 3), dtype=bool)
    counts[0, 1, 0] = counts[0, 3, :2] = False  # the second row's own word; the fourth row has one word left
    judged = Judged(cost, shares, attention, counts)
    found = judged.agreement(0.1)
    # First row: rollout alone; second: attention alone; the third loses nothing; the fourth has no choice.
    assert (found.needing, found.rollout, found.attention) == ([2], [1], [1])
    assert judged.agreement(6.0).n == 0


def test_shares_of_rows_have_the_intervals_of_their_sequences():
    """In each sequence all rows agree: there is as much to be known as sequences, and not as rows."""
    needing, agrees = np.full(40, 7), np.arange(40) < 30
    found = Agreement(needing[:20], 7 * agrees[:20], needing[:20] * 0) + Agreement(
        needing[20:], 7 * agrees[20:], needing[20:] * 0
    )
    rollout, attention, apart = found.shares
    assert (found.n, rollout.value, attention.value) == (280, 0.75, 0) and apart == rollout and not apart.holds_zero
    assert ratio(agrees.astype(float), np.ones(40)) == rollout and attention.low == attention.high == 0
    low, high = share_interval(0.75, 40)
    assert rollout.low == pytest.approx(low, abs=0.04) and rollout.high == pytest.approx(high, abs=0.04)


@pytest.mark.parametrize("kind", ["encoder", "cross", "decoder"])
def test_rollout_is_judged_by_what_hiding_a_word_costs_padding_left_out(kind):
    model = perturbed_model(config(norm="pre"), 2)
    src, tgt = token_ids(model.cfg, seed=2)
    labels = torch.roll(tgt, -1, dims=1)
    labels[0, -2:] = 0
    found = judge(model, src, tgt, labels, kind)
    stages = recorded(model, src, tgt)
    cost = moves(model, src) if kind == "encoder" else erasures(model, src, tgt, labels, "src" if kind == "cross" else "tgt")
    np.testing.assert_allclose(found.cost, cost, atol=1e-6)
    np.testing.assert_allclose(found.rollout, rollout(stages, model.cfg).of(kind)[-1], atol=1e-6)
    last = stages[attention_path(kind, 1).stage("weights")].numpy().mean(axis=1)
    np.testing.assert_allclose(found.attention, last, atol=1e-6)
    queries, keys = (src if kind == "encoder" else labels), (tgt if kind == "decoder" else src)
    for row, query, key in np.ndindex(*found.counts.shape):
        real = bool(queries[row, query] != 0 and keys[row, key] != 0)
        apart = kind == "cross" or (key < query if kind == "decoder" else key != query)
        assert found.counts[row, query, key] == (real and apart)
