"""Pins what the positions page says of its numbers, the ids that are typed there, and how positions carry to longer rows."""

import re

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
    array,
    close,
    config,
    figure,
    figures,
    fine,
    open_page,
    read_small,
    session_of,
    shown,
    told,
    turn,
    visit,
)
from transformer_core import CopyTask, Transformer, checkpoint, greedy_decode, sinusoidal_encoding

SRC = "the red cat sees the dog"


def model(seed=5, **changes):
    return Transformer(config(**SIZES, **changes), torch.Generator().manual_seed(seed)).eval()


def differences(at) -> list[float]:
    """How far the rows of another order differ, put back: without positions, and with the model's own."""
    said = re.findall(r"original order by (?:at most|up to) ([^,]+?)(?:, which|\.$)", shown(at), re.M)
    return [read_small(each) for each in said]


@pytest.mark.teaches(point="A1")
def test_rows_are_looked_up_by_word_and_by_id():
    at = open_page("positions", seed=5, src=SRC, **SIZES)
    assert "“\\<pad>”, is all zeros" in shown(at)
    turn(at, ids="7, 0 400")
    assert fine(at) and figure(at, "looked-up").data["live"]["choices"] == {"ids": [7, 0, 400]}
    _plain, scaled, _positions = figure(at, "norms").lines
    words = scaled[[0, 2]]  # padding is no word
    assert f"Without the factor it would be {words.mean() / np.sqrt(48):.2f} long" in shown(at)
    assert f"{words.mean():.2f} long when it is added to a position's, which is {np.sqrt(24):.2f} long" in shown(at)


@pytest.mark.teaches(point="A2")
@pytest.mark.parametrize("position", [0, 5, 23])
def test_a_pair_is_the_tip_of_a_hand_and_its_sine_alone_is_met_twice(position):
    at = open_page("positions", seed=5, hand=position, **SIZES)
    assert fine(at)
    table = sinusoidal_encoding(24, 48).numpy()
    drawn = figure(at, "clock").data
    assert [each["mode"] for each in drawn] == [
        "markers",
        "markers",
        "lines",
        "markers",
        "lines",
        "lines",
        "markers",
        "markers",
    ] * 3
    for i, pair in enumerate((0, 3, 6)):
        marks = [(array(each["x"]), array(each["y"])) for each in drawn[8 * i : 8 * i + 8]]
        dots, twin, hand, tip, wave_of_cosine, wave_of_sine, cosine_now, sine_now = marks
        middle, (sine, cosine) = hand[1][0], table[position, 2 * pair : 2 * pair + 2]
        close(dots[0], table[:, 2 * pair + 1])
        close(dots[1] - middle, table[:, 2 * pair])
        close(np.ravel(tip) - [0, middle], np.array([cosine, sine]))
        close(np.ravel(twin) - [0, middle], np.array([-cosine, sine]))
        close(wave_of_sine[1], dots[1])  # a position's height is the same on the dial and on the wave
        close(wave_of_cosine[1] - middle, dots[0])
        assert sine_now[0] == cosine_now[0] == wave_of_sine[0][position]
        close([sine_now[1][0] - middle, cosine_now[1][0] - middle], np.array([sine, cosine]))
    assert [each["name"] for each in drawn if each["showlegend"]] == [
        "cosine: how far to the right",
        "sine: the height of the tip",
    ]
    assert f"3 of 24 pairs at position {position}" in shown(at)


@pytest.mark.teaches(point="A1")
@pytest.mark.parametrize("kind", ["learned", "none"])
def test_embeddings_are_compared_with_what_is_added_to_them(kind):
    at = open_page("positions", seed=5, src=SRC, position=kind, **SIZES)
    assert fine(at)
    lengths = figure(at, "norms").lines
    assert len(lengths) == (3 if kind == "learned" else 2)
    added = "This model adds no positions" if kind == "none" else f"which is {lengths[2].mean():.2f} long"
    assert added in shown(at)


@pytest.mark.teaches(point="A1")
def test_padding_is_called_zeros_only_where_it_is():
    tied = model(tie_embeddings="all")
    with torch.no_grad():
        tied.src_embedding.table.weight[0] = 0.5
    stored = resources.model_store().add(checkpoint.to_bytes(tied))
    words = shown(open_page("positions", {"model": stored.id}))
    assert "is not zero here: with tied embeddings" in words and "all zeros" not in words


@pytest.mark.teaches(point="A1")
@pytest.mark.parametrize(
    ("ids", "part"),
    [("4 cat", "“cat” is not a token id"), ("99999", "99999"), ("-1", "-1"), ("5 " * 33, "33 ids"), ("1e3", "1e3")],
)
def test_ids_that_are_none_are_declined_in_one_sentence(ids, part):
    at = open_page("positions", src=SRC, ids=ids, **SIZES)
    assert part in told(at)
    assert figure(at, "looked-up").cells[0].shape == (7, 32)


@pytest.mark.teaches(point="D3")
def test_an_angle_is_written_out():
    at = open_page("positions", part="counters", base=100, **SIZES)
    assert fine(at) and f"3 * exp(-2 * 8 * ln(100) / 48) = {3 * 100 ** (-16 / 48):.6f}" in at.code[0].value


@pytest.mark.teaches(point="D2")
def test_how_far_the_rotation_is_from_the_positions_is_said():
    at = open_page("positions", part="counters", steps_on=7, block=6, **SIZES)
    assert fine(at) and 0 < read_small(at.metric[0].value) < 1e-6


@pytest.mark.teaches(point="C2")
@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_a_new_order_changes_rows_only_with_positions(kind):
    at = open_page("positions", part="no_positions", seed=5, src=SRC, reorder="swap", one=1, other=4, position=kind, **SIZES)
    assert fine(at)
    for name in ("moved-none", "moved-own"):
        assert figure(at, name).data["live"]["choices"] == {"order": [0, 4, 2, 3, 1, 5]}
    without, with_ = differences(at)
    assert without < 1e-5 and with_ > 0.1


@pytest.mark.teaches(point="C2")
def test_a_seed_shuffles_and_one_word_alone_stays():
    at = open_page("positions", part="no_positions", src=SRC, order_seed=3)
    first, second = at.code[0].value.split("\n")
    assert sorted(word.split()[1] for word in first.split("   ")) == sorted(word.split()[1] for word in second.split("   "))
    assert first != second
    turn(at, src="cat")
    assert fine(at)
    assert differences(at) == [0, 0]
    assert fine(turn(at, reorder="swap"))


@pytest.mark.teaches(point="C2")
def test_a_model_without_positions_is_drawn_once():
    at = open_page("positions", part="no_positions", position="none", src=SRC)
    assert fine(at)
    assert [each.id.rpartition("-moved-")[2] for each in figures(at) if "-moved-" in each.id] == ["none"]
    assert "has no positions either" in shown(at)


@pytest.mark.teaches(point="B3")
def test_a_table_of_learned_positions_is_called_the_model_s_own_or_random():
    own = resources.model_store().add(checkpoint.to_bytes(model(position="learned")))
    for link, said in (({"model": own.id}, "learned (this model"), ({}, "still random")):
        at = open_page("positions", link, part="no_positions")
        assert fine(at) and said in str(figure(at, "kinds").names)


@pytest.mark.teaches(point="B3")
def test_how_sinusoids_carry_to_longer_rows_is_measured():
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
