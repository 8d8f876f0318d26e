"""Pins: words moved about leave the model without positions as it was, but for the order; and the three kinds of positions."""

import numpy as np
import pytest
import torch

from explorer.exhibits.positions.no_positions import encoded, kinds, kinds_alike, moved_none, moved_own
from tests.explorer.exhibits.helpers import model_of, run_of
from tests.transformer_core.helpers import config, generator
from transformer_core import Transformer, sinusoidal_encoding
from transformer_core.analysis.run import Run
from transformer_core.analysis.word_order import new_order, swapped, without_positions

SRC = [3, 8, 1, 14, 8, 2, 11]  # seven words, one of them twice


def run_with(seed: int = 0, **changes) -> Run:
    run = run_of(model_of(**changes))
    return Run(run.model, run.vocabulary, SRC, run.tgt, run.labels, seed=seed)


@pytest.mark.teaches(point="C2")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("order", [(6, 0, 5, 2, 1, 4, 3), swapped(7, 1, 5)], ids=str)
def test_without_positions_the_output_moves_with_the_words_and_nothing_else_changes(norm, order):
    run = run_with(norm=norm)
    plain, moved, put_back = moved_none(run, order)
    np.testing.assert_allclose(put_back, plain, atol=2e-6)
    np.testing.assert_allclose(moved, plain[list(order)], atol=2e-6)
    plain, moved, put_back = moved_own(run, order)
    with torch.no_grad():
        expected = [run.model.encode(torch.tensor([ids]))[0] for ids in (SRC, [SRC[i] for i in order])]
    np.testing.assert_array_equal([plain, moved], torch.stack(expected))
    assert np.abs(plain - put_back).max() > 0.1, "with positions the same words in another order are another sentence"
    np.testing.assert_array_equal(put_back[list(order)], moved)


@pytest.mark.teaches(point="C2")
def test_learned_positions_are_left_out_as_well():
    run, order = run_with(position="learned"), new_order(7, 0)
    for compared, differs in ((moved_own, True), (moved_none, False)):
        plain, _moved, put_back = compared(run, order)
        assert (np.abs(plain - put_back).max() > (0.1 if differs else 2e-6)) == differs


@pytest.mark.teaches(point="C2")
def test_a_model_made_in_inference_mode_will_do():
    with torch.inference_mode():
        model = model_of()
    plain, _moved, put_back = encoded(without_positions(model), SRC, new_order(7, 0))
    np.testing.assert_allclose(put_back, plain, atol=2e-6)


@pytest.mark.teaches(point="B3")
def test_the_tables_are_the_waves_the_start_of_a_learned_table_and_nothing():
    sinusoidal, learned, none = kinds(run_with(seed=3), 11)
    np.testing.assert_array_equal(sinusoidal, sinusoidal_encoding(11, 66))
    fresh = Transformer(config(position="learned"), generator(3)).src_embedding.positions
    np.testing.assert_array_equal(learned, fresh[:11].detach())
    assert none.shape == (11, 66) and not none.any()


@pytest.mark.teaches(point="B3")
def test_a_model_with_learned_positions_shows_its_own():
    run = run_with(seed=3, position="learned")
    np.testing.assert_array_equal(kinds(run, 13)[1], run.model.src_embedding.positions[:13].detach())


@pytest.mark.teaches(point="B3")
def test_waves_are_alike_by_distance_alone_and_no_positions_have_no_direction():
    sinusoidal, learned, none = kinds_alike(run_with(seed=3), 11)
    for distance in range(11):
        np.testing.assert_allclose(np.diagonal(sinusoidal, distance), sinusoidal[0, distance], atol=1e-5)
    vectors = sinusoidal_encoding(11, 66).double().numpy()
    np.testing.assert_allclose(sinusoidal[0, 4], vectors[0] @ vectors[4] / 33, atol=1e-6)  # each of the length √33
    assert np.abs(np.diagonal(learned, 1) - learned[0, 1]).max() > 0.05, "drawn at random, distance says nothing"
    assert np.isnan(none).all()
