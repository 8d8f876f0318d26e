"""Pins the numbers that Masks and Positions print in words: what the model is given, and positions to check by hand."""

import numpy as np
import pytest

from tests.pages.helpers import SENTENCES, WORDS, fine, open_page, shown
from transformer_core import sinusoidal_encoding


@pytest.mark.teaches(point="E4")
def test_the_masks_page_says_what_the_model_is_given():
    at = open_page("masks", pad_src=1, pad_tgt=2, **SENTENCES)
    source, given, label = (line.split("   ")[1:] for line in at.code[0].value.split("\n"))
    src, tgt = (WORDS.encode(SENTENCES[name]) for name in ("src", "tgt"))

    def written(*ids: int) -> list[str]:
        return [f"{token}\N{NO-BREAK SPACE}{i}" for token, i in zip(WORDS.decode(ids), ids, strict=True)]

    def without_gaps(row: list[str]) -> list[str]:
        return [cell.strip(" ") for cell in row if cell.strip(" ")]

    assert without_gaps(source) == written(*src, 0)
    assert without_gaps(given) == written(WORDS.start, *tgt, 0, 0)
    assert without_gaps(label) == written(*tgt, WORDS.end, 0, 0)
    assert "4 of 6 labels" in shown(at)


@pytest.mark.teaches(point="A2")
@pytest.mark.teaches(point="D1")
def test_the_numbers_of_the_notes_to_check_by_hand():
    at = open_page("positions", part="waves")
    assert fine(at)
    divisors, table = (each.value.to_numpy() for each in at.dataframe[-2:])
    assert divisors[:, 1].tolist() == ["1.000", "21.544", "464.159"]
    assert "sin(3 / 464.159) = 0.0065" in shown(at)
    found = table[:, 1:]  # (position, dimension)
    assert table[:, 0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found, sinusoidal_encoding(4, 6).numpy().round(3), atol=1e-6)
    assert found[2].tolist() == pytest.approx([0.909, -0.416, 0.093, 0.996, 0.004, 1.000], abs=6e-4)
