"""Pins: what a model is made of, by formula and by count, against known totals and a real pass."""

from dataclasses import replace

import pytest

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from tests.transformer_core.training.test_cost import MANY
from transformer_core import PRESETS, Trace
from transformer_core.analysis.accounting import activation_bytes, parameter_parts
from transformer_core.model.transformer import shapes_only
from transformer_core.training.cost import count_by_formula

ALONE = [replace(cfg, stacks="decoder") for cfg in MANY if cfg.tie_embeddings != "all"]


@pytest.mark.teaches(point="E3")
@pytest.mark.parametrize("cfg", [*MANY, *ALONE, *PRESETS.values()])
def test_formula_and_count_agree_line_by_line(cfg):
    parts = parameter_parts(cfg)
    for part in parts:
        assert part.by_formula == part.by_count, part
        # What is printed is what is computed: the numbers, read as arithmetic, give the result.
        readable = part.numbers.replace("·", "*").replace("²", "**2")
        assert eval(readable, {"__builtins__": {}}) == part.by_formula, part
    real = shapes_only(cfg)
    assert sum(part.by_count for part in parts) == sum(parameter.numel() for parameter in real.parameters())
    assert count_by_formula(cfg) == sum(part.by_formula for part in parts)
    assert len({part.name for part in parts}) == len(parts)


@pytest.mark.parametrize("stacks", ["both", "decoder"])
def test_the_letters_mean_the_numbers(stacks):
    cfg = config(norm="pre", stacks=stacks)
    letters = {"d": 66, "f": 13, "N": 2, "V_src": 19, "V_tgt": 17, "V": 17}
    for part in parameter_parts(cfg):
        text = part.formula.replace("·", "*").replace("²", "**2")
        for compact, spelled in (("2df", "2*d*f"), ("5N", "5*N"), ("2N", "2*N"), ("2d", "2*d"), ("4(", "4*("), ("4d", "4*d")):
            text = text.replace(compact, spelled)
        assert eval(text, {"__builtins__": {}}, letters) == part.by_formula, part


@pytest.mark.parametrize("cfg", [config(), config(norm="pre", causal=False), config(stacks="decoder"), *MANY[:4]])
def test_activation_bytes_against_a_real_trace(cfg):
    with Trace() as trace:
        perturbed_model(cfg)(*token_ids(cfg, 3, 11, 8))
    values = [stage.value for stage in trace.stages.values()]
    assert activation_bytes(cfg, 3, 11, 8) == sum(value.numel() * value.element_size() for value in values)
