"""Pins the outlines of letters that drawings are written with: those of the font that Streamlit brings."""

import json
import sys
from pathlib import Path

import pytest

from explorer.root import ROOT
from tools import glyphs

FILE = ROOT / "explorer/components/take_home/glyphs/outlines.json"


def test_the_outlines_are_those_of_the_font_that_pages_are_set_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["glyphs", "--out", str(tmp_path / "outlines.json")])
    glyphs.main()
    made = json.loads((tmp_path / "outlines.json").read_text(encoding="utf-8"))
    assert made == json.loads(FILE.read_text(encoding="utf-8")), "run `python -m tools.glyphs`"
    assert set(made) == {"400", "600", "700"}
    for letters in made.values():
        assert {*"aZ09é→√αЖ≤"} <= set(letters)
        assert letters["l"].startswith("m") and letters["l"].endswith("z")
