"""Pins what the parts of the masks page show: stages of one head, ways to block, the triangle, and a batch."""

import numpy as np
import pytest

from explorer import resources
from tests.pages.helpers import (
    SENTENCES,
    SIZES,
    WORDS,
    config,
    figure,
    figures,
    fine,
    fresh,
    open_page,
    shown,
    told,
    turn,
)
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.data.corpora import CORPORA


@pytest.mark.teaches(point="A4")
def test_four_ways_to_block_with_no_key_and_with_some():
    at = open_page("masks", part="blocked_rows", kind="encoder", blocked_query=2, **SENTENCES)
    row = fresh(config(), 0, **SENTENCES)["encoder.0.self_attn.scores"][0, 2, :4]
    table = at.dataframe[0].value
    infinite = "   ".join(["−∞"] * 4)
    assert list(table["masked scores"]) == ["   ".join(["−1e9"] * 4), infinite, "inside the kernel", infinite]
    assert list(table["weights"]) == ["   ".join([word] * 4) for word in ("0.25", "NaN", "0.00", "0.00")]
    assert table["scores"][0] == "   ".join(f"{score:.2f}".replace("-", "−") for score in row)
    assert "all four ways give the same weights" in shown(turn(at, open_keys=3))


@pytest.mark.teaches(point="A3")
@pytest.mark.parametrize(("rows", "columns"), [(8, 1), (1, 8)])
def test_a_triangle_may_be_a_line_and_numbers_are_kept_from_three_diagonals(rows, columns):
    at = open_page("masks", part="triangle", rows=rows, columns=columns, k=3)
    assert fine(at)
    counted = [figure(at, f"triangle-counted-{i}").data["live"]["choices"]["offset"] for i in range(3)]
    assert counted == [-1, 0, 1]


@pytest.mark.teaches(point="B2")
def test_open_cells_of_the_causal_mask_are_counted():
    assert "15 of 25 cells are open" in shown(open_page("masks", part="triangle"))


@pytest.mark.teaches(point="E4")
def test_the_batch_is_built_from_the_ids_of_the_sentences():
    at = open_page(
        "masks", part="batch_masks", src_2="a dog", tgt_2="un chien", src_3="the house", tgt_3="la maison rouge", **SENTENCES
    )
    assert fine(at)
    sources = [WORDS.encode(text) for text in (SENTENCES["src"], "a dog", "the house")]
    targets = [WORDS.encode(text) for text in (SENTENCES["tgt"], "un chien", "la maison rouge")]

    expected = (sources, [[1, *ids] for ids in targets], [[*ids, 2] for ids in targets])
    for key, rows in zip(("batch-src", "batch-tgt", "batch-label"), expected, strict=True):
        longest = max(map(len, rows))
        padding = [[False] * len(row) + [True] * (longest - len(row)) for row in rows]
        np.testing.assert_array_equal(np.isnan(figure(at, key).cells[0]), padding)
        words = [["\n".join(cell) for cell in zip(WORDS.decode(row), map(str, row), strict=True)] for row in rows]
        for row, marks in zip(words, figure(at, key).data["marks"], strict=True):
            assert marks == row + ["<pad>\n0"] * (longest - len(row))
    assert "counts 11 of 12 labels; 1 is padding, id 0" in shown(at)
    src_open = np.array([[True] * len(ids) + [False] * (6 - len(ids)) for ids in sources])
    np.testing.assert_array_equal(figure(at, "batch-src-mask").cells[0], np.where(src_open, 1, np.nan))
    for cells, ids in zip(figure(at, "batch-tgt-mask").cells, targets, strict=True):
        open_ = np.tri(4, dtype=bool) & (np.arange(4) < len(ids) + 1)
        np.testing.assert_array_equal(cells, np.where(open_, 1, np.nan))


@pytest.mark.teaches(point="E4")
def test_padding_reaches_no_word_through_masked_columns_and_all_through_masked_rows():
    at = open_page("masks", part="batch_masks", seed=5, **SIZES, **SENTENCES)
    columns, rows, nothing = (float(metric.value) for metric in at.metric)
    assert columns == 0 and rows > 0.01 and nothing > 0.01
    panels = figure(at, "batch-padding").cells
    assert np.nanmax(panels[0]) == 0
    assert np.nanmax(panels[1]) == pytest.approx(rows, rel=1e-2)
    assert np.nanmax(panels[2][0]) == 0, "the longest sentence has no padding"
    assert np.nanmin(panels[2][1]) > 0.01


@pytest.mark.teaches(point="E4")
def test_without_padding_there_is_nothing_to_measure():
    at = open_page("masks", part="batch_masks", src="a cat", src_2="a dog", src_3="a house")
    assert fine(at)
    assert "there is no padding" in shown(at)


@pytest.mark.teaches(point="E4")
@pytest.mark.parametrize(
    ("sentences", "part"),
    [({"src_2": " "}, "Source 2 is empty"), ({"tgt_3": ""}, "Target 3 is empty"), ({"src_3": "cat " * 17}, "17 tokens")],
)
def test_a_batch_that_cannot_be_is_declined_in_one_sentence(sentences, part):
    at = open_page("masks", part="batch_masks", **sentences)
    assert part in told(at)
    assert not figures(at)


@pytest.mark.teaches(point="E4")
def test_a_model_that_reads_numbers_gets_rows_of_numbers():
    model = Transformer(TransformerConfig(src_vocab=9, tgt_vocab=9, d_model=24, n_heads=3, d_ff=40, n_layers=1))
    stored = resources.model_store().add(checkpoint.to_bytes(model))
    at = open_page("masks", {"model": stored.id}, numbers="1 5 3 8 2", part="batch_masks")
    assert fine(at)
    assert figure(at, "batch-src").data["marks"][1] == ["1\n1", "5\n5", "3\n3", "<pad>\n0", "<pad>\n0"]
    assert len(figures(at)) == 6


def test_without_a_causal_mask_no_triangle_is_claimed():
    at = open_page("masks", causal=False, pad_tgt=0)
    assert fine(at)
    assert not np.isnan(figure(at, "mask-1").cells[0]).any()
    assert "causal mask of this model is switched off" in shown(at)
    for part in ("sentence_masks", "blocked_rows", "batch_masks"):
        assert fine(turn(at, part=part))
        assert "only the triangle is left" not in shown(at) and "the causal mask leaves" not in shown(at)


@pytest.mark.teaches(point="E4")
def test_a_model_that_reads_words_gets_sentences_and_what_it_says():
    corpus = CORPORA["pronoun-en"]()
    size = len(corpus.vocabulary)
    model = Transformer(TransformerConfig(src_vocab=size, tgt_vocab=size, d_model=24, n_heads=3, d_ff=40, n_layers=1))
    stored = resources.model_store().add(checkpoint.to_bytes(model, {"task": "pronoun-en"}))
    at = open_page(
        "masks", {"model": stored.id}, src="the dog did not cross the street because it was too tired", part="batch_masks"
    )
    assert fine(at)
    second = [mark.split("\n") for mark in figure(at, "batch-src").data["marks"][1]]
    words = tuple(token for token, _ in second if token != "<pad>")
    assert words in corpus.by_source, "a sentence of its corpus"
    assert [int(i) for _, i in second[: len(words)]] == [corpus.vocabulary.encode(word)[0] for word in words]
    assert "its target what the decoder is given there" in shown(at)
