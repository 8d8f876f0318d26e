"""Pins what the attention view sends to the browser, and what it believes of what comes back."""

import base64
import json

import numpy as np
import pytest

from explorer.components.attention_view import Picture, Pin, held, sent

ROWS, COLUMNS = ["the", "<b>cat</b>", "the", "去"], ["le", "chat", "<start>"]
WEIGHTS = np.random.default_rng(7).dirichlet(np.ones(3), (5, 4))
VALID = np.tri(4, 3, dtype=bool)
TITLES = {"row_title": "asks", "column_title": "is asked"}


def given(**changes):
    return sent(Picture(**({"weights": WEIGHTS, "rows": ROWS, "columns": COLUMNS, "valid": VALID} | TITLES | changes)))


def test_numbers_are_sent_as_bytes_row_by_row():
    data = json.loads(json.dumps(given()))
    assert data["heads"] == 5
    weights = np.frombuffer(base64.b64decode(data["weights"]), "<f4").reshape(5, 4, 3)
    np.testing.assert_array_equal(weights, WEIGHTS.astype(np.float32))
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(data["valid"]), np.uint8).reshape(4, 3), VALID)


def test_words_are_sent_as_they_are():
    data = given()
    assert (data["rows"], data["columns"]) == (ROWS, COLUMNS)
    assert all(data["words"].values())


def test_a_film_is_one_picture_behind_the_other():
    film = np.stack([WEIGHTS, WEIGHTS[::-1]])
    data = given(weights=film, film=["step 0", "step 9"])
    assert (data["heads"], data["film"]) == (5, ["step 0", "step 9"])
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(data["weights"]), "<f4"), film.astype(np.float32).ravel())
    for wrong in ([], ["step 0"]):
        with pytest.raises(ValueError, match="for 4 and 3 words"):
            given(weights=film, film=wrong)


@pytest.mark.parametrize("wrong", [{"rows": ROWS[1:]}, {"columns": [*COLUMNS, "x"]}, {"valid": VALID.T}], ids=str)
def test_what_does_not_fit_is_refused(wrong):
    with pytest.raises(ValueError, match=r"for \d and \d words"):
        given(**wrong)


@pytest.mark.parametrize(
    ("told", "pin"),
    [
        ({"side": "asks", "place": 3}, Pin("asks", 3)),
        ({"side": "asked", "place": 2}, Pin("asked", 2)),
        ({"side": "asks", "place": 4}, None),
        ({"side": "asked", "place": 3}, None),
        ({"side": "asks", "place": -1}, None),
        ({"side": "asks", "place": "1"}, None),
        ({"side": "both", "place": 1}, None),
        ({"side": "asks"}, None),
        ("asks", None),
        (None, None),
    ],
    ids=str,
)
def test_only_a_word_that_is_there_can_be_held(told, pin):
    assert held(told, 4, 3) == pin
