"""Pins what the picture of the model in blocks is sent: every tensor once, in its place, with costs that add up."""

import json
from dataclasses import replace

import numpy as np
import pytest

from explorer.components.shape_map import details, numbers, words
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.shown_stage import PROBABILITIES, shown_stage
from tests.pages.helpers import array
from tests.transformer_core.helpers import config
from transformer_core.analysis.accounting import activation_bytes
from transformer_core.analysis.head_split import head_cost
from transformer_core.analysis.shape_map import shape_map
from transformer_core.analysis.stage_code import stage_code
from transformer_core.model.stages import LOGITS, attention_path, parse_stage
from transformer_core.training.cost import count_by_formula, forward_flops

SIZES = 2, 13, 9
WORDS = "a source", "<start> a target"
SWITCHES = [{}, {"norm": "post"}, {"cross_attention": False}, {"causal": False}, {"position": "none"}, {"score": "additive"}]


def sent(layer=0, sizes=SIZES, **switches):
    cfg = config(n_layers=3, **switches)
    drawn = numbers(cfg, sizes, layer, WORDS) | words(cfg)
    assert json.loads(json.dumps(drawn)) == drawn
    return drawn


def blocks(drawn):
    return [block for column in drawn["columns"] for group in column["groups"] for block in group["blocks"]]


def titles(drawn, column):
    return [drawn["texts"]["groups"][group["id"]] for group in drawn["columns"][column]["groups"]]


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_each_tensor_of_one_layer_and_of_both_ends_stands_there_once_and_in_order(switches):
    drawn = sent(layer=2, **switches)
    every = shape_map(config(n_layers=3, **switches), *SIZES)
    expected = [block for block in every if block.layer in (2, None)]
    expected.sort(key=lambda block: block.stack == "decoder")
    assert [block["id"] for block in blocks(drawn)] == [*(block.name for block in expected), PROBABILITIES]
    assert [block["axes"] for block in blocks(drawn)][:-1] == [[list(axis) for axis in block.axes] for block in expected]
    assert blocks(drawn)[-1]["axes"] == blocks(drawn)[-2]["axes"] and blocks(drawn)[-2]["id"] == LOGITS


def test_groups_follow_figure_1_of_the_paper():
    drawn = sent()
    assert titles(drawn, 0) == ["embedding", "self-attention", "feed-forward", "the encoder's output"]
    last = ["cross-attention", "feed-forward", "the decoder's output"]
    assert titles(drawn, 1) == ["embedding", "masked self-attention", *last]
    assert [group["in_layer"] for group in drawn["columns"][1]["groups"]] == [False, True, True, True, False]
    assert [column["sentence"] for column in drawn["columns"]] == list(WORDS)
    assert titles(sent(causal=False, cross_attention=False), 1) == ["embedding", "self-attention", *last[1:]]


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_the_sums_add_up_to_the_model(switches):
    drawn, cfg = sent(**switches), config(n_layers=3, **switches)
    groups = [group for column in drawn["columns"] for group in column["groups"]]
    totals = {
        "parameters": count_by_formula(cfg),
        "bytes": activation_bytes(cfg, *SIZES),
        "flops": sum(forward_flops(cfg, *SIZES).values()),
    }
    assert {name: sum(group["in_all"][name] for group in groups) for name in totals} == totals
    assert totals.keys() == drawn["texts"]["totals"].keys()
    for group in groups:
        times = 3 if group["in_layer"] else 1
        assert {name: times * cost for name, cost in group["cost"].items()} == group["in_all"]


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_an_attention_has_as_many_parameters_as_on_the_page_of_heads_and_its_norm_is_told_apart(norm):
    drawn, cfg = sent(norm=norm), config(n_layers=3, norm=norm)
    groups = {group["id"]: group for column in drawn["columns"] for group in column["groups"]}
    for name in ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn"):
        group = groups[name]
        assert group["norm"] == 2 * cfg.d_model
        assert group["cost"]["parameters"] - group["norm"] == head_cost(cfg.d_model, cfg.n_heads, 4).parameters
    assert groups["encoder.embedding"]["norm"] == 0
    assert "{norm} of its norm" in drawn["texts"]["with_norm"]


def test_the_axes_are_those_of_the_settings_and_the_words_say_them():
    drawn = sent()
    assert dict(map(tuple, drawn["axes"])) == {
        "batch": 2,
        "src": 13,
        "tgt": 9,
        "head": 3,
        "d_model": 66,
        "d_k": 22,
        "d_ff": 13,
        "vocab": 17,
    }
    assert {name for block in blocks(drawn) for name, _ in block["axes"]} <= set(drawn["texts"]["axes"])
    said = drawn["texts"]["about"].format(**drawn["about"])
    assert "3 encoder layers and 3 decoder layers, 13 source tokens, 9 target tokens, d_model 66, 3 heads" in said
    largest = max(shape_map(config(n_layers=3), *SIZES), key=lambda block: block.count)
    assert f"is {largest.name}, with {largest.count} numbers" in said


SMALL = ModelSettings(step=0, d_model=12, n_heads=3, d_ff=14, n_layers=1, src="the red cat", tgt="le chat")
SHOWN = show_model(SMALL)


def told(name, batch=1, shown=SHOWN):
    every = {block.name: block for block in shape_map(shown.cfg, batch, len(shown.src), len(shown.tgt))}
    code = stage_code(shown.cfg, name) if name in every else None
    said = details(every.get(name), shown_stage(shown, name), code, batch)
    assert json.loads(json.dumps(said)) == said
    return said


def test_a_selected_block_sends_its_numbers_with_their_code_and_costs():
    name = attention_path("cross", 0).stage("weights")
    said = told(name)
    np.testing.assert_array_equal(array(said["values"]), SHOWN.forward()[name].astype(np.float32))
    assert (said["rows"], said["columns"]) == (SHOWN.tgt_labels, SHOWN.src_labels)
    assert said["sheets"] == ["head 0", "head 1", "head 2"] and said["alt"].count("3 by 3 cells") == 3
    assert "masked_softmax(masked)" in said["code"] and "transformer_core.model.attention" in said["place"]
    assert said["cost"] == ["27 numbers", "108 bytes"] and said["note"] == ""


def test_what_is_not_shown_is_said():
    assert "one of 4 in the batch" in told(attention_path("cross", 0).stage("q"), batch=4)["note"]
    assert "24 tokens with the largest values, of 1,4" in told(LOGITS)["note"]
    vocab = SHOWN.cfg.tgt_vocab
    costs = [f"{2 * 3 * 12 * vocab:,} operations", f"made with {13 * vocab:,} parameters"]
    assert told(LOGITS)["cost"][2:] == costs
    tied = show_model(replace(SMALL, tie_embeddings="all"))
    assert told(LOGITS, shown=tied)["cost"][3:] == ["made with the matrix of decoder.embedding.tokens"]
    probabilities = told(PROBABILITIES)
    assert probabilities["code"] == "" and len(probabilities["cost"]) == 1


def test_masked_cells_are_no_numbers():
    said = told(attention_path("decoder", 0).stage("masked_scores"))
    assert np.isnan(array(said["values"])).sum() == 3 * 3
    assert parse_stage(said["id"]).name == "masked_scores"
