"""Pins what numbers with a name are: shared between visitors, fitted to the model on screen, and checked by types."""

import numpy as np
import pytest

from explorer.exhibits.layers.feed_forward import active, hidden
from explorer.inference.settings import ModelSettings
from explorer.inference.shown_model import show_model
from explorer.pictures import registry
from tests.explorer.exhibits.helpers import model_of, run_of


def test_all_visitors_share_the_numbers_and_nobody_can_change_them():
    first, second = (hidden.of(show_model(ModelSettings()), "encoder", 0) for _visitor in range(2))
    assert first.values is second.values
    with pytest.raises(ValueError, match="read-only"):
        first.values[0] = 0


def test_a_run_of_a_test_is_computed_anew():
    run = run_of(model_of())
    assert hidden(run, "encoder", 0) is not hidden(run, "encoder", 0)


def test_a_choice_that_the_model_lacks_is_fitted_and_asked_for_as_it_was():
    shown = show_model(ModelSettings())
    picture = hidden.of(shown, "decoder", layer=7)
    np.testing.assert_array_equal(picture.values, hidden.of(shown, "decoder", 0).values)
    assert picture.live.choices == {"stack": "decoder", "layer": 7}


def test_a_browser_is_told_which_choices_there_are():
    with pytest.raises(ValueError, match="stack cannot be 'sideways'"):
        registry.named("hidden").read({"stack": "sideways", "layer": 0})
    with pytest.raises(ValueError, match="picture active has the choices stack, layer, not stack"):
        registry.named("active").read({"stack": "encoder"})


def test_a_wrong_choice_is_seen_before_the_page_is_drawn():
    """By mypy: without these marks it reports both lines, and with a mark too many as well."""
    shown = show_model(ModelSettings())
    with pytest.raises(TypeError):
        active.of(shown, "encoder", lair=0)  # type: ignore[call-arg]
    active.of(shown, "encoders", 0)  # type: ignore[arg-type]
