"""Pins what the attention view sends to the browser, and what it believes of what comes back."""

import json

import numpy as np
import pytest

from explorer.components.attention_view import Selection, Touched, selected, sent
from explorer.components.attention_view.component import touched
from tests.pages.helpers import array
from transformer_core.analysis.attention_map import AttentionMap

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


def test_a_film_of_other_tokens_or_without_a_caption_for_each_is_refused():
    with pytest.raises(ValueError, match="not of the same tokens"):
        given(drawn(), drawn(src=SRC[1:]), captions=("a", "b"))
    with pytest.raises(ValueError, match="1 captions for 2 pictures"):
        given(drawn(), drawn(), captions=("a",))


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


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ({"query": 3, "key": 2, "heads": [0], "everywhere": False}, Touched(3, 2, (0,))),
        ({"query": 3, "key": None, "heads": [], "everywhere": True}, Touched(3, everywhere=True)),
        ({"query": None, "key": None, "heads": [1], "everywhere": False}, Touched(heads=(1,))),
        ({"query": None, "key": None, "heads": [], "everywhere": False}, Touched()),
        ({"query": 4, "key": 2, "heads": [], "everywhere": False}, None),
        ({"query": 0, "key": -1, "heads": [], "everywhere": False}, None),
        ({"query": 0, "key": 0, "heads": [2], "everywhere": False}, None),
        ({"query": 0, "key": 0, "heads": [True], "everywhere": False}, None),
        ({"query": 0, "key": 0, "heads": "0", "everywhere": False}, None),
        ({"query": 0, "key": 0, "heads": []}, None),
        ("query", None),
        (None, None),
    ],
    ids=str,
)
def test_only_what_is_in_the_picture_can_be_cut(told, meant):
    assert touched(told, 2, 4, 3) == meant
