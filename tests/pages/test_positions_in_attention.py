"""Pins that every page follows rotary positions and ALiBi, and what Positions says of them and of longer rows."""

import numpy as np
import pytest

from tests.pages.helpers import (
    VIEWS,
    base,
    complaints,
    figure,
    fine,
    open_page,
    session_of,
    shown,
    tour,
    turn,
    visit,
)
from tests.pages.test_live_pictures import asked, drawn, same_numbers
from transformer_core.analysis.longer_rows import TRAINED, measured

KINDS = pytest.mark.parametrize("kind", ["rotary", "alibi"])


@KINDS
@pytest.mark.slow
def test_every_part_is_drawn_and_its_pictures_follow_the_knobs(kind):
    at = visit(base({"position": kind, "cross_position": "on"}), more_settings=True)
    seen = 0
    for page, part in tour(at, VIEWS):
        assert not complaints(at), (page, part, complaints(at))
        if page == "training":
            continue
        for data in drawn(at).values():
            (found,) = asked(session_of(at).on_screen, "choices", data["live"])["pictures"]
            same_numbers(found, data)
            seen += 1
    assert seen > 30


@KINDS
def test_the_arithmetic_of_a_cell_names_what_positions_do(kind):
    at = open_page("attention", position=kind, cross_position=True)
    words = str([component.proto for component in at.get("bidi_component")])
    assert ("turned pair by pair" in words) == (kind == "rotary") and ("apart (ALiBi)" in words) == (kind == "alibi")
    assert ("q and k are turned" in shown(at)) == (kind == "rotary") and ("times the slope" in shown(at)) == (kind == "alibi")


def test_in_cross_attention_is_offered_where_it_means_something():
    def offered(**settings):
        at = open_page("positions", more_settings=True, **settings)
        return any(each.key == "cross_position" for each in at.button_group)

    assert offered(position="rotary") and offered(position="alibi")
    assert not offered(position="learned") and not offered(position="rotary", cross_attention=False)


@KINDS
def test_what_they_do_to_a_score_is_drawn(kind):
    at = open_page("positions", part="in_attention", relative=kind, position=kind, d_model=48, n_heads=4)
    if kind == "alibi":
        np.testing.assert_allclose(figure(at, "lowered").lines[1], -np.arange(31) / 16, rtol=1e-6)
        assert "head 0 adds −2.5, and the last head −0.039" in shown(at)
    else:
        assert f"product {np.cos(2):.2f}".replace("-", "−") in alt(at) and "query at position 7, key at position 5" in alt(at)
        both, fast, *_ = figure(at, "what-remains").lines
        np.testing.assert_allclose(fast, np.cos(np.arange(31)), rtol=1e-5, atol=1e-6)
        assert both[0] == 1 and figure(at, "rotary-angles")
    assert not any(each.key == f"open-{kind}" for each in at.button)


def alt(at):
    return figure(at, "turned-pairs").alt


def test_moving_both_words_turns_both_arrows_and_keeps_all_between_them():
    at = open_page("positions", part="in_attention")
    before = alt(at)
    arrows = [np.diff(line) for line in figure(at, "turned-pairs").lines]
    turn(at, turn_both=13)
    assert alt(at) == before.replace("position 7", "position 15").replace("position 5", "position 13")
    assert not np.allclose(np.concatenate(arrows), np.concatenate([np.diff(line) for line in figure(at, "turned-pairs").lines]))
    turn(at, turn_query=3)
    assert f"product {np.cos(3):.2f}".replace("-", "−") in alt(at) and "position 16, key at position 13" in alt(at)


@pytest.mark.parametrize(("d_model", "n_heads"), [(8, 4), (8, 2), (88, 8), (512, 8)])
def test_heads_with_few_pairs_or_many_are_drawn(d_model, n_heads):
    at = open_page("positions", part="in_attention", d_model=d_model, n_heads=n_heads)
    assert fine(at) and alt(at).count("between them") == min(3, d_model // n_heads // 2)
    pairs = d_model // n_heads // 2
    assert ("1 pair alone: " if pairs == 1 else f"all {pairs} pairs, drawn or not: ") in alt(at)


def test_a_model_with_these_positions_is_one_press_away():
    at = open_page("positions", part="in_attention")
    at.button(key="open-rotary").click().run()
    assert fine(at) and session_of(at).settings.position == "rotary"


# --- Beyond the trained length. -----------------------------------------------------------------------------------------


def mean(task, stacks, position, cross=False):
    """The mean share of whole rows right, by length."""
    rows = [
        each.rows
        for each in measured()
        if (each.task, each.stacks, each.position, each.cross_position) == (task, stacks, position, cross)
    ]
    assert len(rows) >= 5
    return np.mean(rows, axis=0)


def test_lengths_beyond_training_are_drawn_once_they_are_asked_for():
    at = open_page("positions", part="trained_length")
    assert len(figure(at, "beyond-trained").lines[0]) == len(TRAINED)
    at = open_page("positions", part="trained_length", longer_until="asked")
    lines = figure(at, "beyond-trained").lines
    np.testing.assert_allclose(lines[3], mean("copy", "both", "rotary", True), atol=1e-6)
    np.testing.assert_allclose(lines[0], mean("copy", "both", "sinusoidal"), atol=1e-6)
    longer = mean("copy", "both", "rotary", True)[len(TRAINED) :].mean()
    assert f"Furthest: **rotary**, {longer:.0%} of all longer rows" in shown(at)


def test_a_decoder_alone_has_no_cross_attention_to_choose():
    at = open_page("positions", part="trained_length", longer_task="alone", longer_until="asked")
    assert fine(at) and not any(each.key == "longer_cross" for each in at.button_group)
    np.testing.assert_allclose(figure(at, "beyond-trained").lines[4], mean("copy", "decoder", "alibi"), atol=1e-6)
    assert "Furthest: **ALiBi**" in shown(at)


def test_what_is_said_beside_the_literature_is_what_was_measured():
    """None learned each task worst; ALiBi went furthest in the decoder alone only, with less right than of trained lengths."""
    trained, first = slice(0, len(TRAINED)), len(TRAINED)
    for task, stacks, cross in (("copy", "both", True), ("copy", "both", False), ("reverse", "both", True),
                                ("reverse", "both", False), ("copy", "decoder", False)):  # fmt: skip
        kinds = {name: mean(task, stacks, name) for name in ("sinusoidal", "learned", "none")}
        kinds |= {name: mean(task, stacks, name, cross) for name in ("rotary", "alibi")}
        assert min(kinds, key=lambda name: kinds[name][trained].mean()) == "none", (task, stacks)
        furthest = max(kinds, key=lambda name: kinds[name][first:].mean())
        assert (furthest == "alibi") == (stacks == "decoder"), (task, stacks, furthest)
    alone = mean("copy", "decoder", "alibi")
    assert alone[first:].max() < alone[trained].min()
