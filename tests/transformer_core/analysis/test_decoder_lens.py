"""Pins: through the DecoderLens the decoder is given the state of the layer that is asked for, and nothing else changes."""

import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace, greedy_decode
from transformer_core.analysis.cutting import HeadCut, WordCut, cut_out
from transformer_core.analysis.decoder_lens import DecoderLens, after_layers
from transformer_core.model.decoding import without_padding
from transformer_core.model.stages import MEMORY

KINDS = [{"norm": "pre"}, {"norm": "pre", "final_norm": False}, {"norm": "post"}, {"norm": "post", "final_norm": True}]


def states(model, src, tgt):
    """What the encoder has after 0, 1, … of its layers, each through its final norm if it has one."""
    with Trace() as trace:
        model(src, tgt)
    name = "residual" if model.cfg.norm == "pre" else "norm_out"
    found = [trace["encoder.embedding.sum"], *(trace[f"encoder.{layer}.feed_forward.{name}"] for layer in range(3))]
    return [model.encoder_norm(found_at) for found_at in found]


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_decoder_is_given_the_state_of_that_layer(kind):
    model = perturbed_model(config(**kind, n_layers=3), 3)
    src, tgt = token_ids(model.cfg, seed=3)  # padded
    whole, mask = model(src, tgt), model.src_mask(src)
    for layers, state in enumerate(states(model, src, tgt)):
        lens, trace = DecoderLens(model, layers), Trace()
        with trace:
            logits = lens(src, tgt)
        torch.testing.assert_close(trace[MEMORY], state)
        torch.testing.assert_close(logits, model.decode(tgt, state, mask), atol=2e-5, rtol=0)
        assert (float((logits - whole).abs().max()) > 0.01) == (layers < 3)
        logits = model.decode(torch.full_like(tgt[:, :1], 1), state, mask)[:, 0]
        first = without_padding(logits, model.cfg.pad_id).argmax(dim=-1)
        assert torch.equal(greedy_decode(lens, src, 1, 6)[:, 1], first)
    torch.testing.assert_close(DecoderLens(model, 3)(src, tgt), whole, atol=2e-5, rtol=0)
    assert after_layers(model, 3) is model and len(after_layers(model, 1).encoder) == 1
    assert len(model.encoder) == 3, "the model itself is left alone"
    torch.testing.assert_close(model(src, tgt), whole, atol=0, rtol=0)


@torch.no_grad()
def test_what_was_cut_out_stays_so():
    model = perturbed_model(config(norm="pre"), 4)
    src, tgt = token_ids(model.cfg, seed=4)
    cut = cut_out(model, [WordCut("src", 1), HeadCut("encoder", 1, 2)])
    with Trace() as trace:
        cut(src, tgt)
    memory = model.encoder_norm(trace["encoder.0.feed_forward.residual"])
    once = cut.decode(tgt, memory, cut.src_mask(src))
    torch.testing.assert_close(DecoderLens(cut, 1)(src, tgt), once, atol=2e-5, rtol=0)
    torch.testing.assert_close(DecoderLens(cut, 2)(src, tgt), cut(src, tgt), atol=2e-5, rtol=0)
    assert float((once - model.decode(tgt, memory, model.src_mask(src))).abs().max()) > 0.01
    assert after_layers(cut, 2) is cut
