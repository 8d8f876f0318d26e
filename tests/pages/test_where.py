"""Pins the small map in the corner of pages: what of the model is lit on which page, and for which attention."""

import pytest

from tests.pages.helpers import PAGES, VIEWS, component, fine, open_page, turn


def lit(at) -> set[str]:
    return {box["part"] for box in component(at, "where")["boxes"] if box["highlighted"]}


def letters(at) -> dict[str, tuple[float, float]]:
    return {each["letter"]: (each["x"], each["y"]) for each in component(at, "where")["letters"]}


ALL = {"encoder.self_attn", "decoder.self_attn", "decoder.cross_attn"}
ONE = {"encoder": "encoder.self_attn", "decoder": "decoder.self_attn", "cross": "decoder.cross_attn"}
MASKS = {"encoder.mask", "decoder.mask"}


@pytest.mark.parametrize(
    ("page", "part", "parts"),
    [
        ("positions", "Words and waves", {"encoder.embedding", "decoder.embedding"}),
        ("masks", "Masks of this sentence", MASKS | {"decoder.self_attn"}),
        ("masks", "The triangle", MASKS),
        ("attention", "Why √d_k", {"decoder.self_attn"}),
        ("heads", "Heads", {"decoder.self_attn"}),
        ("heads", "What they cost", ALL),
        ("layers", "One word's way", {"encoder.self_attn", "encoder.feed_forward", "encoder.norm"}),
        ("layers", "Feed-forward", {"encoder.feed_forward"}),
        ("layers", "Follow K and V", {"decoder.cross_attn"}),
        ("norms", "Two norms", {"encoder.norm", "decoder.norm"}),
        ("shapes", "Shapes", set()),
        ("decoding", "Two lanes", {"decoder.linear", "decoder.softmax"}),
    ],
)
def test_what_a_page_is_about_is_lit(page, part, parts):
    at = open_page(page, part=part, kind="decoder")
    assert fine(at)
    assert lit(at) == parts
    assert bool(letters(at)) is (len(parts & ALL) == 1)


@pytest.mark.parametrize("kind", list(ONE))
def test_the_attention_that_is_chosen_is_lit_with_its_layer(kind):
    at = open_page("attention", n_layers=3, kind=kind, layer=2)
    assert lit(at) == {ONE[kind]}
    drawn = component(at, "where")
    labels = [frame["label"] for frame in drawn["frames"]]
    assert labels == (["encoder, layer 2", "decoder × 3"] if kind == "encoder" else ["encoder × 3", "decoder, layer 2"])
    (box,) = (box for box in drawn["boxes"] if box["highlighted"])
    name = {"encoder": "self-attention", "decoder": "masked self-attention", "cross": "cross-attention"}[kind]
    assert drawn["alt"] == f"Where this is in the model: {name}"
    found = letters(at)
    below = {letter for letter, (x, y) in found.items() if x > box["x"] and y > box["y"] + box["h"]}
    beside = {letter for letter, (x, _y) in found.items() if x < box["x"]}
    assert (below, beside) == (({"Q"}, {"K", "V"}) if kind == "cross" else ({"Q", "K", "V"}, set()))


def test_the_map_is_that_of_the_model_on_screen():
    at = open_page("heads")
    before = [box["part"] for box in component(at, "where")["boxes"]]
    turn(at, cross_attention=False, norm="post")
    after = [box["part"] for box in component(at, "where")["boxes"]]
    assert "decoder.cross_attn" in before and "decoder.cross_attn" not in after
    assert before.count("encoder.norm") == 5 and after.count("encoder.norm") == 2


@pytest.mark.parametrize("page", ["home", *(page for page in PAGES if page not in VIEWS)])
def test_pages_without_the_sidebars_model_have_no_map(page):
    assert not [each for each in open_page(page).get("bidi_component") if each.proto.id.endswith("-where")]


def test_nothing_is_left_of_the_page_before():
    at = open_page("attention", kind="cross")
    at.switch_page("../pages/positions.py").run()
    assert lit(at) == {"encoder.embedding", "decoder.embedding"}
