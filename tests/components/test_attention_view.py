"""Pins what the attention view sends to the browser, and what it believes of what comes back."""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.components import attention_view
from explorer.components.attention_view import Selection, Without, selected, sent
from tests.components import node
from tests.pages.helpers import array
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.cutting import HeadCut, LinkCut, WordCut, parse

SRC, TGT = ("the", "<b>cat</b>", "the", "去"), ("le", "chat", "<start>")


def drawn(seed: int = 7, src: tuple[str, ...] = SRC) -> AttentionMap:
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(src)), (5, len(TGT)))
    return AttentionMap("cross", 0, weights, np.tri(len(TGT), len(src), dtype=bool), TGT, src)


def given(*film: AttentionMap, captions: tuple[str, ...] = ()):
    return json.loads(json.dumps(sent(film, captions, ("rows", "columns"))))


def test_weights_and_mask_are_sent_as_arrays_and_words_as_they_are():
    attention = drawn()
    data = given(attention)
    np.testing.assert_array_equal(array(data["weights"]), attention.weights.astype(np.float32))
    np.testing.assert_array_equal(array(data["valid"]), attention.allowed)
    assert (data["rows"], data["columns"]) == (list(TGT), list(SRC))
    assert (data["row_title"], data["column_title"]) == ("rows", "columns")


def test_a_film_is_one_picture_behind_the_other():
    film = drawn(1), drawn(2)
    data = given(*film, captions=("step 0", "step 9"))
    assert data["film"] == ["step 0", "step 9"]
    np.testing.assert_array_equal(array(data["weights"]), np.stack([each.weights for each in film]).astype(np.float32))


@pytest.mark.parametrize(
    ("told", "selection"),
    [
        ({"side": "query", "place": 3}, Selection("query", 3)),
        ({"side": "key", "place": 2}, Selection("key", 2)),
        ({"side": "query", "place": 4}, None),
        ({"side": "key", "place": 3}, None),
        ({"side": "query", "place": -1}, None),
        ({"side": "query", "place": "1"}, None),
        ({"side": "both", "place": 1}, None),
        ({"side": "query"}, None),
        ("query", None),
        (None, None),
    ],
    ids=str,
)
def test_only_a_word_that_is_there_can_be_selected(told, selection):
    assert selected(told, 4, 3) == selection


CLICKED = [{"query": 3, "key": 2}, {"query": 3, "key": 2, "heads": [0, 2]}, {"query": 1}, {"key": 2}, {"heads": [1]}]


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("everywhere", [False, True])
def test_what_is_clicked_is_written_as_the_cut_that_it_is(kind, everywhere):
    attention = {"kind": kind, "layer": 1, "layers": 3}
    module = (Path(attention_view.__file__).parents[1] / "shared" / "cut.js").as_uri()
    code = f"""import {{ cutsOf }} from {json.dumps(module)};
    console.log(JSON.stringify(given.clicked.map((what) => cutsOf(what, given.attention, given.everywhere))));"""
    found = node.run(code, {"clicked": CLICKED, "attention": attention, "everywhere": everywhere})
    layers = range(3) if everywhere else [1]
    link, some = (
        ([LinkCut(kind, None, None, 3, 2)],) * 2
        if everywhere
        else ([LinkCut(kind, 1, None, 3, 2)], [LinkCut(kind, 1, head, 3, 2) for head in (0, 2)])
    )
    query, key = WordCut("src" if kind == "encoder" else "tgt", 1), WordCut("tgt" if kind == "decoder" else "src", 2)
    heads = [HeadCut(kind, layer, 1) for layer in layers]
    assert [[parse(cut) for cut in each] for each in found] == [link, some, [query], [key], heads]


def test_what_was_clicked_last_is_ahead_of_the_page():
    module = (Path(attention_view.__file__).parents[1] / "shared" / "cut.js").as_uri()
    given = [["", ["src:1"]], ["src:1", ["src:2", "src:1"]], ["src:1,src:2", []], ["", []], ["src:1,src:2", ["src:3"]]]
    code = f"""import {{ withMore }} from {json.dumps(module)};
    console.log(JSON.stringify(given.map(([made, more]) => withMore(made, more, 2))));"""
    assert node.run(code, given) == ["src:1", "src:1,src:2", "src:1", "", None]


def test_what_has_been_cut_out_of_a_picture():
    made = [WordCut("src", 2), WordCut("tgt", 1), HeadCut("cross", 0, 3), HeadCut("cross", 1, 2), LinkCut("cross", 0, 1, 0, 0)]
    assert Without.of(made, "cross", 0) == Without((3,), (1,), (2,))
    assert Without.of(made, "encoder", 0) == Without((), (2,), (2,))
    assert Without.of(made, "decoder", 1) == Without((), (1,), (1,))
