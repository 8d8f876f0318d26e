"""Pins the numbers of Masks, Positions, Parameters and Home against a fresh model and against formulas."""

import numpy as np
import pytest

from tests.pages.helpers import SENTENCES, SIZES, WORDS, close, config, figure, fine, fresh, open_page, shown, turn
from transformer_core import sinusoidal_encoding


def test_b2_masks_are_those_of_the_padded_sentences():
    at = open_page("masks", kind="decoder", **SENTENCES)
    for pad_src, pad_tgt in ((0, 0), (2, 1), (3, 4)):
        assert fine(turn(at, pad_src=pad_src, pad_tgt=pad_tgt))
        src_open = np.array([True] * 6 + [False] * pad_src)
        tgt_open = np.array([True] * 4 + [False] * pad_tgt)  # the start token and three words
        n, m = len(src_open), len(tgt_open)
        lower = np.tri(m, dtype=bool)
        for i, open_ in enumerate((np.tile(src_open, (n, 1)), lower, lower & tgt_open, np.tile(src_open, (m, 1)))):
            np.testing.assert_array_equal(figure(at, f"mask-{i}").cells[0], np.where(open_, 1.0, np.nan))
        (weights,), (scores,) = figure(at, "masked-weights").cells, figure(at, "masked-scores").cells
        np.testing.assert_array_equal(np.isnan(weights), ~(lower & tgt_open))
        np.testing.assert_array_equal(np.isnan(scores), ~(lower & tgt_open))
        close(np.nansum(weights, axis=1), np.ones(m))


def test_e4_the_masks_page_says_what_the_model_is_given():
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


def test_a1_a2_d1_words_and_positions():
    at = open_page("positions", part="waves", base=100, wave_positions=30, dimension=6, seed=5, **SIZES, **SENTENCES)
    assert fine(at)
    place, i = np.ogrid[:30, :48]
    angle = place / 100.0 ** (i // 2 * 2 / 48)
    expected = np.where(i % 2 == 0, np.sin(angle), np.cos(angle))
    np.testing.assert_allclose(figure(at, "encoding").cells[0], expected, atol=1e-5)
    np.testing.assert_allclose(figure(at, "waves").lines, expected[:, 6:10].T, atol=1e-5)
    np.testing.assert_allclose(figure(at, "wavelengths").lines[0], 2 * np.pi * 100.0 ** (np.arange(0, 48, 2) / 48), rtol=1e-5)
    unit = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(figure(at, "similarity").cells[0], unit @ unit.T, atol=1e-5)

    divisors, table = (each.value.to_numpy() for each in at.dataframe[-2:])  # those of the notes, to check by hand
    assert divisors[:, 1].tolist() == ["1.000", "21.544", "464.159"]
    assert "sin(3 / 464.159) = 0.0065" in shown(at)
    found = table[:, 1:]  # (position, dimension)
    assert table[:, 0].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found, sinusoidal_encoding(4, 6).numpy().round(3), atol=1e-6)
    assert found[2].tolist() == pytest.approx([0.909, -0.416, 0.093, 0.996, 0.004, 1.000], abs=6e-4)

    turn(at, part="words_and_waves")
    stages = fresh(config(**SIZES), 5, **SENTENCES)
    n = len(stages["encoder.embedding.scaled"])
    for found, name in zip(figure(at, "sum").cells, ("scaled", "positions", "sum"), strict=True):
        close(found[:n], stages[f"encoder.embedding.{name}"][:, :32])
    for found, name in zip(figure(at, "norms").lines, ("tokens", "scaled", "positions"), strict=True):
        close(found[:n], np.linalg.norm(stages[f"encoder.embedding.{name}"], axis=1))


def test_e3_the_paper_s_model_has_the_paper_s_number_of_parameters():
    at = open_page("shapes", part="parameters", vocabulary=37_000, preset="paper_base", d_model=512, n_heads=8, d_ff=2048,
                   n_layers=6, norm="post", tie_embeddings="all")  # fmt: skip
    assert fine(at)
    assert at.dataframe[0].value["counted"].iloc[-1] == f"{168 * 512**2 + 196 * 512 + 37_000 * 512 - 2 * 2 * 512:,}"
