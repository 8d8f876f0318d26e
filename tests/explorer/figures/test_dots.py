"""Pins: a dot for each repetition at its value, those that missed told apart by shape, and words as text."""

import numpy as np

from explorer.figures import dots as dots_module
from explorer.figures.dots import DotRow
from tests.explorer.figures.helpers import as_drawn, checked

dots = checked(dots_module.dots)
TITLES = {"x_title": "steps", "reached_title": "there", "missed_title": "not there", "middle_title": "median"}
ROWS = [
    DotRow("8 <wide>", np.array([150, 120, 150]), np.array([True, True, True]), ["seed 0", "seed 1", "seed 2"], 150),
    DotRow("16 & more", np.array([900, 200]), np.array([False, True]), ["seed 0", "<b>"], None),
]


def test_a_dot_stands_at_each_value_in_the_row_of_its_combination():
    there, missed, median = dots(ROWS, **TITLES).data
    assert [trace.name for trace in (there, missed, median)] == ["there", "not there", "median"]
    np.testing.assert_array_equal(there.x, [150, 120, 150, 200])
    np.testing.assert_array_equal(missed.x, [900])
    np.testing.assert_array_equal(median.x, [150])
    assert list(np.round(there.y)) == [0, 0, 0, 1] and list(np.round(missed.y)) == [1]
    assert len({*there.y[:3]}) == 3, "equal values can be told from one"
    assert list(there.text) == ["seed 0", "seed 1", "seed 2", "&lt;b&gt;"] and list(missed.text) == ["seed 0"]
    assert there.marker.symbol != missed.marker.symbol and there.marker.color != missed.marker.color


def test_words_stand_above_their_dots_and_in_the_description():
    figure = dots(ROWS, **TITLES)
    notes = figure.layout.annotations
    assert [note.text for note in notes] == ["8 &lt;wide&gt;", "16 &amp; more"]
    low, high = figure.layout.yaxis.range
    assert high < notes[0].y < min(figure.data[0].y[:3]) and max(figure.data[0].y[:3]) < notes[1].y
    assert max(*figure.data[0].y, *figure.data[1].y) < low
    assert figure.layout.meta["alt"] == "8 <wide>: 150, 120, 150; 16 & more: 200, 900 (not there)"
    as_drawn(figure, "narrow", "dark")


def test_kinds_of_which_there_are_none_are_not_in_the_legend():
    assert [trace.name for trace in dots(ROWS[:1], **TITLES).data] == ["there", "median"]
    alone = DotRow("x", np.array([7]), np.array([False]), ["seed 0"], None)
    assert [trace.name for trace in dots([alone], **TITLES).data] == ["not there"]
