"""Pins: what the soak presses, and looks for, is what the app calls its buttons."""

import re
from pathlib import Path

from benchmarks import soak
from explorer.exhibits.shared import run_controls

ROOT = Path(__file__).parents[2]


def test_the_buttons_of_a_run_are_called_so():
    named = re.findall(r'_\("([^"]+)"\)', Path(run_controls.__file__).read_text(encoding="utf-8"))
    pressed = re.findall(r'press\("([^"]+)"\)', Path(soak.__file__).read_text(encoding="utf-8"))
    assert len(pressed) >= 3
    for words in (*pressed, *soak._OFFERS):
        assert any(name.startswith(words) for name in named), words
