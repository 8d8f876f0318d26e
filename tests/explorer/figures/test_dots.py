"""Pins: a dot for each repetition at its value, and words as text."""

import numpy as np

from explorer.figures import dots as dots_module
from explorer.figures.dots import DotRow
from tests.explorer.figures.helpers import as_drawn, checked

dots = checked(dots_module.dots)
TITLES = {"x_title": "steps", "dots_title": "there", "middle_title": "median"}
ROWS = [
    DotRow("8 <wide>", np.array([150, 120, 150]), ["seed 0", "seed 1", "seed 2"], 150),
    DotRow("16 & more", np.array([900, 200]), ["seed 0", "<b>"], 550),
]


def test_a_dot_stands_at_each_value_in_the_row_of_its_combination():
    there, median = dots(ROWS, **TITLES).data
    assert [trace.name for trace in (there, median)] == ["there", "median"]
    np.testing.assert_array_equal(there.x, [150, 120, 150, 900, 200])
    np.testing.assert_array_equal(median.x, [150, 550])
    assert list(np.round(there.y)) == [0, 0, 0, 1, 1] and list(np.round(median.y)) == [0, 1]
    assert len({*there.y[:3]}) == 3, "equal values can be told from one"
    assert list(there.text) == ["seed 0", "seed 1", "seed 2", "seed 0", "&lt;b&gt;"]


def test_words_stand_above_their_dots_and_in_the_description():
    figure = dots(ROWS, **TITLES)
    notes = figure.layout.annotations
    assert [note.text for note in notes] == ["8 &lt;wide&gt;", "16 &amp; more"]
    low, high = figure.layout.yaxis.range
    assert high < notes[0].y < min(figure.data[0].y[:3]) and max(figure.data[0].y[:3]) < notes[1].y
    assert max(figure.data[0].y) < low
    assert figure.layout.meta["alt"] == "8 <wide>: 150, 120, 150; 16 & more: 900, 200"
    as_drawn(figure, "narrow", "dark")
