"""Pins what the attention view sends to the browser, and what it believes of what comes back."""

import json

import numpy as np
import pytest

from explorer.components.attention_view import Picture, Selection, selected, sent
from tests.pages.helpers import array

ROWS, COLUMNS = ["the", "<b>cat</b>", "the", "去"], ["le", "chat", "<start>"]
WEIGHTS = np.random.default_rng(7).dirichlet(np.ones(3), (5, 4))
VALID = np.tri(4, 3, dtype=bool)
TITLES = {"row_title": "query", "column_title": "key"}


def given(**changes):
    picture = Picture(**({"weights": WEIGHTS, "rows": ROWS, "columns": COLUMNS, "valid": VALID} | TITLES | changes))
    return json.loads(json.dumps(sent(picture)))


def test_weights_and_mask_are_sent_as_arrays_and_words_as_they_are():
    data = given()
    np.testing.assert_array_equal(array(data["weights"]), WEIGHTS.astype(np.float32))
    np.testing.assert_array_equal(array(data["valid"]), VALID)
    assert (data["rows"], data["columns"]) == (ROWS, COLUMNS)
    assert all(data["texts"].values())


def test_a_film_is_one_picture_behind_the_other():
    film = np.stack([WEIGHTS, WEIGHTS[::-1]])
    data = given(weights=film, film=["step 0", "step 9"])
    assert data["film"] == ["step 0", "step 9"]
    np.testing.assert_array_equal(array(data["weights"]), film.astype(np.float32))
    for wrong in ([], ["step 0"]):
        with pytest.raises(ValueError, match="for 4 and 3 words"):
            given(weights=film, film=wrong)


@pytest.mark.parametrize("wrong", [{"rows": ROWS[1:]}, {"columns": [*COLUMNS, "x"]}, {"valid": VALID.T}], ids=str)
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(ValueError, match=r"for \d and \d words"):
        given(**wrong)


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
