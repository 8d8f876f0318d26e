"""Pins the rows of the embedding table, their lengths, and what is added to them."""

import math

import numpy as np
import pytest

from explorer.exhibits.positions.words_and_waves import looked_up, norms, summed
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core import sinusoidal_encoding
from transformer_core.analysis.embedding_metrics import embedded

pytestmark = pytest.mark.teaches(point="A1")

IDS = (7, 0, 7, 18)


def test_ids_are_looked_up_and_scaling_makes_them_longer_by_the_root_of_the_width():
    model = model_of()
    run = run_of(model)
    table = model.src_embedding.table.weight.detach().double().numpy()
    np.testing.assert_allclose(looked_up(run, IDS), table[[*IDS]])
    np.testing.assert_allclose(looked_up(run), table[[*run.src, 0]])
    lengths = np.sqrt((table[[*IDS]] ** 2).sum(axis=1))
    np.testing.assert_allclose(norms(run, IDS), [lengths, lengths * math.sqrt(66), [math.sqrt(33)] * 4], rtol=1e-5)


def test_a_model_without_the_factor_and_without_positions_adds_nothing():
    model = model_of(embedding_scale=False, position="none")
    run = run_of(model)
    row, scaled = norms(run, IDS)
    np.testing.assert_array_equal(scaled, row)
    words, added, total = summed(run)
    np.testing.assert_array_equal(words, model.src_embedding.table.weight.detach()[[*run.src, 0]])
    np.testing.assert_array_equal(total, words)
    assert not added.any()


@pytest.mark.parametrize("position", ["sinusoidal", "learned"])
def test_what_enters_the_encoder_is_the_scaled_row_and_its_position(position):
    model = model_of(position=position)
    run = run_of(model)
    words, added, total = summed(run)
    learned = model.src_embedding.positions[:8].detach()
    np.testing.assert_array_equal(added, sinusoidal_encoding(8, 66) if position == "sinusoidal" else learned)
    rows = model.src_embedding.table.weight.detach().numpy()[[*run.src, 0]]
    np.testing.assert_allclose(words, rows * math.sqrt(66), rtol=1e-6)
    np.testing.assert_allclose(total, rows * math.sqrt(66) + added, atol=1e-6)


def test_an_id_that_the_model_lacks_is_refused():
    with pytest.raises(ValueError, match="19"):
        embedded(model_of(), [3, 19])
    assert "positions" not in embedded(model_of(position="none"), IDS)
