"""Pins curves, bars and the training curves: the numbers drawn, how lines are told apart, labels, words and overrides."""

import base64
import json

import numpy as np
import pytest

from explorer.components.plot import as_json
from tests.explorer.figures.helpers import as_drawn, bars, curves, several_runs, training_curves


def draw(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def names(count: int) -> list[str]:
    return [f"line {i}" for i in range(count)]


def y(trace) -> np.ndarray:
    return np.asarray(trace.y, dtype=np.float64)


def history(steps: int, looks: int, first: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    evaluations = np.array([(10 * (i + 1), (i + 1) / 7) for i in range(looks)]).reshape(-1, 2)
    return np.arange(first + 1, first + steps + 1), np.abs(draw(0, steps)), evaluations


@pytest.mark.parametrize("length", [1, 9, 200])
@pytest.mark.parametrize("count", [1, 4])
def test_curves_are_the_series(count, length):
    x, series = np.arange(length) * 3, {name: draw(i, length) for i, name in enumerate(names(count))}
    figure = curves(x, series, x_title="place", y_title="value")
    assert [trace.name for trace in figure.data] == list(series)
    for trace, values in zip(figure.data, series.values(), strict=True):
        np.testing.assert_array_equal(np.asarray(trace.x), x)
        np.testing.assert_array_equal(y(trace), values)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("place", "value")
    assert figure.layout.showlegend is (count > 1)


def test_no_two_curves_look_alike():
    figure = curves(range(3), {str(i): draw(1, 3) for i in range(32)}, x_title="x")
    looks = [(trace.line.color, trace.line.dash) for trace in figure.data]
    assert len(set(looks)) == 32
    assert len({colour for colour, _dash in looks[:8]}) == 8
    assert len({dash for _colour, dash in looks[:8]}) > 1  # hue is not the only carrier


def test_a_few_counted_places_have_no_halves_between_them():
    line = {"line": np.ones(3)}
    assert curves(np.arange(3), line, x_title="x").layout.xaxis.dtick == 1
    for x in (np.array([0, 10, 20]), np.arange(3) / 2, range(0, 39, 13)):
        assert curves(x, line, x_title="x").layout.xaxis.dtick is None
    assert curves(np.arange(1, 4), line, x_title="x", log_x=True).layout.xaxis.dtick is None


def test_the_words_of_curves_are_their_ranges():
    figure = curves(range(3), {"a": np.array([2.0, -1.5, 0.25]), "b": np.array([0.125, 0.5, 0.25])}, x_title="x")
    assert figure.layout.meta["alt"] == "a: from -1.5 to 2; b: from 0.125 to 0.5"
    assert curves(range(1), {"a": np.ones(1)}, x_title="x", alt="chosen").layout.meta["alt"] == "chosen"


@pytest.mark.parametrize(("labels", "count"), [(1, 1), (3, 2), (9, 3), (129, 1)])
def test_bars_are_the_series_at_places_of_their_own(labels, count):
    words, series = [f"w{i % 2}" for i in range(labels)], {name: draw(i, labels) for i, name in enumerate(names(count))}
    figure = bars(words, series, y_title="length")
    for trace, values in zip(figure.data, series.values(), strict=True):
        assert list(trace.x) == list(range(labels))
        np.testing.assert_array_equal(y(trace), values)
    assert list(figure.layout.xaxis.ticktext) == words
    assert figure.layout.yaxis.title.text == "length"
    assert figure.layout.barmode == "group"
    assert (figure.data[0].texttemplate is not None) is (labels * count <= 30)  # numbers while they fit
    as_drawn(figure, "dark", "narrow")


def test_numbers_above_bars_are_readable_or_there_are_none():
    """They are never shrunk to the width of their bar. Many have fewer digits, and on a phone fewer have any."""
    values = np.array([97.831, 4.26, -0.754, 0.3])
    alone = bars(list("pqrs"), {"a": values}, y_title="%")
    assert list(alone.data[0].text) == ["97.83", "4.26", "−0.75", ""]
    assert as_drawn(alone, "narrow").data[0].text == alone.data[0].text
    crowd = bars(list("pqrs"), dict.fromkeys(names(3), values), y_title="%")
    assert list(crowd.data[0].text) == ["98", "4.3", "−0.75", ""]
    assert list(as_drawn(crowd, "narrow").data[0].text) == ["98", "4", "−1", ""]
    throng = bars(list("pqrs"), dict.fromkeys(names(6), values), y_title="%")
    assert list(as_drawn(throng, "narrow").data[0].text) == [""] * 4
    assert alone.data[0].constraintext == crowd.data[0].constraintext == "none"


def test_bars_of_several_series_differ_in_more_than_colour():
    figure = bars(list("pq"), {name: draw(3, 2) for name in names(3)}, y_title="y")
    assert len({trace.marker.color for trace in figure.data}) == 3
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 3


def test_the_words_of_bars_are_their_numbers():
    figure = bars(["<start>", "cat"], {"row": np.array([0.5, 2.0]), "sum": np.array([-1.0, 0.125])}, y_title="y")
    assert figure.layout.meta["alt"] == "row: <start> 0.50, cat 2.00; sum: <start> -1.00, cat 0.12"


def test_labels_and_names_are_text_and_never_markup():
    figure = bars(["<start>", "&"], {"<b>row</b>": np.ones(2)}, y_title="y")
    assert list(figure.layout.xaxis.ticktext) == ["&lt;start&gt;", "&amp;"]
    assert figure.data[0].name == "&lt;b&gt;row&lt;/b&gt;"
    assert curves(range(2), {"<b>row</b>": np.ones(2)}, x_title="x").data[0].name == "&lt;b&gt;row&lt;/b&gt;"


def test_training_curves_are_the_history():
    steps, loss, looks = history(37, 3, first=100)
    figure = training_curves(steps, loss, looks, target=0.9, guessing=2.3)
    for trace, x, values in zip(figure.data, (np.arange(101, 138), looks[:, 0]), (loss, looks[:, 1]), strict=True):
        np.testing.assert_array_equal(np.asarray(trace.x), x)
        np.testing.assert_allclose(y(trace), values)
    assert [trace.yaxis for trace in figure.data] == ["y", "y2"]
    assert figure.layout.xaxis.range is None, "a fixed range would undo the reader's zoom at every step"
    assert figure.layout.meta["alt"] == (f"loss at step 101: {loss[0]:.3f}; at step 137: {loss[-1]:.3f}; exact match: 42.9%")


def test_training_curves_draw_the_target_and_the_guess():
    figure = training_curves(*history(20, 2), target=0.9, guessing=2.3)
    assert {(shape.yref, shape.y0, shape.y1) for shape in figure.layout.shapes} == {("y", 2.3, 2.3), ("y2", 0.9, 0.9)}
    placed = {(note.text, note.yref, note.y) for note in figure.layout.annotations if note.yref != "paper"}
    assert placed == {("guessing", "y", 2.3), ("target 90%", "y2", 0.9)}


def test_training_curves_before_the_first_step_and_the_first_evaluation():
    empty = training_curves(*history(0, 0), target=0.9, guessing=2.3)
    assert empty.layout.meta["alt"] == "no step taken yet"
    assert [len(trace.y) for trace in empty.data] == [0, 0]
    begun = training_curves(*history(4, 0), target=0.9, guessing=2.3)
    assert begun.layout.meta["alt"].startswith("loss at step 1:") and "%" not in begun.layout.meta["alt"]


@pytest.mark.parametrize("kinds", [("dark",), ("narrow",), ("dark", "narrow")])
def test_overrides_lead_to_something_that_plotly_knows(kinds):
    for figure in (
        curves(range(3), {name: draw(4, 3) for name in names(3)}, x_title="x"),
        bars([str(i) for i in range(13)], {name: draw(5, 13) for name in names(2)}, y_title="y"),
        training_curves(*history(12, 1), target=0.9, guessing=2.3),
    ):
        as_drawn(figure, *kinds)


@pytest.mark.parametrize("log_x", [False, True])
def test_places_are_marked_by_a_named_line(log_x):
    figure = curves([1, 10, 1000], {"a": np.array([1, 2, 3])}, x_title="n", log_x=log_x, marks={"a = b": 64, "<c>": 512})
    assert [(line.x0, line.x1, line.y0, line.y1) for line in figure.layout.shapes] == [(64, 64, 0, 1), (512, 512, 0, 1)]
    notes = figure.layout.annotations
    assert [note.text for note in notes] == ["a = b", "&lt;c&gt;"]
    assert [note.x for note in notes] == pytest.approx(list(np.log10([64, 512])) if log_x else [64, 512])
    assert notes[0].y != notes[1].y, "names of neighbours must not lie on each other"
    assert "a = b at 64; <c> at 512" in figure.layout.meta["alt"]
    assert not curves([1, 2], {"a": np.array([1, 2])}, x_title="n").layout.shapes


def test_several_runs_are_thin_and_the_one_in_the_middle_is_thick_and_on_top():
    x = np.array([0, 25, 50])
    runs = {"a <b>": [(x, draw(6, 3)), (x[:2], draw(7, 2))], "c": [(x, draw(8, 3))]}
    figure = several_runs(runs, {"a <b>": 1, "c": 0}, x_title="step", y_title="right", alt="told", target=0.9)
    thin, thick, other = figure.data
    assert (thin.line.width < thick.line.width) and not thin.showlegend and thick.showlegend and other.showlegend
    assert list(thin.x) == [25, 50] and list(thick.x) == [25], "0 has no place on a logarithmic axis"
    np.testing.assert_allclose(thick.y, draw(7, 2)[1:], rtol=1e-6)
    assert (thin.name, other.name) == ("a &lt;b&gt;", "c") and thin.line.color == thick.line.color != other.line.color
    assert thick.line.dash != other.line.dash, "colour is never the only sign"
    assert figure.layout.xaxis.type == "log" and [shape.y0 for shape in figure.layout.shapes] == [0.9]
    assert figure.layout.meta["alt"] == "told"
    (before,) = several_runs({"d": []}, {}, x_title="", y_title="", alt="", target=0.9).data
    assert before.name == "d" and before.showlegend and not len(before.x), "it has not begun"


def test_a_figure_travels_whole():
    """Numbers as bytes, NaN as NaN: what the browser decodes is what was drawn."""
    drawn = {"data": [{"x": np.arange(4), "y": np.array([0.5, np.nan])}], "layout": {}}
    sent = json.loads(as_json(drawn), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["data"][0]
    x, y = (np.frombuffer(base64.b64decode(sent[name]["bdata"]), sent[name]["dtype"]) for name in "xy")
    np.testing.assert_array_equal(x, range(4))
    np.testing.assert_array_equal(y, [0.5, np.nan])
