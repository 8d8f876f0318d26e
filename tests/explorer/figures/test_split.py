"""Pins the figures of the cut into heads: the values, the borders, and the words that say where a number came from."""

import numpy as np
import pytest

from explorer.figures.split import cut, origin
from tests.explorer.figures.helpers import TOKENS

pytestmark = pytest.mark.teaches(point="D6")


def places(heads: int, length: int, d_k: int) -> tuple[np.ndarray, np.ndarray]:
    """The wrong cut: numbers counted off in the order they lie in."""
    counted = np.arange(heads * length * d_k).reshape(heads, length, d_k)
    return np.divmod(counted, heads * d_k)


@pytest.mark.parametrize(("length", "heads", "d_k"), [(5, 3, 4), (7, 1, 16), (1, 8, 8)])
def test_the_borders_run_between_the_heads(length, heads, d_k):
    values = np.random.default_rng(0).normal(size=(length, heads * d_k)).astype(np.float32)
    figure = cut(values, rows=[f"{i} w" for i in range(length)], n_heads=heads)
    np.testing.assert_array_equal(figure.values[0], values)
    assert list(figure.cut_columns) == [head * d_k for head in range(1, heads)]


@pytest.mark.parametrize("d_k", [2, 8, 9, 16, 17])
def test_each_cell_says_where_its_number_came_from(d_k):
    heads, length = 3, len(TOKENS)
    token, dimension = places(heads, length, d_k)
    figure = origin(token, dimension, labels=TOKENS)
    np.testing.assert_array_equal(figure.values[0], token.reshape(-1, d_k))
    if d_k <= 8:
        assert figure.marks[5][1] == f"{token[0, 5, 1]}·{dimension[0, 5, 1]}"
    else:
        assert figure.marks is None and figure.decimals == 0, "its number is the token's"
    at = length + 4, 1
    said = {"row": figure.rows[at[0]], "label": figure.note_labels[int(figure.values[0][at])], "n": figure.note_numbers[at]}
    assert (
        figure.note.format(**said)
        == f"is in head 1 · 4 <b>cat</b>; comes from {TOKENS[token[1, 4, 1]]}, dimension {dimension[1, 4, 1]}"
    )
    assert list(figure.cut_rows) == [length, 2 * length]
    misplaced = np.mean(token != np.arange(length)[:, None])
    assert f"{misplaced:.0%} of the cells come from another token" in figure.alt
    assert figure.ends.tolist() == [[0, length - 1]]


def test_one_token_and_very_many_cells_are_drawn():
    assert origin(*places(4, 1, 2), labels=["0 a"]).ends.tolist() == [[0, 1]]
    assert origin(*places(1, 100, 64), labels=[f"{i} a" for i in range(100)]).note_numbers.nbytes == 100 * 64 * 2
