"""Pins that every picture of an exhibit shows its numbers, from the first on, as far as there is room for them."""

import numpy as np
import pytest

from explorer.figures.matrix import Matrices
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import registry
from tests.explorer.programs.programs import DERIVED, choices_of


@pytest.mark.parametrize("name", DERIVED)
def test_what_is_drawn_are_the_numbers(name):
    shown, picture = show_model(ModelSettings()), registry.named(name)
    chosen = picture.read(choices_of(name))
    values = np.asarray(picture.numbers.values(shown, picture.numbers.fitted(shown, vars(chosen))))
    drawing = picture.draw(shown, chosen)
    if isinstance(drawing, Matrices):
        panels = np.where(drawing.valid, drawing.values, np.nan)
        rows, columns = len(drawing.rows), len(drawing.columns)
        expected = values.reshape(-1, *values.shape[-2:])[:, :rows, :columns]
        assert rows == len(expected[0]) and columns >= min(values.shape[-1], 12)
    else:
        panels = np.array([trace["y"] for trace in drawing["data"]])
        expected = np.atleast_2d(values)
    np.testing.assert_allclose(panels, expected, rtol=1e-5)
