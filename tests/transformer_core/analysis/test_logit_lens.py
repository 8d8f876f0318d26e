"""Pins: what is read early is what plain numpy reads, and the last reading is what the model says."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import TGT, arrays, config, first_row, perturbed_model, token_ids
from tests.transformer_core.in_numpy import layer_norm
from transformer_core.analysis.cutting import PartCut, cut_out
from transformer_core.analysis.logit_lens import Reading, logit_lens, settled
from transformer_core.model.stages import CROSS_ATTENTION, FEED_FORWARD, LOGITS, SELF_ATTENTION, SublayerPath

KINDS = [
    {"norm": "pre"},
    {"norm": "pre", "final_norm": False},
    {"norm": "post"},
    {"norm": "post", "final_norm": True},
    {"norm": "pre", "tie_embeddings": "output"},
    {"norm": "pre", "layer_norm": "unbiased_std", "n_layers": 1},
    {"norm": "post", "residual": False},
    {"norm": "pre", "cross_attention": False},
    {"norm": "pre", "stacks": "decoder"},
    {"norm": "post", "stacks": "decoder", "tie_embeddings": "output"},
]


def one_row(model, seed):
    src, tgt = token_ids(model.cfg, batch=1, seed=seed)
    return src.clamp_min(1), tgt.clamp_min(1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_each_reading_is_the_state_through_final_norm_and_output(kind):
    cfg = config(**kind)
    model = perturbed_model(cfg, 5)
    stages, weights = first_row(model, *one_row(model, 5)), arrays(model)
    found = logit_lens(model, stages)
    in_layer = (SELF_ATTENTION, CROSS_ATTENTION, FEED_FORWARD) if cfg.cross_attention else (SELF_ATTENTION, FEED_FORWARD)
    parts = [(layer, part) for layer in range(cfg.n_layers) for part in in_layer]
    assert [(each.layer, each.part) for each in found] == [(None, None), *parts]
    names = ["decoder.embedding.sum"]
    names += [f"decoder.{layer}.{part}.{'residual' if cfg.norm == 'pre' else 'norm_out'}" for layer, part in parts]
    table = model.tgt_embedding.table.weight if model.output is None else model.output.weight
    bias = 0.0 if model.output is None else model.output.bias.detach().numpy()
    for name, each in zip(names, found, strict=True):
        x = stages[name].astype(np.float64)
        x = layer_norm(cfg, weights, "decoder_norm", x) if cfg.has_final_norm else x
        logits = x @ table.detach().numpy().T.astype(np.float64) + bias
        assert each.logits.shape == (TGT, cfg.tgt_vocab)
        np.testing.assert_allclose(each.logits, logits, atol=1e-4)
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        np.testing.assert_allclose(each.probabilities, powers / powers.sum(-1, keepdims=True), atol=1e-5)
        np.testing.assert_array_equal(each.tops, each.logits.argmax(-1))
    np.testing.assert_array_equal(found[-1].logits, stages[LOGITS])  # to the last bit
    assert np.abs(found[0].logits - stages[LOGITS]).max() > 0.1


@torch.no_grad()
@pytest.mark.parametrize("final_norm", [True, False])
def test_of_a_pre_norm_model_a_reading_is_the_model_without_all_later_parts(final_norm):
    model = perturbed_model(config(norm="pre", final_norm=final_norm), 7)
    src, tgt = one_row(model, 7)
    found = logit_lens(model, first_row(model, src, tgt))
    paths = [SublayerPath("decoder", each.layer, each.part) for each in found[1:]]
    for i, each in enumerate(found):
        without = cut_out(model, [PartCut(path) for path in paths[i:]])(src, tgt)[0]
        np.testing.assert_allclose(each.logits, without.numpy(), atol=2e-5)


def test_cuts_are_read_too():
    model = perturbed_model(config(norm="post"), 8)
    src, tgt = one_row(model, 8)
    cut = cut_out(model, [PartCut(SublayerPath("decoder", 0, CROSS_ATTENTION))])
    found = logit_lens(cut, first_row(cut, src, tgt))
    np.testing.assert_array_equal(found[-1].logits, first_row(cut, src, tgt)[LOGITS])
    whole = logit_lens(model, first_row(model, src, tgt))
    np.testing.assert_array_equal(found[1].logits, whole[1].logits)  # before what was cut
    assert np.abs(found[2].logits - whole[2].logits).max() > 0.01


def test_where_the_last_word_is_on_top_for_good():
    def reading(tops):
        return Reading(None, None, np.eye(4, dtype=np.float32)[tops])

    # Of the first position always; of the second it comes, goes and comes back; of the third only in the end.
    readings = [reading(tops) for tops in ([1, 2, 0], [1, 3, 1], [1, 0, 2], [1, 2, 0], [1, 2, 3])]
    np.testing.assert_array_equal(settled(readings), [0, 3, 4])
    np.testing.assert_array_equal(settled(readings[:1]), [0, 0, 0])
