"""Pins dropout: what falls becomes 0, what stays is scaled, and the average over many steps is what it was."""

import numpy as np
import pytest

from explorer.exhibits.layers.dropout import COUNTS, dropout_after, dropout_before, dropout_mean
from tests.explorer.exhibits.helpers import model_of, run_of

pytestmark = pytest.mark.teaches(point="D4")

MODEL = model_of(d_ff=2000)
PLACES = {
    "sum": ("encoder.embedding.sum", 66),
    "weights": ("encoder.0.self_attn.weights", 7),
    "active": ("encoder.0.feed_forward.active", 2000),
    "output": ("encoder.0.self_attn.output", 66),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_goes_in_is_what_the_first_layer_computed(place):
    run, (name, columns) = run_of(MODEL), PLACES[place]
    recorded = run.stages[name][0] if place == "weights" else run.stages[name]
    values = dropout_before(run, place, 0.3, 2)
    np.testing.assert_array_equal(values, recorded)
    assert values.shape == (7, columns)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_what_falls_is_zero_and_the_rest_is_scaled(p):
    run = run_of(MODEL)
    before, after = dropout_before(run, "active", p, 2), dropout_after(run, "active", p, 2)
    there, stays = before != 0, after != 0
    np.testing.assert_allclose(after[stays], before[stays] / (1 - p), rtol=1e-6)
    assert abs((after == 0)[there].mean() - p) < 0.02
    np.testing.assert_array_equal(after, dropout_after(run, "active", p, 2))
    assert (after != dropout_after(run, "active", p, 3)).any()


def test_without_dropout_nothing_changes():
    run = run_of(MODEL)
    np.testing.assert_array_equal(dropout_after(run, "output", 0.0, 1), dropout_before(run, "output", 0.0, 1))
    assert not dropout_mean(run, "output", 0.0, 1).any()


def test_the_average_over_steps_comes_back_as_the_square_root_of_their_number():
    distances = dropout_mean(run_of(MODEL), "active", 0.2, 1)
    np.testing.assert_allclose(distances, np.sqrt(0.2 / 0.8 / np.array(COUNTS)), rtol=0.15)
