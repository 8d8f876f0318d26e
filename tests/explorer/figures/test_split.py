"""Pins the figures of the cut into heads: the values, the borders, and the words that say where a number came from."""

import numpy as np
import pytest

from explorer.figures import split
from tests.explorer.figures.helpers import TOKENS, as_drawn, checked, text, z

cut, origin = checked(split.cut), checked(split.origin)


def places(heads: int, length: int, d_k: int) -> tuple[np.ndarray, np.ndarray]:
    """The wrong cut: numbers counted off in the order they lie in."""
    counted = np.arange(heads * length * d_k).reshape(heads, length, d_k)
    return np.divmod(counted, heads * d_k)


@pytest.mark.parametrize(("length", "heads", "d_k"), [(5, 3, 4), (7, 1, 16), (1, 8, 8)])
def test_d6_the_borders_run_between_the_heads(length, heads, d_k):
    values = np.random.default_rng(0).normal(size=(length, heads * d_k)).astype(np.float32)
    figure = cut(values, rows=[f"{i} w" for i in range(length)], n_heads=heads)
    np.testing.assert_array_equal(z(figure.data[0]), values)
    assert [shape.x0 for shape in figure.layout.shapes] == [head * d_k - 0.5 for head in range(1, heads)]
    assert all(shape.x0 == shape.x1 and (shape.y0, shape.y1) == (0, 1) for shape in figure.layout.shapes)


def test_d6_columns_that_cannot_be_cut_are_refused():
    with pytest.raises(ValueError, match="7 columns for 2 equal heads"):
        cut(np.zeros((3, 7)), rows=list("abc"), n_heads=2)
    with pytest.raises(ValueError, match="2 labels for 4 tokens"):
        origin(*places(3, 4, 2), labels=["a", "b"])


@pytest.mark.parametrize("d_k", [2, 8, 9, 16, 17])
def test_d6_each_cell_says_where_its_number_came_from(d_k):
    heads, length = 3, len(TOKENS)
    token, dimension = places(heads, length, d_k)
    figure = origin(token, dimension, labels=TOKENS)
    (cells,) = figure.data
    np.testing.assert_array_equal(z(cells), token.reshape(-1, d_k))
    if d_k <= 8:
        assert text(cells)[5, 1] == f"{token[0, 5, 1]}·{dimension[0, 5, 1]}"
    elif d_k <= 16:
        assert text(cells)[5, 1] == str(token[0, 5, 1])
    else:
        assert cells.text is None
    words = np.asarray(cells.hovertext)[length + 4, 1]
    assert words == (
        f"is in head 1 · 4 &lt;b&gt;cat&lt;/b&gt;; comes from {TOKENS[token[1, 4, 1]].replace('&', '&amp;')}, "
        f"dimension {dimension[1, 4, 1]}"
    )
    assert [shape.y0 for shape in figure.layout.shapes] == [length - 0.5, 2 * length - 0.5]
    misplaced = np.mean(token != np.arange(length)[:, None])
    assert f"{misplaced:.0%} of the cells come from another token" in figure.layout.meta["alt"]
    assert figure.layout.coloraxis.cmin == 0 and figure.layout.coloraxis.cmax == length - 1
    as_drawn(figure, "dark", "narrow")


def test_d6_one_token_and_very_many_cells_are_drawn():
    assert origin(*places(4, 1, 2), labels=["0 a"]).layout.coloraxis.cmax == 1
    assert origin(*places(1, 100, 64), labels=[f"{i} a" for i in range(100)]).data[0].hovertext is None
