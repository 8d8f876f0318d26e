"""Pins: the names of stages are put together and taken apart in one place, and lead to the modules that made them."""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import transformer_core
from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import MultiHeadAttention, Trace
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.model.stages import (
    ATTENTION_KINDS,
    LOGITS,
    MEMORY,
    OUTPUT,
    StageName,
    SublayerPath,
    attention_kind,
    attention_kinds,
    attention_path,
    embedding_stage,
    most_telling,
    norm_stage,
    parse_stage,
    stacks_of,
)

DEEP = config(n_layers=11, cross_attention=True, position="learned")


def rebuilt(parsed):
    """A stage's name from its pieces, by the builders alone."""
    if parsed.path is not None:
        return SublayerPath(parsed.path.stack, parsed.path.layer, parsed.path.part).stage(parsed.name)
    if parsed.part == "embedding":
        return embedding_stage(parsed.stack, parsed.name)
    return {"memory": MEMORY, "output": OUTPUT, "logits": LOGITS}[parsed.name]


@pytest.mark.parametrize(
    "cfg",
    [DEEP, replace(DEEP, norm="pre", cross_attention=False), replace(DEEP, stacks="decoder")],
    ids=["post", "pre", "a decoder alone"],
)
def test_every_stage_is_taken_apart_and_put_together_again(cfg):
    names = [stage.name for stage in stage_shapes(cfg, 2, 7, 5)]
    assert [rebuilt(parse_stage(name)) for name in names] == names
    layers = {parsed.layer for parsed in map(parse_stage, names)}
    assert layers == {None, *range(11)}


def test_the_pieces_of_a_name():
    assert parse_stage("decoder.10.cross_attn.weights") == StageName("decoder", 10, "cross_attn", "weights")
    assert parse_stage("decoder.10.cross_attn.weights").path == attention_path("cross", 10)
    assert parse_stage("encoder.embedding.sum") == StageName("encoder", None, "embedding", "sum")
    assert parse_stage("memory") == StageName(None, None, None, "memory")
    assert parse_stage("decoder.output") == StageName("decoder", None, None, "output")
    assert parse_stage("encoder.embedding.sum").path is parse_stage("logits").path is None


@pytest.mark.parametrize(
    "name",
    ["", "weights", "encoder", "encoder.0", "encoder.0.self_attn", "encoder.01.self_attn.q", "encoder.-1.self_attn.q",
     "encoder.0.self_attn.q.q", "encoder.0.other.q", "encoder.output", "model.0.self_attn.q", "memory.sum", "logits ",
     "encoder.0.embedding.sum", "encoder.².self_attn.q"],
)  # fmt: skip
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ValueError, match="is not the name of a stage"):
        parse_stage(name)


@pytest.mark.parametrize(
    ("changes", "kinds", "stacks", "first"),
    [
        ({}, ("encoder", "decoder", "cross"), ("encoder", "decoder"), "cross"),
        ({"cross_attention": False}, ("encoder", "decoder"), ("encoder", "decoder"), "encoder"),
        ({"stacks": "decoder"}, ("decoder",), ("decoder",), "decoder"),
    ],
    ids=str,
)
def test_the_kinds_of_attention_are_those_that_a_pass_records(changes, kinds, stacks, first):
    cfg, trace = config(**changes), Trace()
    with trace:
        perturbed_model(cfg)(*token_ids(cfg))
    recorded = {attention_kind(parse_stage(name).path) for name in trace.stages if name.endswith(".weights")}
    assert attention_kinds(cfg) == kinds and set(kinds) == recorded
    assert stacks_of(cfg) == stacks and most_telling(cfg) == first


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_path_leads_to_the_module_that_made_the_stage(norm):
    cfg = config(norm=norm, n_layers=3)
    model, trace = perturbed_model(cfg), Trace()
    with trace:
        model(*token_ids(cfg))
    for kind in ATTENTION_KINDS:
        layer = random.Random(kind).randrange(3)
        path = attention_path(kind, layer)
        module = model.get_submodule(path.module)
        assert isinstance(module, MultiHeadAttention)
        assert (path.stack == "encoder") == (kind == "encoder") and (path.part == "cross_attn") == (kind == "cross")
        assert trace[path.stage("output")].equal(module.w_o(trace[path.stage("concat")]))
        after = model.get_submodule(path.norm_module)
        if norm == "post":
            assert trace[path.stage(norm_stage(pre=False))].equal(after(trace[path.stage("residual")]))
        else:
            heads = module._split(module.w_q(trace[path.stage(norm_stage(pre=True))]))
            assert trace[path.stage("q")].equal(heads)


def test_the_core_writes_no_stage_path_by_hand():
    """Elsewhere in the core no string is put together, or written, that is a stage's path or the beginning of one."""
    core = Path(transformer_core.__file__).parent
    by_hand = re.compile(r"""["'](\{\w+\}|encoder|decoder)\.((\{[^}]*\}|\d+)\.[\w{]|embedding)|["']decoder\.output["']""")
    assert by_hand.search('x = f"{stack}.{layer}.self_attn.q"') and by_hand.search("'encoder.embedding.sum'")
    for path in core.rglob("*.py"):
        if path not in (core / "model" / "stages.py", core / "analysis" / "torch_reference.py"):  # the latter names modules
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if by_hand.search(line)]
            assert not lines, (path, lines)
