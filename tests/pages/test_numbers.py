"""Pins that what the pages draw is what the core computes: every figure against a fresh model, every table against a count."""

import numpy as np
import pytest
import torch
from explorer.controls import Knobs

from tests.pages.helpers import WORDS, Cells, config, figure, fine, fresh, open_page, shown, turn
from transformer_core import Transformer, sinusoidal_encoding
from transformer_core.model.accounting import stage_shapes

SIZES = {"d_model": 48, "n_heads": 3, "n_layers": 2, "d_ff": 80}
SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge"}
SCOPES = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}
kinds = pytest.mark.parametrize("kind", list(SCOPES))


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def masked(weights: np.ndarray, kind: str) -> np.ndarray:
    """Not a number where a cell is masked: above the diagonal of the decoder's own attention."""
    closed = np.triu(np.ones(weights.shape[-2:], bool), 1) if kind == "decoder" else np.zeros(weights.shape[-2:], bool)
    return np.where(closed, np.nan, weights)


@kinds
def test_heads_are_the_weights_of_the_model(kind):
    at = open_page("heads", part="Heads", kind=kind, layer=1, head=2, seed=5, norm="post", **SIZES, **SENTENCES)
    assert fine(at)
    stages = fresh(config(**SIZES, norm="post"), 5, **SENTENCES)
    weights = stages[f"{SCOPES[kind]}.weights"]
    panels = figure(at, "heads").cells
    assert len(panels) == 3
    close(np.stack(panels), masked(weights, kind))
    close(Cells(at, "head-large").weights, masked(weights[2], kind))
    bits = [-(w[w > 0] * np.log2(w[w > 0])).sum() / len(w) for w in weights]
    close(figure(at, "entropy").lines[0], np.array(bits))
    far = np.abs(np.arange(weights.shape[1])[:, None] - np.arange(weights.shape[2]))
    close(figure(at, "distance").lines[0], (weights * far).sum(axis=2).mean(axis=1))


def test_another_seed_is_another_picture_and_the_same_seed_the_same():
    at = open_page("heads", part="Heads", seed=1)
    first = figure(at, "heads").cells
    turn(at, seed=2)
    assert not np.allclose(first, figure(at, "heads").cells)
    turn(at, seed=1)
    np.testing.assert_array_equal(first, figure(at, "heads").cells)


@pytest.mark.parametrize(
    "change", [{"d_model": 32}, {"n_heads": 8}, {"n_layers": 2}, {"d_ff": 256}, {"norm": "post"}, {"tie_embeddings": "all"},
               {"src": "a dog"}, {"tgt": "un chien"}], ids=str,
)  # fmt: skip
def test_every_knob_that_changes_the_model_changes_the_picture(change):
    at = open_page("heads", part="Heads", kind="cross")
    before = figure(at, "heads")
    assert fine(turn(at, **change))
    assert figure(at, "heads").data != before.data


def test_colours_reach_to_1_or_to_the_largest_weight():
    stages = fresh(config(), 0)
    largest = stages["encoder.0.self_attn.weights"].max(axis=(1, 2))
    at = open_page("heads", part="Heads", kind="encoder", head=3)
    assert figure(at, "heads").layout["coloraxis"]["cmax"] == 1
    turn(at, scale="layer")
    assert figure(at, "heads").layout["coloraxis"]["cmax"] == pytest.approx(largest.max(), rel=1e-4)
    assert Cells(at, "head-large").data["top"] == pytest.approx(largest.max(), rel=1e-4)
    turn(at, scale="head")
    tops = [figure(at, "heads").layout[f"coloraxis{n}"]["cmax"] for n in ("", "2", "3", "4")]
    close(np.array(tops), largest)
    assert Cells(at, "head-large").data["top"] == pytest.approx(largest[3], rel=1e-4)


def test_a_head_is_described_by_its_strongest_link():
    at = open_page("heads", part="Heads", kind="encoder", head=1, **SENTENCES)
    weights = fresh(config(), 0, **SENTENCES)["encoder.0.self_attn.weights"][1]
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    words = SENTENCES["src"].split()
    assert f"“{query} {words[query]}” takes {weights.max():.0%} from “{key} {words[key]}”" in shown(at)


@kinds
def test_attention_shows_every_stage_of_one_head(kind):
    at = open_page("attention", kind=kind, layer=1, head=2, query=1, key=2, seed=5, **SIZES, **SENTENCES)
    assert fine(at)
    stages = {
        name.removeprefix(f"{SCOPES[kind]}."): value[2]
        for name, value in fresh(config(**SIZES), 5, **SENTENCES).items()
        if name.startswith(SCOPES[kind]) and value.ndim == 3
    }
    for name in "qkv":
        close(figure(at, f"vectors-{name.upper()}").cells[0], stages[name])
    cells = Cells(at, "weights")
    for name in ("v", "products", "scores", "weights", "context"):
        close(cells.stages[name], stages[name])
    np.testing.assert_array_equal(cells.allowed, np.isfinite(masked(stages["weights"], kind)))
    assert (cells.data["cell"], cells.data["join"], cells.data["rest"]) == ([1, 2], "times", 0.0)
    close(cells.stages["left"], stages["q"])
    close(cells.stages["right"], stages["k"])
    assert [step["name"] for step in cells.data["steps"]] == ["terms", "sum", "scale", "mask", "softmax", "context"]


@pytest.mark.parametrize(("pad_src", "pad_tgt"), [(0, 0), (2, 1), (3, 4)])
def test_b2_masks_are_those_of_the_padded_sentences(pad_src, pad_tgt):
    at = open_page("masks", pad_src=pad_src, pad_tgt=pad_tgt, kind="decoder", **SENTENCES)
    assert fine(at)
    src_open = np.array([True] * 6 + [False] * pad_src)
    tgt_open = np.array([True] * 4 + [False] * pad_tgt)  # the start token and three words
    n, m = len(src_open), len(tgt_open)
    lower = np.tri(m, dtype=bool)
    for i, open_ in enumerate((np.tile(src_open, (n, 1)), lower, lower & tgt_open, np.tile(src_open, (m, 1)))):
        np.testing.assert_array_equal(figure(at, f"mask-{i}").cells[0], np.where(open_, 1.0, np.nan))
    (weights,) = figure(at, "masked-weights").cells
    np.testing.assert_array_equal(np.isnan(weights), ~(lower & tgt_open))
    close(np.nansum(weights, axis=1), np.ones(m))
    (scores,) = figure(at, "masked-scores").cells
    np.testing.assert_array_equal(np.isnan(scores), ~(lower & tgt_open))


def test_e4_masks_page_says_what_the_model_is_given():
    at = open_page("masks", pad_src=1, pad_tgt=2, **SENTENCES)
    source, given, label = at.code[0].value.split("\n")
    src, tgt = (WORDS.encode(SENTENCES[name]) for name in ("src", "tgt"))

    def written(name: str, ids: list[int]) -> str:
        return f"{name:15}   " + "   ".join(
            f"{token}\N{NO-BREAK SPACE}{i}" for token, i in zip(WORDS.decode(ids), ids, strict=True)
        )

    assert source == written("source", [*src, 0])
    assert given == written("decoder's input", [WORDS.start, *tgt, 0, 0])
    assert label == written("label", [*tgt, WORDS.end, 0, 0])
    assert "4 of 6 labels count" in shown(at)


def test_a4_a_row_with_nothing_to_see_under_four_ways_to_block():
    (cells,) = figure(open_page("masks", part="Blocked rows"), "blocked").cells
    np.testing.assert_array_equal(cells, [[0.25] * 4, [np.nan] * 4, [0.0] * 4, [0.0] * 4])


@pytest.mark.parametrize(("rows", "columns", "k"), [(4, 3, -1), (4, 3, 0), (4, 3, 1), (8, 1, -3), (1, 8, 3)])
def test_a3_the_triangle(rows, columns, k):
    at = open_page("masks", part="The triangle", rows=rows, columns=columns, k=k)
    (cells,) = figure(at, "triangle").cells
    np.testing.assert_array_equal(cells, np.triu(np.ones((rows, columns)), k))


def test_a2_positions_are_those_of_the_paper():
    at = open_page("positions", base=100, positions=30, dimension=6, **SIZES)
    assert fine(at)
    place, i = np.ogrid[:30, :48]
    angle = place / 100.0 ** (i // 2 * 2 / 48)
    expected = np.where(i % 2 == 0, np.sin(angle), np.cos(angle))
    (table,) = figure(at, "encoding").cells
    np.testing.assert_allclose(table, expected, atol=1e-5)
    np.testing.assert_allclose(figure(at, "waves").lines, expected[:, 6:10].T, atol=1e-5)
    np.testing.assert_allclose(figure(at, "wavelengths").lines[0], 2 * np.pi * 100.0 ** (np.arange(0, 48, 2) / 48), rtol=1e-5)
    unit = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(figure(at, "similarity").cells[0], unit @ unit.T, atol=1e-5)


def test_d1_the_table_to_check_by_hand_is_that_of_the_notes():
    table = open_page("positions").dataframe[-1].value.to_numpy().T  # (dimension, position) as shown
    found = table if table.shape == (4, 6) else table.T
    np.testing.assert_allclose(found, sinusoidal_encoding(4, 6).numpy().round(3), atol=1e-6)
    assert found[2].tolist() == pytest.approx([0.909, -0.416, 0.093, 0.996, 0.004, 1.000], abs=6e-4)


def test_a1_what_enters_the_model_is_word_plus_position():
    at = open_page("positions", seed=5, **SIZES, **SENTENCES)
    stages = fresh(config(**SIZES), 5, **SENTENCES)
    scaled, positions, total = figure(at, "sum").cells
    n = len(stages["encoder.embedding.scaled"])
    for found, name in ((scaled, "scaled"), (positions, "positions"), (total, "sum")):
        close(found[:n], stages[f"encoder.embedding.{name}"][:, :32])
    assert not scaled[n].any()  # padding: a row of zeros
    lengths = figure(at, "norms").lines
    for found, name in zip(lengths, ("tokens", "scaled", "positions"), strict=True):
        close(found[:n], np.linalg.norm(stages[f"encoder.embedding.{name}"], axis=1))


def test_e2_shapes_are_those_of_the_forward_pass():
    at = open_page("shapes", layer=1, batch=3, **SIZES, **SENTENCES)
    assert fine(at)
    table = at.dataframe[0].value
    stages = stage_shapes(config(**SIZES), 3, 6, 4)
    expected = {stage.name: (str(stage.shape), "(" + ", ".join(stage.axes) + ")") for stage in stages}
    shown_stages = {row["stage"]: (row["numbers"], row["sides"]) for _, row in table.iterrows()}
    assert shown_stages.items() <= expected.items()
    assert [name for name in expected if name not in shown_stages] == [name for name in expected if ".0." in name]
    assert shown_stages["decoder.1.cross_attn.weights"] == ("(3, 3, 4, 6)", "(batch, head, query, key)")


def test_a_turned_knob_marks_the_shapes_that_changed():
    at = open_page("shapes", **SIZES)
    turn(at)
    assert not any(at.dataframe[0].value["changed"])
    turn(at, n_heads=6)
    marks = {row["stage"]: row["changed"] for _, row in at.dataframe[0].value.iterrows()}
    assert marks["encoder.0.self_attn.q"] == "●" and marks["encoder.0.self_attn.weights"] == "●"
    assert marks["memory" if "memory" in marks else "encoder.memory"] == ""


@pytest.mark.parametrize("changes", [{}, {"norm": "post"}, {"tie_embeddings": "output"}, {"tie_embeddings": "all"}], ids=str)
def test_e3_parameters_by_formula_are_those_of_the_model(changes):
    at = open_page("shapes", part="Parameters", **SIZES, **changes)
    assert fine(at)
    table = at.dataframe[0].value
    assert list(table["by formula"]) == list(table["counted"])
    model = Transformer(config(**SIZES, **changes), torch.Generator().manual_seed(0))
    total = sum(parameter.numel() for parameter in model.parameters())
    assert table["counted"].iloc[-1] == f"{total:,}"
    assert sum(int(n.replace(",", "")) for n in table["counted"][:-1]) == total
    assert at.metric[0].value == f"{total:,}"
    home = open_page("home", **SIZES, **changes)
    assert f"{total:,} parameters" in shown(home)


def test_home_draws_the_model_of_the_knobs():
    at = open_page("home", **SIZES, **SENTENCES)
    assert fine(at)
    (element,) = at.get("bidi_component")
    assert "(1, 6, 48)" in element.proto.json and "(1, 4, 48)" in element.proto.json
    assert f"source (1, 6, 48) → target (1, 4, 48) → words (1, 4, {len(WORDS)})" in shown(at)


@pytest.mark.parametrize(("src_len", "tgt_len"), [(1, 1), (128, 127), (13, 2)])
def test_lengths_are_those_asked_for(src_len, tgt_len):
    at = open_page("heads", part="Heads", input="lengths", src_len=src_len, tgt_len=tgt_len, kind="cross")
    assert fine(at)
    assert {cells.shape for cells in figure(at, "heads").cells} == {(tgt_len + 1, src_len)}
    assert Cells(at, "head-large").weights.shape == (tgt_len + 1, src_len)


def test_the_defaults_of_the_knobs_are_words_that_are_known():
    assert not WORDS.unknown_words(f"{Knobs().src} {Knobs().tgt}")
