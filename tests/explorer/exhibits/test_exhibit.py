"""Pins what numbers with a name are: shared between visitors, fitted to the model on screen, and checked by types."""

import re
import subprocess
import sys

import numpy as np
import pytest

from explorer.exhibits.layers.feed_forward import hidden
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import registry
from tests.explorer.exhibits.helpers import model_of, run_of
from tests.explorer.programs.programs import ROOT

CALLS = """
from explorer.exhibits.layers.feed_forward import hidden
from explorer.exhibits.positions.waves import encoding
from explorer.model_on_screen.shown_model import ShownModel

def calls(shown: ShownModel) -> None:
    hidden.of(shown, "encoder", 0)
    hidden.of(shown, stack="encoder", layer=0)
    hidden.of(shown, "sideways", 0)
    hidden.of(shown, "encoder", lair=0)
    encoding.of(shown, 30, "21", 10)
"""


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
    assert picture.live["choices"] == {"stack": "decoder", "layer": 7}


def test_a_browser_is_told_which_choices_there_are():
    with pytest.raises(ValueError, match="stack cannot be 'sideways'"):
        registry.named("hidden").read({"stack": "sideways", "layer": 0})
    with pytest.raises(ValueError, match="picture active has the choices stack, layer, not stack"):
        registry.named("active").read({"stack": "encoder"})


@pytest.mark.slow
def test_the_type_checker_sees_a_wrong_choice(tmp_path):
    """Before the page is drawn. mypy is not among the packages of the app: the gate has it."""
    snippet = tmp_path / "calls.py"
    snippet.write_text(CALLS, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", str(snippet)]
    done = subprocess.run(mypy, capture_output=True, text=True, cwd=ROOT, timeout=600, check=False)
    assert re.findall(r"calls.py:(\d+): error: .*\[(.*)\]", done.stdout) == [
        ("9", "arg-type"),
        ("10", "call-arg"),
        ("11", "arg-type"),
    ]
