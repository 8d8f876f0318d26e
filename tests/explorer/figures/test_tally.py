"""Pins: bars are the draws, marks the probabilities, wrong answers differ in more than colour, and words are text."""

import numpy as np

from explorer.figures import tally as tally_module
from tests.explorer.figures.helpers import checked

tally = checked(tally_module.tally)
LABELS = ["tu <aimes>", "vous & aimez", "aimes-vous"]
DRAWN = np.array([0.5, 0.3, 0.2])
TITLES = {"drawn_title": "drawn", "wrong_title": "drawn, and wrong"}


def draw(right=(True, True, False)):
    expected = {"grammar": np.array([0.6, 0.4, np.nan]), "model": np.array([0.45, 0.35, 0.15])}
    return tally(LABELS, DRAWN, right=right, expected=expected, **TITLES)


def test_bars_are_the_draws_and_marks_the_probabilities():
    right, wrong, grammar, model = draw().data
    assert [trace.name for trace in draw().data] == ["drawn", "drawn, and wrong", "grammar", "model"]
    np.testing.assert_allclose(right.x, [50, 30])
    np.testing.assert_allclose(wrong.x, [20])
    np.testing.assert_allclose(grammar.x, [60, 40], rtol=1e-6)
    np.testing.assert_allclose(model.x, [45, 35, 15], rtol=1e-6)
    assert list(right.y) == [grammar.y[0], grammar.y[1]] and list(model.y) == [*right.y, *wrong.y]
    low, high = draw().layout.xaxis.range
    assert low == 0 and high > 60, "every mark lies inside"


def test_wrong_answers_differ_in_more_than_colour():
    right, wrong, *_ = draw().data
    assert right.marker.color != wrong.marker.color and right.marker.pattern.shape != wrong.marker.pattern.shape
    assert [note.text for note in draw().layout.annotations] == ["✓ tu &lt;aimes&gt;", "✓ vous &amp; aimez", "✗ aimes-vous"]
    assert [note.text for note in draw(right=None).layout.annotations][2] == "aimes-vous"
    assert len(draw(right=None).data) == 3


def test_an_answer_s_words_stand_above_its_bar_and_below_the_one_before():
    figure = draw()
    bars = dict(zip(range(3), [*figure.data[0].y, *figure.data[1].y], strict=True))
    half = figure.data[0].width / 2
    for place, note in enumerate(figure.layout.annotations):
        assert note.y < bars[place] and (place == 0 or note.y > bars[place - 1] + half)
    first, last = figure.layout.yaxis.range
    assert first > bars[2] + half and last < figure.layout.annotations[0].y


def test_in_words():
    alt = draw().layout.meta["alt"]
    assert alt.startswith("✓ tu <aimes>: drawn 50.0%, grammar 60.0, model 45.0; ")
    assert alt.endswith("✗ aimes-vous: drawn 20.0%, model 15.0")
