"""Pins what the parts of the positions page show: rows looked up, angles, rotation, words reordered, kinds of positions."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer import resources
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.ui.format import share_words
from tests.pages.helpers import (
    SIZES,
    WORDS,
    array,
    close,
    config,
    figure,
    figures,
    fine,
    open_page,
    session_of,
    shown,
    told,
    turn,
    visit,
)
from transformer_core import CopyTask, Transformer, checkpoint, greedy_decode, sinusoidal_encoding

SRC = "the red cat sees the dog"
IDS = WORDS.encode(SRC)


def model(seed=5, **changes):
    return Transformer(config(**SIZES, **changes), torch.Generator().manual_seed(seed)).eval()


def number(said: str) -> float:
    """What `ui.format.small` says, 7 × 10⁻⁷, as a number."""
    return float(said.replace(" × 10", "e").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


def differences(at) -> list[float]:
    """How far the rows of another order differ, put back: without positions, and with the model's own."""
    said = re.findall(r"original order by (?:at most|up to) ([^,]+?)(?:, which|\.$)", shown(at), re.M)
    return [number(each) for each in said]


def test_a1_rows_are_looked_up_by_word_and_by_id():
    at = open_page("positions", seed=5, src=SRC, **SIZES)
    table = model().src_embedding.table.weight.detach().numpy()
    (rows,) = figure(at, "looked-up").cells
    close(rows, table[[*IDS, 0]][:, :32])
    assert not rows[-1].any() and rows[:-1].any(axis=1).all()
    assert "“\\<pad>”, is all zeros" in shown(at)
    turn(at, ids="7, 0 400")
    assert fine(at)
    close(figure(at, "looked-up").cells[0], table[[7, 0, 400]][:, :32])
    lengths = figure(at, "norms").lines
    close(lengths[0], np.linalg.norm(table[[7, 0, 400]], axis=1))
    close(lengths[1], np.linalg.norm(table[[7, 0, 400]], axis=1) * np.sqrt(48))
    close(lengths[2], np.full(3, np.sqrt(24)))
    words = lengths[1][[0, 2]]  # padding is no word
    assert f"Without the factor it would be {words.mean() / np.sqrt(48):.2f} long" in shown(at)
    assert f"{words.mean():.2f} long when it is added to a position's, which is {np.sqrt(24):.2f} long" in shown(at)


@pytest.mark.parametrize("position", [0, 5, 23])
def test_a2_a_pair_is_the_tip_of_a_hand_and_its_sine_alone_is_met_twice(position):
    at = open_page("positions", seed=5, hand=position, **SIZES)
    assert fine(at)
    table = sinusoidal_encoding(24, 48).numpy()
    drawn = figure(at, "clock").data
    assert [each["mode"] for each in drawn] == ["markers", "markers", "lines", "markers"] * 3
    for i, pair in enumerate((0, 3, 6)):
        dots, twin, hand, tip = ((array(each["x"]), array(each["y"])) for each in drawn[4 * i : 4 * i + 4])
        centre, (sine, cosine) = hand[0][0], table[position, 2 * pair : 2 * pair + 2]
        close(dots[0] - centre, table[:, 2 * pair + 1])
        close(dots[1], table[:, 2 * pair])
        close(np.ravel(tip) - [centre, 0], np.array([cosine, sine]))
        close(np.ravel(twin) - [centre, 0], np.array([-cosine, sine]))
    assert f"the hands of position {position}, of 3 of the 24 pairs" in shown(at)


@pytest.mark.parametrize("kind", ["learned", "none"])
def test_a1_embeddings_are_compared_with_what_is_added_to_them(kind):
    at = open_page("positions", seed=5, src=SRC, position=kind, **SIZES)
    assert fine(at)
    lengths = figure(at, "norms").lines
    assert len(lengths) == (3 if kind == "learned" else 2)
    added = "This model adds no positions" if kind == "none" else f"which is {lengths[2].mean():.2f} long"
    assert added in shown(at)


def test_a1_padding_is_called_zeros_only_where_it_is():
    tied = model(tie_embeddings="all")
    with torch.no_grad():
        tied.src_embedding.table.weight[0] = 0.5
    stored = resources.model_store().add(checkpoint.to_bytes(tied))
    words = shown(open_page("positions", {"model": stored.id}))
    assert "is not zero here: with tied embeddings" in words and "all zeros" not in words


@pytest.mark.parametrize(
    ("ids", "part"),
    [("4 cat", "“cat” is not a token id"), ("99999", "99999"), ("-1", "-1"), ("5 " * 33, "33 ids"), ("1e3", "1e3")],
)
def test_a1_ids_that_are_none_are_declined_in_one_sentence(ids, part):
    at = open_page("positions", src=SRC, ids=ids, **SIZES)
    assert part in told(at)
    assert figure(at, "looked-up").cells[0].shape == (7, 32)


def test_a2_the_picture_of_textbooks_is_within_reach():
    at = open_page("positions", part="waves", width="20", wave_positions=100, dimension=4, **SIZES)
    table = sinusoidal_encoding(100, 20).numpy()
    close(figure(at, "waves").lines, table[:, 4:8].T)
    assert figure(at, "encoding").cells[0].shape == (100, 20)
    assert [trace["name"] for trace in figure(at, "waves").data] == [f"dimension {i}" for i in (4, 5, 6, 7)]


def test_d3_the_angles_are_positions_times_frequencies():
    at = open_page("positions", part="counters", base=100, **SIZES)
    assert fine(at)
    (cells,) = figure(at, "angles").cells
    close(cells, np.arange(16)[:, None] / 100 ** (2 * np.arange(16) / 48))
    assert f"3 * exp(-2 * 8 * ln(100) / 48) = {3 * 100 ** (-16 / 48):.6f}" in at.code[0].value


def test_d2_counters_in_digits_and_in_waves_stand_side_by_side():
    at = open_page("positions", part="counters", base=1000)
    (digits,), (waves,) = figure(at, "binary").cells, figure(at, "counter").cells
    np.testing.assert_array_equal(digits @ [1, 2, 4, 8], np.arange(16))
    close(waves, np.sin(np.arange(16)[:, None] / 1000 ** (np.arange(0, 8, 2) / 8)))


def test_d2_the_rotation_takes_every_position_k_on():
    at = open_page("positions", part="counters", steps_on=7, block=6, **SIZES)
    assert fine(at)
    here, turned, there = figure(at, "turned").cells
    (matrix,) = figure(at, "rotation").cells
    table = sinusoidal_encoding(19, 48).numpy()
    close(here, table[:12, :6])
    close(there, table[7:19, :6])
    close(turned, there)
    close(here @ matrix.T, there)  # the blocks shown do not mix with those that are not
    assert 0 < number(at.metric[0].value) < 1e-6


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_c2_a_new_order_moves_the_rows_of_the_output_and_changes_them_only_with_positions(kind):
    at = open_page("positions", part="no_positions", seed=5, src=SRC, reorder="swap", one=1, other=4, position=kind, **SIZES)
    assert fine(at)
    order = [0, 4, 2, 3, 1, 5]
    own = model(position=kind)
    bare = Transformer(replace(own.cfg, position="none"), torch.Generator().manual_seed(0)).eval()
    bare.load_state_dict({name: value for name, value in own.state_dict().items() if not name.endswith("positions")})
    for name, each in (("moved-none", bare), ("moved-own", own)):
        with torch.no_grad():
            plain, moved = (each.encode(torch.tensor([ids]))[0, :, :24].numpy() for ids in (IDS, [IDS[i] for i in order]))
        for found, expected in zip(figure(at, name).cells, (plain, moved, moved[order]), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    without, with_ = differences(at)
    assert without < 1e-5 and with_ > 0.1


def test_c2_a_seed_shuffles_and_one_word_alone_stays():
    at = open_page("positions", part="no_positions", src=SRC, order_seed=3)
    first, second = at.code[0].value.split("\n")
    assert sorted(word.split()[1] for word in first.split("   ")) == sorted(word.split()[1] for word in second.split("   "))
    assert first != second
    turn(at, src="cat")
    assert fine(at)
    assert differences(at) == [0, 0]
    assert fine(turn(at, reorder="swap"))


def test_c2_a_model_without_positions_is_drawn_once():
    at = open_page("positions", part="no_positions", position="none", src=SRC)
    assert fine(at)
    assert [each.id.rpartition("-moved-")[2] for each in figures(at) if "-moved-" in each.id] == ["none"]
    assert "has no positions either" in shown(at)


def test_b3_three_tables_and_how_alike_their_positions_are():
    at = open_page("positions", part="no_positions", seed=5, places=9, **SIZES)
    assert fine(at)
    sines, learned, none = figure(at, "kinds").cells
    start = model(position="learned").src_embedding.positions.detach().numpy()
    close(sines, sinusoidal_encoding(9, 48).numpy()[:, :24])
    close(learned, start[:9, :24])
    assert none.shape == (9, 24) and not none.any()
    alike = figure(at, "kinds-alike").cells
    unit = start[:9] / np.linalg.norm(start[:9], axis=1, keepdims=True)
    close(alike[1], unit @ unit.T)
    assert np.isnan(alike[2]).all()
    assert "still random" in str(figure(at, "kinds").names)


def test_b3_a_trained_table_is_shown_as_the_model_s_own():
    stored_model = model(position="learned", seed=2)
    torch.nn.init.normal_(stored_model.src_embedding.positions, generator=torch.Generator().manual_seed(3))
    stored = resources.model_store().add(checkpoint.to_bytes(stored_model))
    at = open_page("positions", {"model": stored.id}, part="no_positions", places=5)
    assert fine(at)
    close(figure(at, "kinds").cells[1], stored_model.src_embedding.positions.detach().numpy()[:5, :24])
    assert "learned (this model" in str(figure(at, "kinds").names)


def test_b3_how_sinusoids_carry_to_longer_rows_is_measured():
    at = visit({"part": "no_positions"}, "positions")
    at.button(key="longer-copy").click().run()
    assert session_of(at).settings == of_task("copy")
    longer = figure(at, "longer")
    exact = dict(zip(longer.layout["xaxis"]["ticktext"], longer.lines[0].tolist(), strict=True))
    rows = CopyTask(length=12).batch(100, torch.Generator().manual_seed(0), held_out=True).src
    copied = greedy_decode(model_of(show_model(of_task("copy")).choice), rows, 1, 11)
    assert exact["12"] == pytest.approx((copied == rows).all(dim=1).float().mean().item())
    assert f"10: {share_words(exact['10'], 100)}, " in shown(at) and f"14: {share_words(exact['14'], 100)};" in shown(at)
    assert exact["10"] > 0.9 > 0.1 > exact["14"]
