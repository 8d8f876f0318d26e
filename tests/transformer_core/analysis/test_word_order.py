"""Pins: words moved about leave the model without positions as it was, but for the order; and the three kinds of positions."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, generator, perturbed_model, token_ids
from transformer_core import Transformer, sinusoidal_encoding
from transformer_core.analysis.embedding_metrics import similarity
from transformer_core.analysis.word_order import new_order, permute_source, position_tables, swapped, without_positions

SRC = [3, 8, 1, 14, 8, 2, 11]  # seven words, one of them twice


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("order", [(6, 0, 5, 2, 1, 4, 3), swapped(7, 1, 5)], ids=str)
def test_c2_without_positions_the_output_moves_with_the_words_and_nothing_else_changes(norm, order):
    model = perturbed_model(config(norm=norm))
    bare = without_positions(model)
    found = permute_source(bare, SRC, order)
    assert found.difference < 2e-6
    assert found.difference == np.abs(found.plain - found.put_back).max()
    np.testing.assert_allclose(found.moved, found.plain[list(order)], atol=2e-6)
    known = permute_source(model, SRC, order)
    assert known.difference > 0.1, "with positions the same words in another order are another sentence"
    np.testing.assert_array_equal(known.put_back[list(order)], known.moved)


@pytest.mark.parametrize(("causal", "knows"), [(True, True), (False, False)])
def test_c2_a_decoder_without_positions_knows_some_of_the_order_by_its_causal_mask(causal, knows):
    model = perturbed_model(config(position="none", causal=causal, cross_attention=False))
    src, before, after = (torch.tensor([ids]) for ids in ([1], [3, 8, 4, 2], [8, 3, 4, 2]))
    with torch.no_grad():
        one, other = (model(src, ids)[0, -1] for ids in (before, after))
    assert (float((one - other).abs().max()) > 1e-3) == knows


def test_c2_the_model_without_positions_has_the_very_weights():
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


def test_c2_learned_positions_are_left_out_as_well():
    model = perturbed_model(config(position="learned"))
    assert permute_source(model, SRC, new_order(7, 0)).difference > 0.1
    assert permute_source(without_positions(model), SRC, new_order(7, 0)).difference < 2e-6


def test_c2_a_model_made_in_inference_mode_will_do():
    with torch.inference_mode():
        model = perturbed_model(config())
    assert permute_source(without_positions(model), SRC, new_order(7, 0)).difference < 2e-6


@pytest.mark.parametrize("length", [2, 3, 9])
def test_c2_a_new_order_has_every_place_once_and_is_new(length):
    orders = {new_order(length, seed) for seed in range(30)}
    assert all(sorted(order) == list(range(length)) for order in orders)
    assert tuple(range(length)) not in orders
    assert len(orders) > 1 or length == 2
    assert new_order(length, 5) == new_order(length, 5)
    assert new_order(1, 3) == (0,)


def test_c2_an_order_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"each of the 3 positions once; \(0, 0, 2\) does not"):
        permute_source(perturbed_model(config()), [1, 2, 3], (0, 0, 2))


def test_b3_the_tables_are_the_waves_the_start_of_a_learned_table_and_nothing():
    model = perturbed_model(config())
    tables = position_tables(model, 11, seed=3)
    np.testing.assert_array_equal(tables["sinusoidal"], sinusoidal_encoding(11, 66).numpy())
    fresh = Transformer(config(position="learned"), generator(3)).src_embedding.positions
    np.testing.assert_array_equal(tables["learned"], fresh[:11].detach().numpy())
    assert tables["none"].shape == (11, 66) and not tables["none"].any()


def test_b3_a_model_with_learned_positions_shows_its_own():
    model = perturbed_model(config(position="learned"))
    own = model.src_embedding.positions.detach().numpy()
    np.testing.assert_array_equal(position_tables(model, 13, seed=3)["learned"], own[:13])


def test_b3_learned_positions_end_at_max_len_and_waves_do_not():
    model = perturbed_model(config(max_len=12))
    assert len(position_tables(model, 12, 0)["learned"]) == 12
    with pytest.raises(ValueError, match="max_len 12; there is no position 12"):
        position_tables(model, 13, 0)
    assert sinusoidal_encoding(1000, 66).shape == (1000, 66)


def test_b3_waves_are_alike_by_distance_alone_and_no_positions_have_no_direction():
    tables = position_tables(perturbed_model(config()), 11, seed=3)
    alike = similarity(tables["sinusoidal"])
    for distance in range(11):
        np.testing.assert_allclose(np.diagonal(alike, distance), alike[0, distance], atol=1e-5)
    random = similarity(tables["learned"])
    assert np.abs(np.diagonal(random, 1) - random[0, 1]).max() > 0.05, "drawn at random, distance says nothing"
    assert np.isnan(similarity(tables["none"])).all()
