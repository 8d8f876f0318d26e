"""Pins: what the whole model may and may not see, how it is initialised, and that building it disturbs nobody."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from tests.transformer_core.helpers import BATCH, TGT, config, generator, perturbed_model, token_ids
from transformer_core import Transformer
from transformer_core.errors import InputError
from transformer_core.model.dropout import use_dropout_generator
from transformer_core.model.transformer import shapes_only

NORMS = pytest.mark.parametrize("norm", ["post", "pre"])


@NORMS
@pytest.mark.parametrize("stacks", ["both", "decoder"])
def test_logits_of_a_target_position_depend_on_no_later_one(norm, stacks):
    cfg = config(norm=norm, stacks=stacks)
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
@pytest.mark.parametrize("padding", [1, 3, 17])
def test_padding_changes_nothing(norm, padding):
    cfg = config(norm=norm)
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    pad = torch.full((BATCH, padding), cfg.pad_id)
    longer = model(torch.cat([src, pad], 1), torch.cat([tgt, pad], 1))
    torch.testing.assert_close(longer[:, :TGT], model(src, tgt), rtol=0, atol=3e-6)


def test_a_decoder_alone_has_no_weights_of_an_encoder_and_reads_no_source():
    model = perturbed_model(config(stacks="decoder", norm="pre", position="learned"))
    modules = {name.partition(".")[0] for name in model.state_dict()}
    assert modules == {"tgt_embedding", "decoder", "decoder_norm", "output"}
    assert not any("cross_attn" in name for name in model.state_dict())
    src, tgt = token_ids(model.cfg)
    assert model.encode(src).shape == (BATCH, 0, 66) and model(src, tgt).shape == (BATCH, TGT, 17)
    with pytest.raises(InputError, match="reads no source; give one of no tokens, not of 7"):
        model(tgt.new_ones(BATCH, 7), tgt)


def test_a_decoder_alone_is_the_decoder_of_a_model_that_does_not_look_at_its_source():
    """The same weights give the same logits, to the last bit."""
    both, alone = (
        perturbed_model(config(cross_attention=False, norm="pre")),
        perturbed_model(config(stacks="decoder", norm="pre")),
    )
    alone.load_state_dict(both.state_dict(), strict=False)
    src, tgt = token_ids(both.cfg)
    assert torch.equal(alone(src[:, :0], tgt), both(src, tgt))


def test_a_sequence_of_padding_alone_gives_numbers():
    cfg = config()
    model = perturbed_model(cfg)
    src, tgt = token_ids(cfg)
    src[1], tgt[1] = cfg.pad_id, cfg.pad_id
    logits = model(src, tgt)
    assert logits.isfinite().all()
    logits.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters())


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


def test_models_built_at_once_in_several_threads_are_alike():
    cfg, barrier = config(), threading.Barrier(4)
    expected, built = Transformer(cfg, generator(7)).state_dict(), []

    def build(_thread):
        barrier.wait()
        for _ in range(5):
            built.append(Transformer(cfg, generator(7)).state_dict())
            built.append({"device": torch.zeros(1)})  # "meta" here would be another thread's

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(build, range(4)))
    assert len(built) == 40
    for state in built:
        assert all(value.device.type == "cpu" for value in state.values())
        assert "device" in state or all(torch.equal(state[name], expected[name]) for name in expected)
