"""Pins what a picture of matrices holds: the values themselves, what is masked, the scale, the labels and the words."""

import numpy as np
import pytest

from explorer.figures.matrix import describe, matrices, matrix
from tests.explorer.figures.helpers import TOKENS


def draw(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def weights(seed: int, *shape: int) -> np.ndarray:
    powers = np.exp(draw(seed, *shape))
    return powers / powers.sum(axis=-1, keepdims=True)


def words(count: int) -> list[str]:
    return [f"{i} w{i % 3}" for i in range(count)]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 3), (2, 17), (41, 7), (129, 129)])
def test_the_cells_are_the_values(rows, columns):
    values = draw(0, rows, columns)
    drawn = matrix(values, rows=words(rows), columns=words(columns), signed=True)
    np.testing.assert_array_equal(drawn.values, values[None])
    assert drawn.values.dtype == np.float32 and drawn.valid.all()


def test_masked_cells_and_what_is_no_number():
    values, valid = weights(1, 5, 7), np.random.default_rng(2).random((5, 7)) < 0.6
    drawn = matrix(values, rows=words(5), columns=words(7), valid=valid)
    np.testing.assert_array_equal(drawn.valid, valid[None])
    for bad in (np.nan, np.inf, -np.inf):
        values = draw(4, 3, 5)
        values[1, 4] = bad
        for given in (None, np.ones((3, 5), bool)):
            drawn = matrix(values, rows=3, columns=5, signed=True, valid=given)
            assert np.argwhere(~drawn.valid[0]).tolist() == [[1, 4]] and np.isfinite(drawn.ends).all()


def test_nothing_but_masked_cells():
    drawn = matrix(np.full((2, 3), np.nan), rows=2, columns=3, signed=True)
    assert not drawn.valid.any()
    assert drawn.ends[0, 0] < drawn.ends[0, 1]
    assert drawn.alt == "all 6 cells are masked"


def test_a_signed_scale_is_centred_on_0_and_just_holds_the_open_cells():
    values, valid = draw(5, 4, 6), np.ones((4, 6), bool)
    values[2, 3], valid[2, 3] = 1000.0, False
    largest = np.abs(values[valid]).max()
    assert matrix(values, rows=4, columns=6, signed=True, valid=valid).ends.tolist() == [[-largest, largest]]
    low, high = matrix(np.zeros((2, 3)), rows=2, columns=3, signed=True).ends[0]
    assert low == -high < 0


def test_a_signed_scale_may_reach_further_than_its_cells_but_never_less_far():
    values = np.random.default_rng(3).normal(size=(2, 3))
    largest = np.float32(np.abs(values).max())
    for least in (largest / 2, largest * 2):
        assert matrix(values, rows=2, columns=3, signed=True, least=least).ends[0, 1] == max(largest, np.float32(least))


def test_a_scale_of_probabilities_is_fixed():
    assert matrix(weights(6, 3, 5) / 100, rows=3, columns=5).ends.tolist() == [[0, 1]]
    assert matrix(weights(6, 3, 5), rows=3, columns=5, top=0.5).ends.tolist() == [[0, 0.5]]


def test_labels_are_what_they_are():
    drawn = matrix(weights(7, len(TOKENS), 5), rows=TOKENS, columns=5)
    assert (list(drawn.rows), list(drawn.columns)) == (TOKENS, ["0", "1", "2", "3", "4"])


def test_the_axes_are_said_in_words():
    for rows, columns, said in (
        ("asks", "is asked", "rows: asks · columns: is asked"),
        ("asks", "", "rows: asks"),
        ("", "is asked", "columns: is asked"),
        ("", "", ""),
    ):
        assert matrix(draw(10, 2, 3), rows=2, columns=3, row_title=rows, column_title=columns).axes == said


@pytest.mark.parametrize("seed", range(3))
def test_the_words_name_the_largest_open_cell(seed):
    values, valid = draw(seed, 4, 6) - 5, np.random.default_rng(seed).random((4, 6)) < 0.5  # all below 0
    row, column = max(zip(*np.nonzero(valid), strict=True), key=lambda at: values[at])
    alt = matrix(values, rows=list("abcd"), columns=list("uvwxyz"), signed=True, valid=valid).alt
    assert alt == (f"4 by 6 cells; the largest is {values[row, column]:.2f}, row “{'abcd'[row]}”, column “{'uvwxyz'[column]}”")


def test_the_words_of_many_name_every_one():
    values = weights(15, 3, 2, 4)
    labels = ([str(i) for i in range(2)], [str(i) for i in range(4)])
    for names, called in ((["p", "q", "r"], ["p", "q", "r"]), ("head {i}", ["head 0", "head 1", "head 2"])):
        assert matrices(values, names=names, rows=2, columns=4).alt == "; ".join(
            f"{name}: {describe(panel, np.ones((2, 4), bool), *labels)}" for name, panel in zip(called, values, strict=True)
        )
    assert matrices(values, names=["p", "q", "r"], rows=2, columns=4, alt="chosen").alt == "chosen"


def test_each_panel_holds_its_own_matrix():
    values = weights(16, 5, 3, 4)
    valid = np.random.default_rng(17).random((5, 3, 4)) < 0.7
    drawn = matrices(values, names=words(5), rows=3, columns=4, valid=valid)
    np.testing.assert_array_equal(drawn.values, values)
    np.testing.assert_array_equal(drawn.valid, valid)
    for_all = matrices(values, names=words(5), rows=3, columns=4, valid=valid[2])
    np.testing.assert_array_equal(for_all.valid, np.stack([valid[2]] * 5))


def test_panels_share_one_scale_or_have_their_own():
    values = weights(19, 3, 2, 4)
    shared = matrices(values, names=["p", "q", "r"], rows=2, columns=4, top=0.5)
    assert shared.scale and shared.ends.tolist() == [[0, 0.5]] * 3
    tops = values.max(axis=(1, 2)).tolist()
    own = matrices(values, names=["p", "q", "r"], rows=2, columns=4, top=tops)
    assert not own.scale and own.ends.tolist() == [[0, top] for top in tops]
    most = float(np.abs(values - 0.5).max())
    signed = matrices(values - 0.5, names=["p", "q", "r"], rows=2, columns=4, signed=True)
    assert signed.ends.tolist() == [[-most, most]] * 3


def test_the_inputs_are_left_as_they_were():
    values, valid = draw(26, 3, 5), np.random.default_rng(0).random((3, 5)) < 0.5
    values.flags.writeable = valid.flags.writeable = False
    matrix(values, rows=3, columns=5, valid=valid)
    matrices(values[None], names=["p"], rows=3, columns=5, valid=valid)
