"""Pins the way of a token through the layers, and where K and V come from."""

from itertools import product

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import Trace, Transformer, TransformerConfig
from transformer_core.analysis.normalization import norm_used
from transformer_core.analysis.residual_stream import cross_projections, norms, sublayer_of, walk


def recorded(model: Transformer) -> dict[str, np.ndarray]:
    """All stages of one pass on the first sentence of a batch: 7 tokens, and 5, the last of them padding."""
    src, tgt = token_ids(model.cfg)
    trace = Trace()
    with torch.no_grad(), trace:
        model(src[:1], tgt[:1])
    return {
        name: trace[name][0].numpy() if stage.axes[0] == "batch" else trace[name].numpy()
        for name, stage in trace.stages.items()
    }


def case(**changes) -> tuple[Transformer, dict[str, np.ndarray], TransformerConfig]:
    model = perturbed_model(config(**changes), 3)
    return model, recorded(model), model.cfg


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def normed(model: Transformer, name: str, x: np.ndarray) -> np.ndarray:
    """A norm of the model, in numpy."""
    norm = model.get_submodule(name)
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + norm.eps)
    return centred / spread * norm.weight.detach().numpy() + norm.bias.detach().numpy()


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("residual", [True, False])
def test_a10_every_step_is_norm_sublayer_and_sum_in_the_order_of_the_arrangement(norm, stack, residual):
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
            close(step.reads, normed(model, of_norm, stream))
            close(step.after, come_in + step.added)
        else:
            assert list(step.ordered) == ["output", "sum", "norm"]
            np.testing.assert_array_equal(step.reads, stream)
            close(step.total, come_in + step.added)
            close(step.after, normed(model, of_norm, come_in + step.added))
        if step.part == "feed_forward":
            part = model.get_submodule(f"{stack}.{step.layer}.feed_forward")
            w_1, b_1, w_2, b_2 = (p.detach().numpy() for p in part.parameters())
            close(step.added, np.maximum(step.reads @ w_1.T + b_1, 0) @ w_2.T + b_2)
        stream = step.after
    close(stages["memory" if stack == "encoder" else "decoder.output"],
          normed(model, f"{stack}_norm", stream) if norm == "pre" else stream)  # fmt: skip


def test_a10_lengths_and_turns_of_one_token():
    _model, stages, cfg = case(norm="pre")
    step = sublayer_of(stages, cfg, "decoder", 1, "cross_attn")
    before, added, after = (x[3].astype(float) for x in (step.before, step.added, step.after))
    assert step.lengths.shape == (3, 5) and step.cosine.shape == (5,)
    assert step.lengths[:, 3] == pytest.approx([np.sqrt((x**2).sum()) for x in (before, added, after)])
    assert step.cosine[3] == pytest.approx(before @ after / np.sqrt((before @ before) * (after @ after)))
    assert 0 < step.cosine[3] < 1


def test_a10_a_vector_of_zeros_has_no_direction():
    _model, stages, cfg = case(norm="pre")
    stages["encoder.embedding.sum"] = stages["encoder.embedding.sum"].copy()
    stages["encoder.embedding.sum"][2] = 0
    cosine = walk(stages, cfg, "encoder")[0].cosine
    assert np.isnan(cosine[2]) and np.isfinite(np.delete(cosine, 2)).all()


@pytest.mark.parametrize("changes", [{"norm": "pre"}, {"norm": "post"}, {"norm": "post", "final_norm": True}], ids=str)
def test_a9_every_norm_is_given_and_gave_what_was_recorded(changes):
    model, stages, cfg = case(**changes)
    places = norms(stages, cfg)
    assert len(places) == 2 * 2 + 2 * 3 + 2 * cfg.has_final_norm
    for (stack, layer, part), (given, gave) in places.items():
        name = f"{stack}_norm" if part == "final" else f"{stack}.{layer}.{part}_residual.norm"
        close(gave, normed(model, name, given))
    if cfg.has_final_norm:
        np.testing.assert_array_equal(places["encoder", 2, "final"][1], stages["memory"])


@pytest.mark.parametrize("kind", ["standard", "unbiased_std"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a9_the_results_tell_which_norm_a_model_has(kind, norm):
    model, stages, cfg = case(norm=norm, layer_norm=kind, final_norm=True)
    for place, (given, gave) in norms(stages, cfg).items():
        standard, unbiased = norm_used(model, place, given, gave)
        own, other = (standard, unbiased) if kind == "standard" else (unbiased, standard)
        assert own < 1e-5 and 5e-3 < other < 0.1


def test_a10_without_cross_attention_the_decoder_has_two_parts():
    model, stages, cfg = case(cross_attention=False)
    assert [step.part for step in walk(stages, cfg, "decoder")] == ["self_attn", "feed_forward"] * 2
    assert cross_projections(model, stages) == []


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("bias", [True, False])
def test_a11_k_and_v_are_the_encoders_output_times_the_layers_weights_and_q_the_decoders(norm, bias):
    model, stages, _cfg = case(norm=norm, attention_bias=bias)
    found = cross_projections(model, stages)
    assert len(found) == 2
    for layer, each in enumerate(found):
        assert each.q.shape == (5, 66) and each.k.shape == each.v.shape == (7, 66)
        assert max(each.q_error, each.k_error, each.v_error) < 2e-5
        part = model.get_submodule(f"decoder.{layer}.cross_attn")
        memory = torch.tensor(stages["memory"])
        own = stages[f"decoder.{layer}.cross_attn.norm_in"] if norm == "pre" else stages[f"decoder.{layer}.self_attn.norm_out"]
        for values, weights, x in (
            (each.k, part.w_k, memory),
            (each.v, part.w_v, memory),
            (each.q, part.w_q, torch.tensor(own)),
        ):
            close(values, weights(x).detach().numpy())
        heads = [stages[f"decoder.{layer}.cross_attn.k"][head] for head in range(3)]
        close(each.k, np.concatenate(heads, axis=1))  # (7, 22) three times, side by side


def test_a11_a_wrong_record_is_found_out():
    model, stages, _cfg = case()
    k = stages["decoder.1.cross_attn.k"].copy()
    k[2, 4, 20] += 0.25
    found = cross_projections(model, stages | {"decoder.1.cross_attn.k": k})
    assert found[1].k_error == pytest.approx(0.25, abs=1e-4)
    assert max(found[0].k_error, found[1].v_error, found[1].q_error) < 2e-5


def test_c9_every_layer_makes_keys_and_values_of_its_own_of_the_same_output():
    model, stages, _cfg = case(n_layers=3)
    found = cross_projections(model, stages)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert np.abs(found[a].k - found[b].k).max() > 0.5 and np.abs(found[a].v - found[b].v).max() > 0.5
    # Another memory, the same decoder: K and V follow it in every layer.
    moved = cross_projections(model, stages | {"memory": stages["memory"] + 1})
    for layer, (before, after) in enumerate(zip(found, moved, strict=True)):
        step = model.get_submodule(f"decoder.{layer}.cross_attn.w_k").weight.detach().numpy().sum(axis=1)
        close(after.k - before.k, np.broadcast_to(step, after.k.shape))
        np.testing.assert_array_equal(after.q, before.q)
