"""Pins the maps: the small one in the corner of pages, what it highlights, and where a click on either leads."""

import pytest

from explorer.components import model_map
from tests.pages.helpers import component, fine, go, open_page, session_of, turn, visit


def highlighted(at) -> set[str]:
    return {box["part"] for box in component(at, "where")["boxes"] if box["highlighted"]}


def letters(at) -> dict[str, tuple[float, float]]:
    return {each["letter"]: (each["x"], each["y"]) for each in component(at, "where")["letters"]}


ALL = {"encoder.self_attn", "decoder.self_attn", "decoder.cross_attn"}
ONE = {"encoder": "encoder.self_attn", "decoder": "decoder.self_attn", "cross": "decoder.cross_attn"}
MASKS = {"encoder.mask", "decoder.mask"}


@pytest.mark.parametrize(
    ("page", "part", "parts"),
    [
        ("positions", "words_and_waves", {"encoder.embedding", "decoder.embedding"}),
        ("masks", "sentence_masks", MASKS | {"decoder.self_attn"}),
        ("masks", "triangle", MASKS),
        ("attention", "why_scale", {"decoder.self_attn"}),
        ("heads", "side_by_side", {"decoder.self_attn"}),
        ("heads", "head_cost", ALL),
        ("layers", "residual_stream", {"encoder.self_attn", "encoder.feed_forward", "encoder.norm"}),
        ("layers", "feed_forward", {"encoder.feed_forward"}),
        ("layers", "keys_and_values", {"decoder.cross_attn"}),
        ("norms", "two_norms", {"encoder.norm", "decoder.norm"}),
        ("shapes", "stages", set()),
        ("decoding", "teacher_forcing", {"decoder.linear", "decoder.softmax"}),
    ],
)
def test_what_a_page_is_about_is_highlighted(page, part, parts):
    at = open_page(page, part=part, kind="decoder")
    assert fine(at)
    assert highlighted(at) == parts
    assert bool(letters(at)) is (len(parts & ALL) == 1)


@pytest.mark.parametrize("kind", list(ONE))
def test_the_attention_that_is_chosen_is_highlighted_with_its_layer(kind):
    at = open_page("attention", n_layers=3, kind=kind, layer=2)
    assert highlighted(at) == {ONE[kind]}
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


@pytest.mark.parametrize(
    ("cut", "parts"),
    [
        ("cross.0.1", {"decoder.cross_attn"}),
        ("src:1", {"encoder.self_attn", "decoder.cross_attn"}),
        ("encoder.0.feed_forward,decoder.all.all:0-0", {"encoder.feed_forward", "decoder.self_attn"}),
        ("cross.7.7", set()),
    ],
)
def test_what_is_cut_is_marked_on_every_page(cut, parts):
    at = open_page("heads", {"cut": cut})
    for page in ("heads", "masks"):
        drawn = component(go(at, page), "where")
        assert fine(at) and {box["part"] for box in drawn["boxes"] if box["cut"]} == parts
        assert ("Cut: " in drawn["alt"]) == bool(parts)


def test_the_map_is_that_of_the_model_on_screen():
    at = open_page("heads")
    before = [box["part"] for box in component(at, "where")["boxes"]]
    turn(at, cross_attention=False, norm="post")
    after = [box["part"] for box in component(at, "where")["boxes"]]
    assert "decoder.cross_attn" in before and "decoder.cross_attn" not in after
    assert before.count("encoder.norm") == 5 and after.count("encoder.norm") == 2


@pytest.mark.parametrize(
    "link",
    [
        {"task": "pronoun-en", "src": "the dog drank from the bowl until it was full"},
        {"step": "0", "d_model": "48", "n_heads": "3", "seed": "7"},
        {},
    ],
    ids=str,
)
@pytest.mark.parametrize(("page", "drawing"), [("home", "show"), ("masks", "show_small")])
def test_a_click_on_a_map_keeps_the_model_on_screen(page, drawing, link, monkeypatch):
    at = visit(link, page)
    assert fine(at)
    before, clicks = session_of(at).shown(), [{"page": "attention", "kind": "cross"}]
    drawn = getattr(model_map, drawing)

    def clicked(*given):
        drawn(*given)
        return clicks.pop() if clicks else None

    monkeypatch.setattr(model_map, drawing, clicked)
    turn(at)
    assert fine(at) and not clicks and at.title[0].value == "Attention, step by step"
    now = session_of(at).shown()
    assert (now.choice, now.src, now.tgt) == (before.choice, before.src, before.tgt)
    assert at.session_state["kind"] == "cross"
    assert {name: at.query_params[name] for name in link} == link
