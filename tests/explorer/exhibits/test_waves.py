"""Pins the curves, the wavelengths and the likeness of positions to those of the model's own table."""

import numpy as np
import pytest

from explorer.exhibits.positions.waves import similarity, wavelengths, waves
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from tests.transformer_core.helpers import config
from transformer_core import sinusoidal_encoding


@pytest.mark.parametrize(("width", "dimension", "first"), [("model", 6, 6), ("20", 4, 4), ("20", 30, 16)])
def test_four_dimensions_are_drawn_and_all_are_compared(width, dimension, first):
    table = sinusoidal_encoding(30, 66 if width == "model" else 20, 100).double().numpy()
    found = waves(config(), 30, width, 100, dimension)
    np.testing.assert_allclose(found, table[:, first : first + 4].T, atol=1e-6)
    lengths = np.linalg.norm(table, axis=1)
    np.testing.assert_allclose(similarity(config(), 30, width, 100), table @ table.T / np.outer(lengths, lengths), atol=1e-6)


def test_a_wave_repeats_after_its_length():
    found = wavelengths(config(), 30, "20", 100)
    assert len(found) == 10 and found[[0, 5]] == pytest.approx([2 * np.pi, 20 * np.pi])


def test_curves_are_named_by_their_dimension():
    picture = waves.of(show_model(ModelSettings()), 30, "20", 100, 30)
    assert [trace["name"] for trace in picture.drawing["data"]] == [
        f"{('sine', 'cosine')[i % 2]}, dimension {i}" for i in range(16, 20)
    ]
