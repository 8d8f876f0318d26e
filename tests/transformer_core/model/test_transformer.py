"""Pins: what the whole model may and may not see, how it is initialised, and that building it disturbs nobody."""

import math
import threading

import pytest
import torch
from torch import nn

from tests.transformer_core.helpers import BATCH, SRC, TGT, config, generator, perturbed_model, token_ids
from transformer_core import Trace, Transformer
from transformer_core.model.dropout import use_dropout_generator
from transformer_core.model.transformer import shapes_only

NORMS = pytest.mark.parametrize("norm", ["post", "pre"])


@NORMS
def test_logits_of_a_target_position_depend_on_no_later_one(norm):
    cfg = config(norm=norm)
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    changed = tgt.clone()
    changed[1, 3] = changed[1, 3] % 16 + 1
    assert (changed != tgt).sum() == 1
    moved = (model(src, tgt) - model(src, changed)).abs().amax(-1)
    assert (moved[0] == 0).all()
    assert (moved[1, :3] == 0).all()
    assert (moved[1, 3:] > 1e-4).all()


@NORMS
def test_without_the_causal_mask_every_position_depends_on_every_other(norm):
    cfg = config(norm=norm, causal=False)
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    changed = tgt.clone()
    changed[1, 3] = changed[1, 3] % 16 + 1
    moved = (model(src, tgt) - model(src, changed)).abs().amax(-1)
    assert (moved[1] > 1e-4).all()


@NORMS
def test_every_target_position_depends_on_every_real_source_token(norm):
    cfg = config(norm=norm)
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    for position in range(SRC):
        changed = src.clone()
        changed[0, position] = changed[0, position] % 18 + 1
        moved = (model(src, tgt) - model(changed, tgt)).abs().amax(-1)
        assert (moved[0] > 1e-4).all()
        assert (moved[1] == 0).all()


@NORMS
@pytest.mark.parametrize("padding", [1, 3, 17])
def test_padding_changes_nothing(norm, padding):
    cfg = config(norm=norm)
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    pad = torch.full((BATCH, padding), cfg.pad_id)
    longer = model(torch.cat([src, pad], 1), torch.cat([tgt, pad], 1))
    torch.testing.assert_close(longer[:, :TGT], model(src, tgt), rtol=0, atol=3e-6)


def test_a_sequence_of_padding_alone_gives_numbers():
    cfg = config()
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    src[1], tgt[1] = cfg.pad_id, cfg.pad_id
    logits = model(src, tgt)
    assert logits.isfinite().all()
    logits.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


def test_without_positions_order_is_unknown():
    cfg = config()
    model = perturbed_model(cfg).double()
    src = torch.randperm(18, generator=generator(5))[:SRC][None] + 1
    order = torch.randperm(SRC, generator=generator(6))
    with_positions = model.encode(src)
    assert not torch.allclose(model.encode(src[:, order]), with_positions[:, order], atol=1e-2)
    model.src_embedding.positions.zero_()
    torch.testing.assert_close(model.encode(src[:, order]), model.encode(src)[:, order], rtol=0, atol=1e-12)


def test_initial_weights_follow_the_generator_alone():
    cfg = config()
    first, same, other = (Transformer(cfg, generator(seed)).state_dict() for seed in (3, 3, 4))
    assert all(torch.equal(first[name], same[name]) for name in first)
    matrices = [name for name in first if first[name].ndim > 1]
    assert len(matrices) == 2 + 2 * 6 + 2 * 10 + 1
    assert not any(torch.equal(first[name], other[name]) for name in matrices)
    default = Transformer(cfg).state_dict()
    seeded = Transformer(cfg, generator(0)).state_dict()
    assert all(torch.equal(default[name], seeded[name]) for name in default)


def test_building_and_running_leave_the_global_generator_alone():
    torch.manual_seed(11)
    state = torch.get_rng_state()
    cfg = config(dropout=0.2)
    model = Transformer(cfg, generator(1))
    use_dropout_generator(model, generator(2))
    model.train()(*token_ids(cfg))
    model.eval()(*token_ids(cfg))
    shapes_only(cfg)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("tie", ["none", "output", "all"])
def test_initial_distribution(tie):
    cfg = config(d_model=48, d_ff=96, n_layers=1, norm="pre", tgt_vocab=19, tie_embeddings=tie)
    for name, parameter in Transformer(cfg, generator(0)).named_parameters():
        if parameter.ndim > 1:
            rows = parameter if "embedding" not in name else parameter[1:]  # row 0 is padding
            bound = math.sqrt(6 / sum(parameter.shape))
            assert 0.97 * bound < rows.abs().max() <= bound, name
            assert rows.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.1), name
            assert abs(rows.mean().item()) < 0.1 * bound, name
        elif name.endswith("norm.weight"):
            assert (parameter == 1).all(), name
        else:
            assert (parameter == 0).all(), name


def test_what_is_tied_is_one_matrix():
    def tables(tie):
        model = Transformer(config(tgt_vocab=19, tie_embeddings=tie))
        return model, model.src_embedding.table.weight, model.tgt_embedding.table.weight

    model, source, target = tables("none")
    assert source is not target
    assert (model.output.weight.shape, model.output.bias.shape) == ((19, 66), (19,))
    model, source, target = tables("output")
    assert source is not target
    assert model.output is None
    model, source, target = tables("all")
    assert source is target
    assert model.output is None
    assert sum(isinstance(module, nn.Embedding) for module in model.modules()) == 1


@pytest.mark.parametrize("tie", ["output", "all"])
def test_a_tied_output_is_the_product_with_the_target_table(tie):
    cfg = config(tgt_vocab=19, tie_embeddings=tie)
    model, ids = perturbed_model(cfg), token_ids(cfg)
    with Trace() as trace:
        logits = model(*ids)
    expected = trace["decoder.output"] @ model.tgt_embedding.table.weight.T
    torch.testing.assert_close(logits, expected, rtol=0, atol=2e-6)


def test_switches_that_leave_parameters_out():
    names = {name for name, _ in Transformer(config(attention_bias=False)).named_parameters()}
    assert not any(name.endswith(".bias") for name in names if "_attn." in name)
    assert "encoder_norm.weight" not in names
    assert {"encoder_norm.weight", "decoder_norm.bias"} <= {n for n, _ in Transformer(config(norm="pre")).named_parameters()}


def test_meta_holds_no_memory():
    model = shapes_only(config(d_model=6_600_000, d_ff=10**9, max_len=10**6))
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}


def test_models_built_at_once_in_several_threads_are_alike():
    cfg, barrier = config(), threading.Barrier(4)
    expected, built = Transformer(cfg, generator(7)).state_dict(), []

    def build():
        barrier.wait()
        for _ in range(5):
            built.append(Transformer(cfg, generator(7)).state_dict())
            built.append({"device": torch.zeros(1)})  # "meta" here would be another thread's

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 40
    for state in built:
        assert all(value.device.type == "cpu" for value in state.values())
        assert "device" in state or all(torch.equal(state[name], expected[name]) for name in expected)


def test_a_model_moves_to_float64_and_keeps_its_answer():
    cfg = config()
    model, ids = perturbed_model(cfg), token_ids(cfg)
    single = model(*ids)
    torch.testing.assert_close(model.double()(*ids).float(), single, rtol=0, atol=3e-6)
