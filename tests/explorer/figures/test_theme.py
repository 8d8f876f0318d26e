"""Pins that all colours stand in the theme, and that they can be told apart and read."""

import re
from pathlib import Path

import pytest

from explorer.figures.style import LINES, PAGE, THEME, palette

ROOT = Path(__file__).resolve().parents[3]
themes = pytest.mark.parametrize("theme", ["light", "dark"])


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def blend(over: str, under: str, share: float) -> str:
    mixed = [round(share * int(over[i : i + 2], 16) + (1 - share) * int(under[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def test_no_file_repeats_a_colour_of_the_theme():
    colours = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}", (ROOT / ".streamlit" / "config.toml").read_text())}
    colours -= {"#ffffff"}  # ink on dark cells is white in any theme
    assert len(colours) > 50
    binary = (".pyc", ".mo", ".npz")
    files = [path for folder in ("explorer", "pages") for path in (ROOT / folder).rglob("*.*") if path.suffix not in binary]
    assert len(files) > 60
    for path in files:
        assert not colours & {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}\b", path.read_text("utf-8"))}, path


@themes
def test_words_can_be_read(theme):
    """At least 4.5 to 1, also the paler words of captions, which Streamlit writes with 60 % of the text's colour."""
    colours = THEME[theme]
    for page in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(colours["textColor"], page) > 12
        assert contrast(blend(colours["textColor"], page, 0.6), page) > 4.5
        assert contrast(colours["primaryColor"], page) > 4.5


@themes
def test_scales_rise_evenly_away_from_the_page(theme):
    steps = [contrast(colour, PAGE[theme]) for _at, colour in palette()[theme]["probability"]]
    assert steps == sorted(steps)
    assert steps[0] < 1.1 < 8 < steps[-1]
    places, signed = zip(*palette()[theme]["signed"], strict=True)
    assert (places[0], places[5], places[-1]) == (0, 0.5, 1)
    away = [contrast(colour, PAGE[theme]) for colour in signed]
    assert away[5] == 1
    assert away[:6] == sorted(away[:6], reverse=True)
    assert away[5:] == sorted(away[5:])


@themes
def test_lines_stand_out_from_the_page(theme):
    for colour in LINES:
        assert contrast(colour, PAGE[theme]) > 2
    assert len(set(THEME["chartCategoricalColors"])) == 10  # with fewer Streamlit drops them all
