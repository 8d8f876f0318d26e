"""Pins that every page of the sidebar's model follows a decoder alone: one stack, one attention, and no word of a source."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from explorer import resources
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.sources import reader_of, with_length
from tests.pages.helpers import (
    VIEWS,
    attention_view,
    complaints,
    component,
    fine,
    learned_file,
    matrices,
    session_of,
    shown,
    told,
    tour,
    visit,
)
from tests.pages.test_live_pictures import asked, drawn, same_numbers
from transformer_core import Transformer, checkpoint
from transformer_core.data.tasks import RepeatTask

TASK = {"task": "repeat"}
TEXT = "T B H K D Q A F K D Q A"
ELSEWHERE = re.compile(r"encoder|\bsource|cross-attention|translat|\bmemory\b", re.IGNORECASE)
SPOKEN_OF = {  # sentences about other models, or about all of them
    "Only the decoder has the causal mask",  # the opening of the page Masks
    "Where every word may look everywhere, as in an encoder",
    "one matrix as source embedding, target embedding and output",  # the five lines of textbooks
    "torch.nn.TransformerEncoder",
    "an encoder of 12 layers",
    "of an encoder of width 32",
    "It has no encoder: it is a decoder alone",
}


def words(at: Any) -> Iterator[str]:
    """The words on screen: texts, and the labels and helps of controls with their options."""
    yield from shown(at).split("\n")
    for control in (*at.selectbox, *at.slider, *at.select_slider, *at.button, *at.text_input, *at.button_group, *at.metric):
        yield from (getattr(control.proto, "label", ""), getattr(control.proto, "help", ""))
    yield from (option for group in at.button_group for option in group.options)


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param({}, id="learned"),
        pytest.param(
            {"step": "0", "d_model": "32", "n_heads": "2", "n_layers": "1", "norm": "post"}, id="begun", marks=pytest.mark.slow
        ),
    ],
)
def test_every_part_is_drawn_without_a_word_of_a_source_and_its_pictures_follow_the_knobs(sizes):
    at = visit(TASK | sizes, more_settings=True)
    pictures = set()
    for page, part in tour(at, VIEWS):
        if page == "training":
            continue
        assert not complaints(at), (page, part, complaints(at))
        others = [each for each in words(at) if ELSEWHERE.search(each) and not any(said in each for said in SPOKEN_OF)]
        assert not others, (page, part, others)
        for data in drawn(at).values():
            pictures.add(data["live"]["picture"])
            (found,) = asked(session_of(at).on_screen, "choices", data["live"])["pictures"]
            same_numbers(found, data)
    assert {"lines", "erasure", "erasure-attention", "rollout", "moved-none", "mask", "dropout-before", "blocks"} <= pictures


def test_there_is_one_attention_one_stack_and_no_setting_of_an_encoder():
    at = visit(TASK, "heads", more_settings=True)
    keys = {each.key for each in (*at.button_group, *at.selectbox, *at.slider, *at.select_slider, *at.text_input)}
    assert not {"kind", "stack", "cross_attention", "src_len", "tgt_max_len--typed"} & keys
    assert {"layer", "causal", "numbers"} <= keys
    (tied,) = (each for each in at.button_group if each.key == "tie_embeddings")
    assert tied.options == ["none", "output"]
    view = attention_view(at)
    assert view["weights"].shape == (1, 13, 13) and view["valid"].sum() == 13 * 14 / 2  # the start token, and twelve letters
    go_to_layers = visit(TASK | {"stack": "encoder"}, "layers")
    assert fine(go_to_layers) and "stack" not in {each.key for each in go_to_layers.button_group}


def test_the_map_is_one_column_and_has_no_cross_attention():
    at = visit(TASK, "attention")
    drawn_map = component(at, "where")
    assert len(drawn_map["frames"]) == 1 and drawn_map["frames"][0]["label"] == "decoder, layer 1"
    assert {box["part"].split(".")[0] for box in drawn_map["boxes"]} == {"decoder"}
    assert [each["letter"] for each in drawn_map["letters"]] == ["Q", "K", "V"]


@pytest.mark.parametrize(
    ("cut", "name"),
    [
        ("decoder.1.0", "decoder · layer 1 · head 0"),
        ("decoder.1.0:12-8", "decoder · layer 1 · head 0: F → F"),
        ("tgt:8", "the word F"),
        ("decoder.0.self_attn", "decoder · layer 0 · all of it"),
    ],
)
def test_heads_links_words_and_parts_are_cut_and_what_follows_is_another(cut, name):
    at = visit(TASK | {"cut": cut}, "heads")
    assert fine(at)
    (undo,) = (each.label for each in at.button if each.key == "uncut-0")
    assert undo.startswith(name)
    answers = component(at, "cut-answer")
    assert answers["before"] == "F K D Q A F K D" and answers["after"] != answers["before"]
    assert "before the changes" in shown(at)


def test_all_its_heads_are_those_of_its_decoder():
    at = visit(TASK | {"part": "every_head", "cut": "decoder.1.0"}, "heads")
    assert fine(at)
    (drawn,) = matrices(at)
    assert drawn.id.endswith("-every-head-decoder") and drawn.data["crossed"] == [drawn.data["wide"]]
    assert f"of {len(drawn.names)} heads" in shown(at)


def test_a_cut_of_what_there_is_not_is_none():
    at = visit(TASK | {"cut": "cross.0.0,encoder.0.0,src:0"}, "heads")
    assert fine(at) and "uncut-0" not in {each.key for each in at.button}


@pytest.mark.parametrize(
    ("typed", "says"), [("", "type at least one word"), ("T B 7", "“7” is not among"), ("T " * 200, "up to 128 can be shown")]
)
@pytest.mark.parametrize("page", ["heads", "decoding", "what_matters", "positions"])
def test_what_cannot_be_read_is_told_in_one_sentence(page, typed, says):
    assert says in told(visit(TASK | {"numbers": typed}, page))


def test_a_word_left_out_costs_those_that_come_after_it_and_the_newest_cannot_be_hidden():
    at = visit(TASK | {"part": "without_a_word"}, "what_matters")
    worth, attention = (each.cells[0] for each in matrices(at))
    hidden = np.tri(13, k=-1, dtype=bool)
    assert (np.isfinite(worth) == hidden).all() and (np.isfinite(attention) == hidden).all()
    costly = {*np.nan_to_num(worth[12], nan=0).argsort()[-2:].tolist()}
    assert costly == {7, 8}, "without the first A, or the F behind it, nothing says that F comes behind the second"


def test_swapping_a_word_of_the_text_is_undone_by_its_own_vector_and_then_by_that_of_the_last():
    at = visit(TASK | {"part": "swap_and_patch"}, "what_matters")
    assert fine(at)
    (patches,) = (each for each in matrices(at) if each.id.endswith("patch-decoder"))
    shares, (swapped,) = patches.cells[0], [at for at, word in enumerate(patches.columns) if " / " in word]
    assert patches.rows == ["embedding", "after layer 0", "after layer 1"] and swapped in (7, 8)  # the first A, the F behind it
    np.testing.assert_allclose(shares[0, swapped], 1, atol=1e-4)  # all that differs
    np.testing.assert_allclose(shares[2, -1], 1, atol=1e-4)  # all that the next word is computed from
    np.testing.assert_allclose(shares[:, :swapped], 0, atol=1e-4)  # what stands before it sees nothing of it


def test_another_length_is_another_text_of_that_length():
    longer = with_length(of_task("repeat"), 17)
    at = visit(TASK | {"numbers": longer.numbers}, "heads")
    assert fine(at) and attention_view(at)["weights"].shape[1] == 18
    assert reader_of(longer).has_source is False


@pytest.mark.slow
def test_a_model_from_a_file_is_on_all_pages_and_so_is_one_whose_task_is_unknown():
    task = RepeatTask()
    cfg = of_task("repeat").config(task.vocab)
    nets = {step: Transformer(cfg, torch.Generator().manual_seed(step)) for step in (10, 20)}
    for model in (learned_file(task, nets), resources.model_store().add(checkpoint.to_bytes(nets[20])).id):
        at = visit({"model": model}, more_settings=True)
        for page, part in tour(at, [page for page in VIEWS if page not in ("training", "compare", "next_word")]):
            assert not complaints(at), (page, part, complaints(at))
