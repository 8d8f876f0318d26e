"""Pins the way of a token through the layers."""

from itertools import product

import numpy as np
import pytest

from tests.transformer_core.helpers import arrays, config, first_row, perturbed_model, token_ids
from tests.transformer_core.in_numpy import layer_norm
from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis.normalization import norm_used
from transformer_core.analysis.residual_stream import norms, walk


def case(**changes) -> tuple[Transformer, dict[str, np.ndarray], TransformerConfig]:
    model = perturbed_model(config(**changes), 3)
    return model, first_row(model, *token_ids(model.cfg)), model.cfg


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.teaches(point="A10")
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("residual", [True, False])
def test_every_step_is_norm_sublayer_and_sum_in_the_order_of_the_arrangement(norm, stack, residual):
    model, stages, cfg = case(norm=norm, residual=residual)
    steps = walk(stages, cfg, stack)
    names = ["self_attn", "feed_forward"] if stack == "encoder" else ["self_attn", "cross_attn", "feed_forward"]
    assert [(step.layer, step.part) for step in steps] == list(product(range(2), names))
    stream = stages[f"{stack}.embedding.sum"]
    for step in steps:
        of_norm = f"{stack}.{step.layer}.{step.part}_residual.norm"
        np.testing.assert_array_equal(step.before, stream)
        come_in = stream if residual else 0
        if norm == "pre":
            assert list(step.ordered) == ["norm", "output", "sum"]
            close(step.reads, layer_norm(cfg, arrays(model), of_norm, stream))
            close(step.after, come_in + step.added)
        else:
            assert list(step.ordered) == ["output", "sum", "norm"]
            np.testing.assert_array_equal(step.reads, stream)
            close(step.total, come_in + step.added)
            close(step.after, layer_norm(cfg, arrays(model), of_norm, come_in + step.added))
        if step.part == "feed_forward":
            part = model.get_submodule(f"{stack}.{step.layer}.feed_forward")
            w_1, b_1, w_2, b_2 = (p.detach().numpy() for p in part.parameters())
            close(step.added, np.maximum(step.reads @ w_1.T + b_1, 0) @ w_2.T + b_2)
        stream = step.after
    close(
        stages["memory" if stack == "encoder" else "decoder.output"],
        layer_norm(cfg, arrays(model), f"{stack}_norm", stream) if norm == "pre" else stream,
    )


@pytest.mark.teaches(point="A9")
@pytest.mark.parametrize("changes", [{"norm": "pre"}, {"norm": "post"}, {"norm": "post", "final_norm": True}], ids=str)
@pytest.mark.parametrize("stacks", ["both", "decoder"])
def test_every_norm_is_given_and_gave_what_was_recorded(changes, stacks):
    model, stages, cfg = case(stacks=stacks, **changes)
    places = norms(stages, cfg)
    assert len(places) == (2 * 2 + 2 * 3 + 2 * cfg.has_final_norm if stacks == "both" else 2 * 2 + cfg.has_final_norm)
    for (stack, layer, part), (given, gave) in places.items():
        name = f"{stack}_norm" if part == "final" else f"{stack}.{layer}.{part}_residual.norm"
        close(gave, layer_norm(cfg, arrays(model), name, given))
    if cfg.has_final_norm:
        stack, end = ("encoder", "memory") if stacks == "both" else ("decoder", "decoder.output")
        np.testing.assert_array_equal(places[stack, 2, "final"][1], stages[end])


@pytest.mark.teaches(point="A9")
@pytest.mark.parametrize("kind", ["standard", "unbiased_std"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_results_tell_which_norm_a_model_has(kind, norm):
    model, stages, cfg = case(norm=norm, layer_norm=kind, final_norm=True)
    for place, (given, gave) in norms(stages, cfg).items():
        standard, unbiased = norm_used(model, place, given, gave)
        own, other = (standard, unbiased) if kind == "standard" else (unbiased, standard)
        assert own < 1e-5 and 5e-3 < other < 0.1


@pytest.mark.teaches(point="A10")
@pytest.mark.parametrize("changes", [{"cross_attention": False}, {"stacks": "decoder"}])
def test_without_cross_attention_the_decoder_has_two_parts(changes):
    _model, stages, cfg = case(**changes)
    assert [step.part for step in walk(stages, cfg, "decoder")] == ["self_attn", "feed_forward"] * 2
