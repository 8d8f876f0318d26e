"""Pins the drawing of the whole model: the right parts in the right order, apart from each other, with the right shapes."""

import re
from typing import Any

import pytest

from explorer.components.model_map import drawing
from explorer.components.model_map.component import small_drawing
from explorer.ui.navigation import CONTENTS
from transformer_core import TransformerConfig
from transformer_core.model.stages import ATTENTION_KINDS

SRC, TGT = 13, 9


def config(**changes: Any) -> TransformerConfig:
    sizes: dict[str, Any] = {"src_vocab": 23, "tgt_vocab": 29, "d_model": 66, "n_heads": 3, "d_ff": 77, "n_layers": 5}
    return TransformerConfig(**(sizes | changes))


ARRANGEMENTS = {
    "post": config(norm="post"),
    "pre": config(norm="pre"),
    "post with a final norm": config(norm="post", final_norm=True),
    "pre without a final norm": config(norm="pre", final_norm=False),
}
every_arrangement = pytest.mark.parametrize("cfg", ARRANGEMENTS.values(), ids=ARRANGEMENTS.keys())


def columns(cfg: TransformerConfig) -> tuple[list[dict], list[dict]]:
    """The boxes of the encoder and of the decoder, from bottom to top."""
    boxes = [box for box in drawing(cfg, SRC, TGT)["boxes"] if box["tone"] != "chip"]
    middles = sorted({box["x"] + box["w"] / 2 for box in boxes})
    assert len(middles) == 2
    left, right = ([box for box in boxes if box["x"] + box["w"] / 2 == middle] for middle in middles)
    return sorted(left, key=lambda box: -box["y"]), sorted(right, key=lambda box: -box["y"])


def sublayer(norm: str, part: str) -> list[str]:
    return ["norm", part, "add"] if norm == "pre" else [part, "add & norm"]


@every_arrangement
def test_the_parts_are_those_of_the_model_in_order(cfg):
    final = ["norm"] if cfg.has_final_norm else []
    encoder, decoder = ([box["label"] for box in column] for column in columns(cfg))
    assert encoder == [
        "source",
        "embedding + position",
        *sublayer(cfg.norm, "self-attention"),
        *sublayer(cfg.norm, "feed-forward"),
        *final,
    ]
    assert decoder == [
        "target so far",
        "embedding + position",
        *sublayer(cfg.norm, "masked self-attention"),
        *sublayer(cfg.norm, "cross-attention"),
        *sublayer(cfg.norm, "feed-forward"),
        *final,
        "linear",
        "softmax",
    ]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_what_is_switched_off_is_not_drawn(norm):
    cfg = config(norm=norm, cross_attention=False, residual=False, causal=False, position="none")
    drawn = drawing(cfg, SRC, TGT)
    labels = [box["label"] for box in drawn["boxes"]]
    assert "embedding" in labels
    assert not {"cross-attention", "masked self-attention", "add", "add & norm", "embedding + position"} & set(labels)
    assert {line["tone"] for line in drawn["lines"]} == {"flow"}
    assert any("not used" in shape["text"] for shape in drawn["shapes"])
    assert "embedding + learned position" in [b["label"] for b in drawing(config(position="learned"), SRC, TGT)["boxes"]]


def overlap(a: dict, b: dict) -> bool:
    return a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]


@every_arrangement
def test_boxes_lie_apart(cfg):
    boxes = drawing(cfg, SRC, TGT)["boxes"]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            chips = {a["tone"], b["tone"]} & {"chip"}
            assert not overlap(a, b) or chips, (a["label"], b["label"])


@every_arrangement
def test_every_attention_has_a_mask_at_its_corner_and_nothing_else_has(cfg):
    boxes = drawing(cfg, SRC, TGT)["boxes"]
    chips = [box for box in boxes if box["tone"] == "chip"]
    carriers = [[box["label"] for box in boxes if box is not chip and overlap(chip, box)] for chip in chips]
    assert sorted(carriers) == [["cross-attention"], ["masked self-attention"], ["self-attention"]]
    for chip in chips:
        (carrier,) = (box for box in boxes if box is not chip and overlap(chip, box))
        at_left = chip["x"] + chip["w"] < carrier["x"] + carrier["w"] / 4  # clear of the words in the middle
        assert at_left or chip["x"] > carrier["x"] + 3 * carrier["w"] / 4
        assert at_left == (carrier["label"] != "cross-attention"), "the encoder's lines come in at its left"


def points(path: str) -> list[tuple[float, float]]:
    """The corners of a path of M, H and V."""
    x = y = 0.0
    found = []
    for step, numbers in re.findall(r"([MHV])([-\d.,]+)", path):
        if step == "M":
            x, y = map(float, numbers.split(","))
        elif step == "H":
            x = float(numbers)
        else:
            y = float(numbers)
        found.append((x, y))
    return found


@every_arrangement
def test_everything_lies_inside_the_picture(cfg):
    drawn = drawing(cfg, SRC, TGT)
    for box in (*drawn["boxes"], *drawn["frames"]):
        assert box["x"] >= 0 and box["x"] + box["w"] <= drawn["width"]
        assert box["y"] >= 0 and box["y"] + box["h"] <= drawn["height"]
        assert box["w"] > 0 and box["h"] > 0
    for x, y in (point for line in drawn["lines"] for point in points(line["d"])):
        assert 0 <= x <= drawn["width"] and 0 <= y <= drawn["height"]
    for shape in drawn["shapes"]:
        assert 0 <= shape["x"] <= drawn["width"] and 0 < shape["y"] <= drawn["height"]


@every_arrangement
def test_a_frame_holds_the_layer_that_is_repeated_and_nothing_else(cfg):
    drawn = drawing(cfg, SRC, TGT)
    assert [frame["label"] for frame in drawn["frames"]] == ["encoder × 5", "decoder × 5"]
    assert not overlap(*drawn["frames"])
    inside_layers = {"norm", "add", "add & norm", "self-attention", "masked self-attention", "cross-attention", "feed-forward"}
    for frame, column in zip(drawn["frames"], columns(cfg), strict=True):
        inside = [box["label"] for box in column if overlap(frame, box)]
        repeated = [box["label"] for box in column if box["label"] in inside_layers]
        assert inside == (repeated[:-1] if cfg.has_final_norm else repeated)
        for box in column:
            if overlap(frame, box):
                assert frame["y"] + 18 < box["y"] and box["y"] + box["h"] < frame["y"] + frame["h"]  # below the frame's title
                assert frame["x"] < box["x"] and box["x"] + box["w"] < frame["x"] + frame["w"]


@every_arrangement
def test_every_part_leads_to_a_page_that_is_there(cfg):
    boxes = drawing(cfg, SRC, TGT)["boxes"]
    for box in boxes:
        if box["tone"] == "plain":
            assert "target" not in box
        else:
            assert box["target"]["page"] in CONTENTS
            assert box["target"]["kind"] in (*ATTENTION_KINDS, "")
            assert box["name"].startswith(box["label"])
    kinds = {box["label"]: box["target"]["kind"] for box in boxes if box.get("target", {}).get("kind")}
    assert kinds == {"self-attention": "encoder", "masked self-attention": "decoder", "cross-attention": "cross"}


@every_arrangement
def test_the_shapes_are_those_of_the_model(cfg):
    shapes = [shape["text"] for shape in drawing(cfg, SRC, TGT)["shapes"]]
    assert sorted(shapes) == sorted(["(1, 13, 66)", "(1, 9, 66)", "memory (1, 13, 66)", "(1, 9, 66)", "(1, 9, 29)"])
    notes = {box["label"]: box["note"] for column in columns(cfg) for box in column if box["note"]}
    assert notes["self-attention"] == notes["cross-attention"] == notes["masked self-attention"] == "3 heads · d_k 22"
    assert notes["feed-forward"] == "66 → 77 → 66"


@every_arrangement
def test_the_memory_goes_from_the_top_of_the_encoder_to_the_side_of_cross_attention(cfg):
    drawn = drawing(cfg, SRC, TGT)
    (memory,) = (line for line in drawn["lines"] if line["tone"] == "memory")
    encoder, decoder = columns(cfg)
    (cross,) = (box for box in decoder if box["label"] == "cross-attention")
    (start_x, start_y), *_, (end_x, end_y) = points(memory["d"])
    assert start_x == encoder[0]["x"] + encoder[0]["w"] / 2
    assert start_y == min(encoder[-1]["y"], drawn["frames"][0]["y"])
    assert 0 <= cross["x"] - end_x <= 4 and cross["y"] < end_y < cross["y"] + cross["h"]
    assert memory["head"]


@every_arrangement
def test_a_line_leads_round_every_sublayer(cfg):
    residuals = [points(line["d"]) for line in drawing(cfg, SRC, TGT)["lines"] if line["tone"] == "residual"]
    ends = []
    for column in columns(cfg):
        for box in column:
            if box["label"].startswith("add"):
                ends.append((box["x"] + box["w"], box["y"], box["y"] + box["h"]))
    assert len(residuals) == len(ends) == 5
    for (*_, (x, y)), (side, top, bottom) in zip(residuals, ends, strict=True):
        assert 0 <= x - side <= 4 and top < y < bottom  # it ends at the sum


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_decoder_alone_is_one_column_in_the_middle(norm):
    cfg = config(norm=norm, stacks="decoder")
    drawn = drawing(cfg, SRC, TGT)
    column = sorted((box for box in drawn["boxes"] if box["tone"] != "chip"), key=lambda box: -box["y"])
    assert {box["x"] + box["w"] / 2 for box in column} == {drawn["width"] / 2}
    own = [*sublayer(norm, "masked self-attention"), *sublayer(norm, "feed-forward"), *(["norm"] if norm == "pre" else [])]
    assert [box["label"] for box in column] == ["text so far", "embedding + position", *own, "linear", "softmax"]
    assert [frame["label"] for frame in drawn["frames"]] == ["decoder × 5"]
    assert not any("memory" in shape["text"] for shape in drawn["shapes"]) and "encoder" not in drawn["alt"]
    assert {line["tone"] for line in drawn["lines"]} == {"flow", "residual"}
    (chip,) = (box for box in drawn["boxes"] if box["tone"] == "chip")
    small = small_drawing(cfg, ["decoder"], 2)
    assert small["frames"][0]["label"] == "decoder, layer 2" and [each["letter"] for each in small["letters"]] == list("QKV")
    assert all(0 <= each["x"] <= small["width"] and 0 <= each["y"] <= small["height"] for each in small["letters"])
    assert chip["y"] < drawn["height"]
