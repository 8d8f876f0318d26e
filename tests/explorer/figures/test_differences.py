"""Pins: dots are the differences, crosses what exceeds its tolerance, and no difference is drawn as none."""

import numpy as np

from explorer.figures import differences as module
from explorer.ui.format import small
from tests.explorer.figures.helpers import as_drawn, checked

differences = checked(module.differences)
NAMES = ["a.<x>", "b", "c", "d"]
TOLERANCES = {"float32": 2e-5, "float64": 1e-11}


def draw(single=(0.0, 1e-6, 3e-5, 0.5), double=(1e-16, 1e-15, np.nan, 2e-11)):
    series = {"float32": np.array(single), "float64": np.array(double)}
    return differences(
        NAMES, series, TOLERANCES, groups={"first <1>": 0, "second": 3}, y_title="relative difference", written=small
    )


def test_dots_are_the_differences_and_crosses_exceed_their_own_tolerance():
    single, double = draw().data
    np.testing.assert_allclose(single.y, [1e-18, 1e-6, 3e-5, 0.5])
    assert list(single.marker.symbol) == ["circle", "circle", "x", "x"]
    assert list(double.marker.symbol) == ["diamond", "diamond", "x", "x"], "what is no number is no agreement"
    assert np.isfinite(double.y).all() and list(single.x) == [0, 1, 2, 3]
    assert single.hovertext[0] == "a.&lt;x&gt;: 0" and single.hovertext[3] == "d: 0.5"
    levels = [line.y0 for line in draw().layout.shapes if line.xref == "paper"]
    assert levels == [2e-5, 1e-11]


def test_groups_are_parted_and_named_in_their_middle():
    layout = as_drawn(draw(), "narrow").layout
    assert list(layout.xaxis.tickvals) == [1.0, 3.0] and list(layout.xaxis.ticktext) == ["first &lt;1&gt;", "second"]
    assert [line.x0 for line in layout.shapes if line.yref == "paper"] == [2.5]
    low, high = layout.yaxis.range
    assert low < -18 and high > np.log10(0.5)


def test_the_words_count_what_is_within_and_name_the_worst():
    words = draw(double=(1e-16, 1e-15, 3e-12, 2e-11)).layout.meta["alt"]
    assert "float32: 2 of 4 stages within the tolerance, the largest difference 0.5, in d" in words
    assert "float64: 3 of 4 stages within the tolerance, the largest difference 2 × 10⁻¹¹, in d" in words
