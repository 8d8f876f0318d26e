"""Pins the search tree and the lanes: who stands under whom, what tells kept from dropped, which word goes in where."""

import numpy as np
import pytest

from explorer.figures import lanes as lanes_module
from explorer.figures import tree as tree_module
from tests.explorer.figures.helpers import as_drawn, checked

tree, lane = checked(tree_module.tree), checked(lanes_module.lane)


def grown(**changes):
    """Two steps: of three first words two are kept, one of them is finished; of the three that continue the other, one."""
    arguments = {
        "parents": [np.array([0, 0, 0]), np.array([2, 2, 2])],
        "scores": [np.array([-2.0, -3.0, -1.0]), np.array([-1.5, -4.0, -3.5])],
        "labels": [["<end>", "a", "b"], ["c", "d", "<end>"]],
        "own": [np.array([-2.0, -3.0, -1.0]), np.array([-0.5, -3.0, -2.5])],
        "kept": [np.array([True, False, True]), np.array([True, False, False])],
        "ended": [np.array([True, False, False]), np.array([False, False, True])],
        "best": [2, 0],
        "root": "<start>",
    } | changes
    return tree(arguments.pop("parents"), arguments.pop("scores"), **arguments)


def words(figure):
    """The words that stand in the picture: text -> (x, y, width of the frame)."""
    return {note.text: (note.x, note.y, note.borderwidth) for note in figure.layout.annotations}


def branches(figure, name):
    """(from, to) of every branch of one kind."""
    (trace,) = (trace for trace in figure.data if trace.name == name)
    x, y = (np.asarray(values).reshape(-1, 3) for values in (trace.x, trace.y))
    return {((a, b), (c, d)) for (a, c, _), (b, d, _) in zip(x.tolist(), y.tolist(), strict=True)}


def test_every_candidate_stands_in_its_step_the_better_one_further_left():
    found = words(grown())
    assert found["&lt;start&gt;"][:2] == (0, 0)
    first = [text for text, (x, y, _) in sorted(found.items(), key=lambda pair: pair[1][0]) if y == 1]
    assert first == ["<b>b</b><br>−1.00", "■ <b>&lt;end&gt;</b><br>−2.00", "× a"]
    second = [text for text, (x, y, _) in sorted(found.items(), key=lambda pair: pair[1][0]) if y == 2]
    assert second == ["<b>c</b><br>−1.50", "× &lt;end&gt;", "× d"]
    assert [x for x, y, _ in sorted(found.values()) if y == 1] == [-1, 0, 1]


def test_children_stand_in_the_order_of_their_parents():
    figure = grown(parents=[np.array([0, 0, 0]), np.array([0, 2, 0])])  # the first word's two, and one of the better third's
    second = [t for t, (x, y, _) in sorted(words(figure).items(), key=lambda pair: pair[1][0]) if y == 2]
    assert second == ["× d", "<b>c</b><br>−1.50", "× &lt;end&gt;"]


def test_kept_and_dropped_differ_by_more_than_colour():
    figure = grown()
    frames = {text: width for text, (_x, _y, width) in words(figure).items()}
    assert frames["<b>b</b><br>−1.00"] == frames["<b>c</b><br>−1.50"] > frames["■ <b>&lt;end&gt;</b><br>−2.00"] > 0
    assert frames["× a"] == frames["× d"] == 0
    lines = {trace.name: (trace.line.dash, trace.line.width) for trace in figure.data if trace.mode == "lines"}
    assert lines["dropped"][0] == "dot" and lines["kept"][0] == lines["best"][0] == "solid"
    assert lines["best"][1] > lines["kept"][1] > lines["dropped"][1]


def test_branches_lead_from_a_candidate_to_what_it_continues():
    figure = grown()
    assert branches(figure, "best") == {((0, 0), (-1, 1)), ((-1, 1), (-1, 2))}
    assert branches(figure, "kept") == {((0, 0), (0, 1))}
    assert branches(figure, "dropped") == {((0, 0), (1, 1)), ((-1, 1), (0, 2)), ((-1, 1), (1, 2))}


def test_the_mouse_finds_every_number():
    figure = grown()
    dots = {trace.name: trace for trace in figure.data if trace.mode == "markers"}
    assert list(dots) == ["1", "2"]
    assert dots["1"].hovertext[0] == (
        "step 1 · &lt;end&gt; · finished<br>log-probability -2.0000 (probability 0.1353)<br>sum so far -2.0000"
    )
    assert "· d · dropped<br>log-probability -3.0000 (probability 0.0498)<br>sum so far -4.0000" in dots["2"].hovertext[1]
    assert "<end> · dropped" not in "".join(dots["2"].hovertext)  # an end that was dropped has finished nothing
    assert "dropped" in dots["2"].hovertext[2]


def test_the_tree_in_words():
    assert grown().layout.meta["alt"] == ("a tree of 2 steps: 3 candidates kept, 3 dropped; the best answer is “b c”, -1.50")


@pytest.mark.parametrize("kinds", [("dark",), ("narrow",), ("dark", "narrow")])
@pytest.mark.parametrize("count", [3, 9])
def test_overrides_of_a_tree(kinds, count):
    rng = np.random.default_rng(count)
    figure = tree(
        [np.zeros(count, int)],
        [rng.normal(size=count)],
        labels=[[f"w{i}" for i in range(count)]],
        own=[rng.normal(size=count)],
        kept=[np.arange(count) < 2],
        ended=[np.zeros(count, bool)],
        best=[0],
        root="go",
    )
    drawn = as_drawn(figure, *kinds)
    backs = {note.bgcolor for note in drawn.layout.annotations}
    assert backs == ({"#171614"} if "dark" in kinds else {"#ffffff"})
    crowded = count == 9 and "narrow" in kinds
    dropped = [note.text for note in drawn.layout.annotations if note.text.startswith("×")]
    assert dropped == (["×"] * 7 if crowded else [f"× w{i}" for i in range(2, count)])
    scores = sum("<br>" in note.text for note in drawn.layout.annotations)
    assert scores == (0 if crowded else 2)


COLUMNS = {"right": ["le", "<b>"], "given": ["<start>", "le"], "says": ["le", "chat"]}


def arrows(figure):
    return {((round(a.ax), a.ay), (round(a.x), a.y)) for a in figure.layout.annotations}


def test_words_of_a_lane_stand_in_their_columns_downwards():
    figure = lane(COLUMNS, feeds=("right", "given"), reads=("given", "says"))
    assert [trace.name for trace in figure.data] == list(COLUMNS)
    for i, trace in enumerate(figure.data):
        assert list(trace.x) == [i, i] and list(trace.y) == [0, 1]
    assert list(figure.data[0].text) == ["le", "&lt;b&gt;"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert list(figure.layout.xaxis.ticktext) == list(COLUMNS)
    assert figure.layout.meta["alt"] == "right: le <b>; given: <start> le; says: le chat"


@pytest.mark.teaches(point="C8")
@pytest.mark.parametrize(("feeds", "slanted"), [(("right", "given"), (0, 1)), (("says", "given"), (2, 1))])
def test_a_word_goes_into_the_next_position(feeds, slanted):
    figure = lane(COLUMNS, feeds=feeds, reads=("given", "says"))
    source, target = slanted
    assert arrows(figure) == {((1, 0), (2, 0)), ((1, 1), (2, 1)), ((source, 0), (target, 1))}


def test_right_and_wrong_words_of_a_lane_differ_by_more_than_colour():
    figure = lane(COLUMNS, feeds=("right", "given"), reads=("given", "says"), marks={"says": [True, False]}, teacher=True)
    assert list(figure.data[2].text) == ["✓ le", "✗ chat"]
    dashes = [shape.line.dash for shape in figure.layout.shapes]
    assert dashes == ["solid"] * 5 + ["dot"]
