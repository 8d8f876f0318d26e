"""Pins what a matrix figure holds: the values themselves, what is masked, the scale, the labels, the places and the words."""

import base64
import json
import re

import numpy as np
import pytest

from explorer.components.plot import as_json
from explorer.figures.matrix import describe
from explorer.figures.matrix import matrix as plain_matrix
from explorer.figures.style import MASKED_MARK
from tests.explorer.figures.helpers import TOKENS, as_drawn, matrices, matrix, panels, text, z


def draw(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def weights(seed: int, *shape: int) -> np.ndarray:
    powers = np.exp(draw(seed, *shape))
    return powers / powers.sum(axis=-1, keepdims=True)


def decoded(array: dict) -> np.ndarray:
    """As plotly.js reads it."""
    flat = np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"])
    return flat.reshape([int(n) for n in array["shape"].split(", ")])


def words(count: int) -> list[str]:
    return [f"{i} w{i % 3}" for i in range(count)]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 3), (2, 17), (41, 7), (129, 129)])
def test_the_cells_are_the_values(rows, columns):
    values = draw(0, rows, columns)
    figure = matrix(values, rows=words(rows), columns=words(columns), signed=True)
    assert len(figure.data) == 1
    np.testing.assert_array_equal(z(figure.data[0]), values)


def test_masked_cells_are_no_values_and_carry_a_mark():
    values, valid = weights(1, 5, 7), np.random.default_rng(2).random((5, 7)) < 0.6
    cells, masked = matrix(values, rows=words(5), columns=words(7), valid=valid).data
    np.testing.assert_array_equal(np.isnan(z(cells)), ~valid)
    np.testing.assert_array_equal(z(cells)[valid], values[valid])
    np.testing.assert_array_equal(np.isnan(z(masked)), valid)
    np.testing.assert_array_equal(text(masked), np.where(valid, "", MASKED_MARK))
    assert masked.texttemplate == "%{text}"
    assert masked.coloraxis is None and not masked.showscale
    (_, low), (_, high) = masked.colorscale
    assert low == high and len(set(low[1::2])) == 1 and len(set(low[2::2])) == 1  # one colour, and a grey one
    assert not (text(cells)[~valid] != "").any()  # no number under the mark
    assert (masked.meta, masked.hovertemplate) == ("masked", "%{meta}<extra></extra>")


def test_a_figure_without_masked_cells_has_no_grey_ones():
    assert len(matrix(weights(3, 4, 6), rows=4, columns=6, valid=np.ones((4, 6), bool)).data) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("signed", [True, False])
def test_what_is_no_number_is_drawn_as_masked(bad, signed):
    values = draw(4, 3, 5)
    values[1, 4] = bad
    cells, masked = matrix(values, rows=3, columns=5, signed=signed, valid=np.ones((3, 5), bool)).data
    assert np.argwhere(np.isnan(z(cells))).tolist() == [[1, 4]]
    assert np.argwhere(~np.isnan(z(masked))).tolist() == [[1, 4]]


def test_nothing_but_masked_cells():
    figure = matrix(np.full((2, 3), np.nan), rows=2, columns=3, signed=True)
    assert np.isnan(z(figure.data[0])).all()
    assert figure.layout.coloraxis.cmin < figure.layout.coloraxis.cmax
    assert figure.layout.meta["alt"] == "all 6 cells are masked"


def test_a_signed_scale_is_centred_on_0_and_just_holds_the_open_cells():
    values, valid = draw(5, 4, 6), np.ones((4, 6), bool)
    values[2, 3], valid[2, 3] = 1000.0, False
    axis = matrix(values, rows=4, columns=6, signed=True, valid=valid).layout.coloraxis
    largest = np.abs(values[valid]).max()
    assert (axis.cmin, axis.cmax) == (pytest.approx(-largest), pytest.approx(largest))
    middle = dict(axis.colorscale)[0.5]
    assert len({middle[1:3], middle[3:5], middle[5:7]}) == 1  # no hue at 0
    zeros = matrix(np.zeros((2, 3)), rows=2, columns=3, signed=True).layout.coloraxis
    assert zeros.cmin == -zeros.cmax < 0


def test_a_scale_of_probabilities_is_fixed():
    small = matrix(weights(6, 3, 5) / 100, rows=3, columns=5).layout.coloraxis
    assert (small.cmin, small.cmax) == (0, 1)
    chosen = matrix(weights(6, 3, 5), rows=3, columns=5, top=0.37).layout.coloraxis
    assert (chosen.cmin, chosen.cmax) == (0, 0.37)


def test_labels_are_text_and_never_markup():
    values = weights(7, len(TOKENS), len(TOKENS))
    figure = matrix(values, rows=TOKENS, columns=TOKENS)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.ticktext[1] == "1 &lt;start&gt;"
        assert axis.ticktext[3] == "3 &amp;"
        assert not re.search(r"<|>", "".join(axis.ticktext))
    assert figure.data[0].hovertext is None  # the axes hold both words already
    assert figure.data[0].hovertemplate.startswith("%{y} → %{x}: ")
    crowd = matrix(weights(7, len(TOKENS), 41), rows=TOKENS, columns=words(40) + TOKENS[4:5])  # too many for the axis
    assert np.asarray(crowd.data[0].hovertext)[1, 40] == "1 &lt;start&gt; → 4 &lt;b&gt;cat&lt;/b&gt;"
    several = matrices(values[None], names=["<i>head</i>"], rows=TOKENS, columns=TOKENS)
    assert several.layout.annotations[0].text == "&lt;i&gt;head&lt;/i&gt;"
    assert several.data[0].hovertemplate.startswith("&lt;i&gt;head&lt;/i&gt;<br>")
    assert several.layout.xaxis.ticktext[1] == several.layout.yaxis.ticktext[1] == "1 &lt;start&gt;"


@pytest.mark.parametrize("kind", ["one", "many"])
def test_equal_words_keep_places_of_their_own(kind):
    rows, columns = ["a", "b", "a"], ["c", "c", "c", "d"]
    values = weights(8, 2, 3, 4)
    figure = (
        matrix(values[0], rows=rows, columns=columns)
        if kind == "one"
        else matrices(values, names=["x", "y"], rows=rows, columns=columns)
    )
    for axis, labels in ((figure.layout.xaxis, columns), (figure.layout.yaxis, rows)):
        assert axis.type in (None, "linear")
        assert list(axis.tickvals) == list(range(len(labels)))
        assert list(axis.ticktext) == labels
    assert all(trace.x is None and trace.y is None for trace in figure.data)  # places are counted, not named


def test_row_0_is_on_top_and_column_0_on_the_left():
    for figure in (matrix(draw(9, 6, 4), rows=6, columns=4), matrices(draw(9, 2, 6, 4), names=["p", "q"], rows=6, columns=4)):
        assert tuple(figure.layout.yaxis.range) == (5.5, -0.5)
        assert tuple(figure.layout.xaxis.range) == (-0.5, 3.5)


def test_axes_say_who_asks_and_who_is_asked():
    figure = matrix(draw(10, 2, 3), rows=2, columns=3, row_title="asks", column_title="is asked")
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("asks", "is asked")
    assert figure.layout.xaxis.side == "top"
    several = matrices(draw(10, 2, 2, 3), names=["p", "q"], rows=2, columns=3, row_title="asks", column_title="is asked")
    assert several.layout.title.text == "rows: asks · columns: is asked"


def test_numbers_stand_in_the_cells_while_they_fit():
    values = np.array([[0.126, -0.004, 0.0], [1.5, -2.25, 0.0051]])
    written = text(matrix(values, rows=2, columns=3, signed=True).data[0])
    assert written.tolist() == [["0.13", "", "0"], ["1.50", "-2.25", "0.01"]]
    assert text(matrix([[0, 1]], rows=1, columns=2, decimals=0).data[0]).tolist() == [["0", "1"]]
    assert matrix(draw(11, 3, 16), rows=3, columns=16).data[0].text is not None
    assert matrix(draw(11, 3, 17), rows=3, columns=17).data[0].text is None


def test_marks_are_left_out_where_they_would_not_fit():
    valid = np.tri(25, dtype=bool)
    assert matrix(weights(12, 25, 25), rows=25, columns=25, valid=valid).data[1].text is None
    assert matrix(weights(12, 24, 24), rows=24, columns=24, valid=valid[:24, :24]).data[1].text is not None


def test_a_large_matrix_has_few_labels_and_a_bounded_height():
    figure = matrix(weights(13, 129, 129), rows=words(129), columns=words(129), valid=np.tri(129, dtype=bool))
    assert 8 <= len(figure.layout.xaxis.tickvals) <= 15
    assert figure.layout.xaxis.tickvals[0] == 0
    assert list(figure.layout.xaxis.ticktext) == [words(129)[i] for i in figure.layout.xaxis.tickvals]
    assert figure.layout.height <= 800
    np.testing.assert_array_equal(np.isnan(z(figure.data[0])), ~np.tri(129, dtype=bool))


def test_plain_numbers_as_labels():
    figure = matrix(draw(14, 3, 5), rows=3, columns=5)
    assert list(figure.layout.yaxis.ticktext) == ["0", "1", "2"]
    assert list(figure.layout.xaxis.ticktext) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("shape", [(3, 4), (5, 3), (15,), (1, 3, 5)])
def test_values_that_do_not_fit_their_labels(shape):
    with pytest.raises(ValueError, match=r"3 row and 5 column labels"):
        matrix(np.zeros(shape), rows=3, columns=5)


def test_many_values_that_do_not_fit():
    with pytest.raises(ValueError, match=r"\(4, 5\) does not fit 3 row and 5 column labels"):
        matrices(np.zeros((2, 4, 5)), names=["p", "q"], rows=3, columns=5)
    with pytest.raises(ValueError, match="3 names for 2 matrices"):
        matrices(np.zeros((2, 3, 5)), names=["p", "q", "r"], rows=3, columns=5)


@pytest.mark.parametrize("seed", range(3))
def test_the_words_name_the_largest_open_cell(seed):
    values, valid = draw(seed, 4, 6) - 5, np.random.default_rng(seed).random((4, 6)) < 0.5  # all below 0
    row, column = max(zip(*np.nonzero(valid), strict=True), key=lambda at: values[at])
    alt = matrix(values, rows=list("abcd"), columns=list("uvwxyz"), signed=True, valid=valid).layout.meta["alt"]
    assert alt == (f"4 by 6 cells; the largest is {values[row, column]:.2f}, row “{'abcd'[row]}”, column “{'uvwxyz'[column]}”")


def test_the_words_are_plain_text_even_of_a_label_with_signs():
    alt = matrix([[0.1, 0.9]], rows=["<start>"], columns=["a", "&"]).layout.meta["alt"]
    assert "row “<start>”, column “&”" in alt


def test_the_words_of_many_name_every_one():
    values = weights(15, 3, 2, 4)
    alt = matrices(values, names=["p", "q", "r"], rows=2, columns=4).layout.meta["alt"]
    labels = ([str(i) for i in range(2)], [str(i) for i in range(4)])
    assert alt == "; ".join(
        f"{name}: {describe(panel, np.ones((2, 4), bool), *labels)}" for name, panel in zip("pqr", values, strict=True)
    )
    assert matrices(values, names=["p", "q", "r"], rows=2, columns=4, alt="chosen").layout.meta["alt"] == "chosen"


def test_each_panel_holds_its_own_matrix():
    values = weights(16, 5, 3, 4)
    valid = np.random.default_rng(17).random((5, 3, 4)) < 0.7
    figure = matrices(values, names=words(5), rows=3, columns=4, valid=valid)
    cells = [trace for trace in figure.data if trace.name != MASKED_MARK]
    masked = [trace for trace in figure.data if trace.name == MASKED_MARK]
    assert [trace.xaxis for trace in cells] == ["x", "x2", "x3", "x4", "x5"]
    assert [trace.yaxis for trace in cells] == ["y", "y2", "y3", "y4", "y5"]
    for trace, panel, open_ in zip(cells, values, valid, strict=True):
        np.testing.assert_array_equal(z(trace), np.where(open_, panel, np.nan))
    for trace, open_ in zip(masked, valid, strict=True):
        np.testing.assert_array_equal(np.isnan(z(trace)), open_)
    for i in range(2, 6):
        assert figure.layout[f"xaxis{i}"].anchor == f"y{i}"
        assert figure.layout[f"yaxis{i}"].anchor == f"x{i}"


def test_one_mask_may_hold_for_all_panels():
    valid = np.tri(3, dtype=bool)
    figure = matrices(weights(18, 2, 3, 3), names=["p", "q"], rows=3, columns=3, valid=valid)
    assert len(figure.data) == 4
    for trace in figure.data[1::2]:
        np.testing.assert_array_equal(np.isnan(z(trace)), valid)


def test_panels_share_one_scale_or_have_their_own():
    values = weights(19, 3, 2, 4)
    shared = matrices(values, names=["p", "q", "r"], rows=2, columns=4, top=0.8)
    assert {trace.coloraxis for trace in shared.data} == {"coloraxis"}
    assert (shared.layout.coloraxis.cmin, shared.layout.coloraxis.cmax) == (0, 0.8)
    tops = values.max(axis=(1, 2)).tolist()
    own = matrices(values, names=["p", "q", "r"], rows=2, columns=4, top=tops)
    assert [trace.coloraxis for trace in own.data] == ["coloraxis", "coloraxis2", "coloraxis3"]
    assert [own.layout[trace.coloraxis].cmax for trace in own.data] == tops
    assert all(own.layout[trace.coloraxis].cmin == 0 for trace in own.data)
    signed = matrices(values - 0.5, names=["p", "q", "r"], rows=2, columns=4, signed=True).layout.coloraxis
    assert signed.cmax == -signed.cmin == pytest.approx(np.abs(values - 0.5).max())


def apart(a, b) -> bool:
    return a[1] < b[0] or b[1] < a[0] or a[3] < b[2] or b[3] < a[2]


@pytest.mark.parametrize("layout", ["wide", "narrow"])
@pytest.mark.parametrize("wide", [2, 3, 4])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 16])
def test_panels_lie_apart_in_reading_order(count, wide, layout):
    figure = matrices(draw(20, count, 2, 3), names=words(count), rows=2, columns=3, wide=wide)
    shown = as_drawn(figure, "narrow") if layout == "narrow" else figure
    places = panels(shown)
    assert len(places) == count
    assert all(0 <= left < right <= 1 and 0 <= bottom < top <= 1 for left, right, bottom, top in places)
    assert all(apart(a, b) for i, a in enumerate(places) for b in places[:i])
    assert places == sorted(places, key=lambda place: (-place[3], place[0]))  # row by row from the top
    across = min(count, wide if layout == "wide" else 2)
    assert len({left for left, *_ in places}) == across
    assert max(right for _, right, *_ in places) == pytest.approx(1, abs=1e-3)  # no room is left empty
    assert min(bottom for *_, bottom, _ in places) == pytest.approx(0, abs=1e-3)
    for place, note in zip(places, shown.layout.annotations, strict=True):
        assert (note.x, note.y) == (place[0], place[3])  # each name at the corner of its panel


def test_more_panels_make_a_taller_figure_above_all_on_a_phone():
    few, many = (matrices(draw(21, n, 2, 3), names=words(n), rows=2, columns=3, wide=4) for n in (4, 8))
    assert many.layout.height > few.layout.height
    assert as_drawn(many, "narrow").layout.height > many.layout.height


@pytest.mark.parametrize("kinds", [("dark",), ("narrow",), ("dark", "narrow")])
@pytest.mark.parametrize("signed", [True, False])
def test_overrides_lead_to_something_that_plotly_knows(signed, kinds):
    valid = np.tri(9, 11, dtype=bool)
    one = matrix(draw(22, 9, 11), rows=9, columns=11, signed=signed, valid=valid)
    many = matrices(draw(22, 3, 9, 11), names=words(3), rows=9, columns=11, signed=signed, valid=valid)
    own = matrices(weights(22, 3, 9, 11), names=words(3), rows=9, columns=11, valid=valid, top=[0.3, 0.4, 0.5])
    large = matrix(draw(22, 129, 128), rows=129, columns=128, signed=signed, valid=np.tri(129, 128, dtype=bool))
    for figure in (one, many, own, large):
        as_drawn(figure, *kinds)  # raises for a path into the void, and plotly for a name that it does not know


def test_in_the_dark_every_scale_changes_and_keeps_its_kind():
    values, valid = weights(23, 3, 4, 5), np.tri(4, 5, dtype=bool)
    own = matrices(values, names=words(3), rows=4, columns=5, valid=valid, top=[0.3, 0.4, 0.5])
    dark = as_drawn(own, "dark")
    for name in ("coloraxis", "coloraxis2", "coloraxis3"):
        assert dark.layout[name].colorscale != own.layout[name].colorscale
        assert dark.layout[name].cmax == own.layout[name].cmax
    for light, other in zip(own.data, dark.data, strict=True):
        if light.name == MASKED_MARK:
            assert light.colorscale != other.colorscale
    signed = matrix(draw(23, 2, 3), rows=2, columns=3, signed=True)
    middle = dict(as_drawn(signed, "dark").layout.coloraxis.colorscale)[0.5]
    assert int(middle[1:3], 16) < 0x40  # nothing looks like nothing: dark on dark


def test_zero_looks_like_the_page_on_light_and_on_dark():
    figure = matrix(weights(24, 2, 3), rows=2, columns=3)
    light, dark = (dict(f.layout.coloraxis.colorscale)[0] for f in (figure, as_drawn(figure, "dark")))
    assert min(int(light[i : i + 2], 16) for i in (1, 3, 5)) > 0xE0
    assert max(int(dark[i : i + 2], 16) for i in (1, 3, 5)) < 0x40


def test_on_a_phone_the_scale_goes_and_numbers_that_do_not_fit():
    for columns, decimals, template in ((14, 2, ""), (5, 2, "%{text}"), (12, 0, "%{text}")):
        slim = as_drawn(matrix(draw(25, 3, columns), rows=3, columns=columns, decimals=decimals), "narrow")
        assert slim.layout.coloraxis.showscale is False
        assert slim.data[0].texttemplate == template


def test_the_inputs_are_left_as_they_were():
    values, valid = draw(26, 3, 5), np.random.default_rng(0).random((3, 5)) < 0.5
    values.flags.writeable = valid.flags.writeable = False
    matrix(values, rows=3, columns=5, valid=valid)
    matrices(values[None], names=["p"], rows=3, columns=5, valid=valid)


def test_a_figure_travels_whole():
    """Numbers as bytes, words as a list, NaN as NaN: what the browser decodes is what was drawn."""
    values, valid = weights(16, 5, 3), np.tri(5, 3, dtype=bool)
    drawn = plain_matrix(values, rows=words(5), columns=words(3), valid=valid)
    sent = json.loads(as_json(drawn), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert sent["data"][0]["z"]["shape"] == "5, 3"
    assert list(map(list, sent["data"][0]["text"])) == np.asarray(drawn["data"][0]["text"]).tolist()
    np.testing.assert_array_equal(decoded(sent["data"][0]["z"]), np.where(valid, values, np.nan))
    counts = {"data": [{"x": np.arange(4), "y": np.array([0.5, np.nan])}], "layout": {}}
    x, y = (decoded(json.loads(as_json(counts))["data"][0][name]) for name in "xy")
    np.testing.assert_array_equal(x, range(4))
    np.testing.assert_array_equal(y, [0.5, np.nan])
