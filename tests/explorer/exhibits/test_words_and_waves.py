"""Pins the rows of the embedding table, their lengths, and what is added to them."""

import numpy as np
import pytest

from explorer.exhibits.positions.words_and_waves import norms, summed
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core.analysis.embedding_metrics import embedded

pytestmark = pytest.mark.teaches(point="A1")

IDS = (7, 0, 7, 18)


def test_a_model_without_the_factor_and_without_positions_adds_nothing():
    model = model_of(embedding_scale=False, position="none")
    run = run_of(model)
    row, scaled = norms(run, IDS)
    np.testing.assert_array_equal(scaled, row)
    words, added, total = summed(run)
    np.testing.assert_array_equal(words, model.src_embedding.table.weight.detach()[[*run.src, 0]])
    np.testing.assert_array_equal(total, words)
    assert not added.any()


def test_an_id_that_the_model_lacks_is_refused():
    with pytest.raises(ValueError, match="19"):
        embedded(model_of(), [3, 19])
    assert "positions" not in embedded(model_of(position="none"), IDS)
