"""Pins: masks are boolean, True = may attend, 4-D, and are combined as the model combines them."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import BATCH, SRC, TGT, config, perturbed_model, token_ids
from transformer_core import Trace, causal_mask, padding_mask


@pytest.mark.teaches(point="B2")
def test_causal_mask_is_the_lower_triangle():
    mask = causal_mask(5)
    assert mask.dtype == torch.bool
    assert mask.shape == (1, 1, 5, 5)
    picture = ["#....", "##...", "###..", "####.", "#####"]
    assert ["".join("#" if may else "." for may in row) for row in mask[0, 0].tolist()] == picture


@pytest.mark.teaches(point="B2")
def test_padding_mask_hides_columns_not_rows():
    ids = torch.tensor([[4, 2, 9, 9], [5, 9, 6, 7]])
    mask = padding_mask(ids, pad_id=9)
    assert mask.dtype == torch.bool
    assert mask.shape == (2, 1, 1, 4)
    assert mask[:, 0, 0].tolist() == [[True, True, False, False], [True, False, True, True]]


@pytest.mark.teaches(point="E4")
def test_the_models_masks_against_a_loop():
    cfg = config()
    src, tgt = token_ids(cfg)
    model = perturbed_model(cfg)
    src_mask, tgt_mask = model.src_mask(src), model.tgt_mask(tgt)
    assert (src_mask.shape, tgt_mask.shape) == ((BATCH, 1, 1, SRC), (BATCH, 1, TGT, TGT))
    for b in range(BATCH):
        for key in range(SRC):
            assert src_mask[b, 0, 0, key].item() == (src[b, key].item() != 0)
        for query in range(TGT):
            for key in range(TGT):
                assert tgt_mask[b, 0, query, key].item() == (key <= query and tgt[b, key].item() != 0)


def test_without_causal_every_query_sees_the_same_keys():
    cfg = config(causal=False)
    _, tgt = token_ids(cfg)
    mask = perturbed_model(cfg).tgt_mask(tgt).expand(BATCH, 1, TGT, TGT)
    assert torch.equal(mask, (tgt != 0)[:, None, None, :].expand_as(mask))


@pytest.mark.parametrize("causal", [True, False])
def test_a_decoder_alone_has_a_mask_of_its_target_and_one_of_no_keys(causal):
    alone, both = (perturbed_model(config(stacks=stacks, causal=causal)) for stacks in ("decoder", "both"))
    src, tgt = token_ids(alone.cfg)
    assert alone.src_mask(src).shape == (BATCH, 1, 1, 0)
    assert torch.equal(alone.tgt_mask(tgt), both.tgt_mask(tgt))
    with Trace() as trace:
        alone(src, tgt)
    weights = trace["decoder.1.self_attn.weights"]
    assert ((weights > 0) == alone.tgt_mask(tgt).expand_as(weights)).all()


def test_the_pad_id_of_the_configuration_counts():
    cfg = config(pad_id=5)
    ids = torch.tensor([[1, 5, 0, 2]])
    assert perturbed_model(cfg).src_mask(ids).flatten().tolist() == [True, False, True, True]


def test_default_masks_are_the_models_own_and_given_ones_are_used():
    cfg = config()
    src, tgt = token_ids(cfg)
    model = perturbed_model(cfg)
    src_mask, tgt_mask = model.src_mask(src), model.tgt_mask(tgt)
    logits = model(src, tgt)
    assert torch.equal(logits, model(src, tgt, src_mask=src_mask, tgt_mask=tgt_mask))
    assert torch.equal(logits, model.decode(tgt, model.encode(src, src_mask), src_mask, tgt_mask))
    everything = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    assert not torch.allclose(logits, model(src, tgt, src_mask=everything), atol=1e-3)
    assert not torch.allclose(logits, model(src, tgt, tgt_mask=everything), atol=1e-3)


def test_what_is_masked_gets_no_weight_anywhere():
    cfg = config()
    src, tgt = token_ids(cfg)
    model = perturbed_model(cfg)
    with Trace() as trace:
        model(src, tgt)
    for i in range(cfg.n_layers):
        for name, mask in (
            (f"encoder.{i}.self_attn", model.src_mask(src)),
            (f"decoder.{i}.self_attn", model.tgt_mask(tgt)),
            (f"decoder.{i}.cross_attn", model.src_mask(src)),
        ):
            weights = trace[f"{name}.weights"]
            blocked = ~mask.expand_as(weights)
            assert blocked.any()
            assert (weights[blocked] == 0).all()
            assert (trace[f"{name}.masked_scores"][blocked] == -torch.inf).all()
            assert torch.equal(trace[f"{name}.masked_scores"][~blocked], trace[f"{name}.scores"][~blocked])
            np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-6)
            assert (weights[~blocked] > 0).all()
