"""Pins the model without positions, and new orders of words."""

from dataclasses import replace

import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core.analysis.word_order import new_order, without_positions

pytestmark = pytest.mark.teaches(point="C2")


@pytest.mark.parametrize(("causal", "knows"), [(True, True), (False, False)])
def test_a_decoder_without_positions_knows_some_of_the_order_by_its_causal_mask(causal, knows):
    model = perturbed_model(config(position="none", causal=causal, cross_attention=False))
    src, before, after = (torch.tensor([ids]) for ids in ([1], [3, 8, 4, 2], [8, 3, 4, 2]))
    with torch.no_grad():
        one, other = (model(src, ids)[0, -1] for ids in (before, after))
    assert (float((one - other).abs().max()) > 1e-3) == knows


def test_the_model_without_positions_has_the_very_weights():
    model = perturbed_model(config(tie_embeddings="all", tgt_vocab=19))
    bare = without_positions(model)
    assert bare.cfg == replace(model.cfg, position="none")
    theirs = dict(bare.named_parameters())
    assert theirs.keys() == dict(model.named_parameters()).keys()
    assert all(theirs[name].data_ptr() == weight.data_ptr() for name, weight in model.named_parameters())
    src, tgt = token_ids(model.cfg)
    zeros = perturbed_model(config(tie_embeddings="all", tgt_vocab=19))
    for embedding in (zeros.src_embedding, zeros.tgt_embedding):
        embedding.positions.zero_()
    torch.testing.assert_close(bare(src, tgt), zeros(src, tgt))


@pytest.mark.parametrize("length", [2, 3, 9])
def test_a_new_order_has_every_place_once_and_is_new(length):
    orders = {new_order(length, seed) for seed in range(30)}
    assert all(sorted(order) == list(range(length)) for order in orders)
    assert tuple(range(length)) not in orders
    assert len(orders) > 1 or length == 2
    assert new_order(length, 5) == new_order(length, 5)
    assert new_order(1, 3) == (0,)
