"""Pins: blocks are the stages of a real pass, their costs add up to the model's, and each has the code that makes it."""

import importlib
import inspect

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from tests.transformer_core.training.test_cost import MANY
from transformer_core import PRESETS, Trace
from transformer_core.analysis.accounting import activation_bytes, shared_from, stage_flops, stage_parameters
from transformer_core.analysis.shape_map import Cost, cost_of, shape_map
from transformer_core.analysis.stage_code import stage_code
from transformer_core.model.stages import LOGITS, MEMORY, at_layer, attention_path, embedding_stage
from transformer_core.model.trace import observed
from transformer_core.model.transformer import shapes_only
from transformer_core.training.cost import forward_flops

BATCH, SRC, TGT = 3, 11, 8
SWITCHES = [
    {}, {"norm": "post"}, {"norm": "pre"}, {"tie_embeddings": "all", "tgt_vocab": 19}, {"tie_embeddings": "output"},
    {"tie_embeddings": "none"}, {"position": "learned"}, {"position": "none"}, {"cross_attention": False},
    {"score": "additive"}, {"score": "concat_linear"}, {"score": "dot"}, {"attention_bias": False}, {"n_heads": 1},
    {"stacks": "decoder"}, {"stacks": "decoder", "norm": "pre", "tie_embeddings": "output", "position": "learned"},
]  # fmt: skip
ALL = [*(config(**switches) for switches in SWITCHES), *MANY[:6]]


@pytest.mark.parametrize("cfg", ALL)
def test_the_blocks_are_the_tensors_of_a_real_pass(cfg):
    with Trace() as trace:
        perturbed_model(cfg)(*token_ids(cfg, BATCH, SRC, TGT))
    blocks = shape_map(cfg, BATCH, SRC, TGT)
    assert [block.name for block in blocks] == list(trace.stages)
    for block, stage in zip(blocks, trace.stages.values(), strict=True):
        assert block.axes == tuple(zip(stage.axes, stage.shape, strict=True)), block.name
        assert (block.count, block.bytes) == (stage.value.numel(), stage.value.numel() * stage.value.element_size())


@pytest.mark.parametrize("cfg", [*ALL, *PRESETS.values()])
def test_all_blocks_together_cost_what_the_model_costs(cfg):
    blocks = shape_map(cfg, BATCH, SRC, TGT)
    parameters = sum(parameter.numel() for parameter in shapes_only(cfg).parameters())
    flops = sum(forward_flops(cfg, BATCH, SRC, TGT).values())
    assert cost_of(blocks) == Cost(parameters, activation_bytes(cfg, BATCH, SRC, TGT), flops)
    assert set(stage_parameters(cfg)) | set(stage_flops(cfg, BATCH, SRC, TGT)) <= {block.name for block in blocks}


@pytest.mark.parametrize("score", ["scaled_dot", "dot", "concat_linear"])  # the additive score also counts its sums
@pytest.mark.parametrize("stacks", ["both", "decoder"])
def test_each_stage_counts_the_matrix_products_that_torch_runs_for_it(score, stacks):
    """Between one stage and the next, as they are handed to a trace."""
    cfg = config(score=score, stacks=stacks)
    found, seen = {}, 0

    def count(name, x):
        nonlocal seen
        found[name], seen = counter.get_total_flops() - seen, counter.get_total_flops()
        return x

    with FlopCounterMode(display=False) as counter, torch.no_grad(), observed(count):
        perturbed_model(cfg)(*token_ids(cfg, BATCH, SRC, TGT))
    assert {name: n for name, n in found.items() if n} == stage_flops(cfg, BATCH, SRC, TGT)


def test_the_parameters_of_a_stage_are_those_of_its_modules():
    cfg = config(norm="pre", final_norm=True, tie_embeddings="none")
    model, found = shapes_only(cfg), stage_parameters(cfg)

    def count(module):
        return sum(parameter.numel() for parameter in model.get_submodule(module).parameters())

    path = attention_path("cross", 1)
    for stage, module in (("q", "w_q"), ("k", "w_k"), ("v", "w_v"), ("output", "w_o")):
        assert found[path.stage(stage)] == count(f"{path.module}.{module}")
    assert found[path.stage("norm_in")] == count(path.norm_module) == 2 * cfg.d_model
    assert found[MEMORY] == count("encoder_norm") and found[LOGITS] == count("output")
    assert found[embedding_stage("encoder", "tokens")] == count("src_embedding.table") == 19 * 66


def test_a_shared_matrix_is_counted_once_and_the_others_say_where():
    tokens = embedding_stage("decoder", "tokens")
    for tie, sharing in (("all", {embedding_stage("encoder", "tokens"), LOGITS}), ("output", {LOGITS}), ("none", set())):
        cfg = config(tie_embeddings=tie, tgt_vocab=19)
        blocks = {block.name: block for block in shape_map(cfg, BATCH, SRC, TGT)}
        assert {name for name, block in blocks.items() if block.shared_from} == sharing == set(shared_from(cfg))
        assert all(blocks[name].shared_from == tokens and blocks[name].parameters == 0 for name in sharing)
        assert blocks[tokens].parameters == 19 * 66


@pytest.mark.parametrize("cfg", [config(**switches) for switches in SWITCHES])
def test_the_code_of_a_stage_is_in_the_model_and_hands_it_on(cfg):
    for block in shape_map(cfg, 1, 3, 2):
        code = stage_code(cfg, block.name)
        lines = inspect.getsource(importlib.import_module(code.module)).splitlines()
        there = lines[code.line - 1 : code.line - 1 + len(code.text.splitlines())]
        assert [line.strip() for line in there] == [line.strip() for line in code.text.splitlines()], block.name
        assert "stage(" in code.text, block.name


def test_the_code_is_the_line_that_ran():
    def text(stage, **switches):
        return stage_code(config(**switches), stage).text

    path = attention_path("encoder", 1)
    assert text(path.stage("q")).startswith('q = self._split(self.w_q(x))\nreturn stage("q", ')
    assert text(path.stage("weights")).startswith('weights = stage("weights", masked_softmax(masked)')
    masked = text(path.stage("masked_scores")).splitlines()
    assert masked[0].startswith("masked = scores if mask is None") and "masked_scores" in masked[1]
    for norm in ("pre", "post"):
        assert text(path.stage("residual"), norm=norm).startswith("total = x + change")
    assert "self.output(x)" in text(LOGITS) and "LOGITS" in text(LOGITS)
    with pytest.raises(KeyError):
        stage_code(config(score="additive"), path.stage("products"))


def test_a_stage_of_another_layer():
    path = attention_path("cross", 3)
    assert at_layer(path.stage("weights"), 1) == attention_path("cross", 1).stage("weights")
    assert [at_layer(name, 1) for name in (MEMORY, embedding_stage("encoder", "sum"), "no stage", "")] == [
        MEMORY,
        embedding_stage("encoder", "sum"),
        "no stage",
        "",
    ]
