"""Pins: what a model costs, against known totals, torch's own counter, and what autograd keeps."""

from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.transformer_core.helpers import any_configuration, config, perturbed_model, token_ids
from transformer_core import PRESETS, Trace, Transformer, TransformerConfig
from transformer_core.training import cost
from transformer_core.training.cost import _kept_bytes, count_by_formula, forward_flops, training_bytes

MANY = [any_configuration(seed, max_len=30, tgt_max_len=None) for seed in range(16)]
COUNTED = [cfg for cfg in MANY if cfg.score != "additive"]  # torch's counter knows no sums


def test_the_formula_needs_no_model():
    assert count_by_formula(TransformerConfig(11, 11, d_model=10**9, n_heads=1, n_layers=10**9)) > 10**27


@pytest.mark.parametrize(
    ("cfg", "batch", "src_len", "tgt_len"),
    [*((cfg, 3, 19, 17) for cfg in COUNTED[:5]), (config(), 2, 7, 5), (config(norm="pre", attention_bias=False), 3, 19, 17)],
)
def test_flops_against_torchs_counter(cfg, batch, src_len, tgt_len):
    model, ids = perturbed_model(cfg), token_ids(cfg, batch, src_len, tgt_len)
    with FlopCounterMode(display=False) as counter, torch.no_grad(), Trace():
        model(*ids)
    by_part = forward_flops(cfg, batch, src_len, tgt_len)
    assert sum(by_part.values()) == counter.get_total_flops()


def test_a_decoder_alone_costs_what_a_decoder_costs_whatever_its_source():
    alone, both = (config(stacks=stacks, cross_attention=False) for stacks in ("decoder", "both"))
    of_both = forward_flops(both, 2, 7, 5)
    assert of_both["encoder feed-forward"] > 0 == of_both["cross-attention"]
    assert forward_flops(alone, 2, 7, 5) == of_both | {"encoder self-attention": 0, "encoder feed-forward": 0}
    assert training_bytes(alone, 3, 11, 8) == training_bytes(alone, 3, 0, 8) < training_bytes(both, 3, 0, 8)


def test_flops_of_each_part_against_torchs_counter():
    cfg = config(n_layers=3)
    model, ids = perturbed_model(cfg), token_ids(cfg)
    with FlopCounterMode(display=False, depth=4) as counter, torch.no_grad(), Trace():
        model(*ids)
    by_module = {name: sum(counts.values()) for name, counts in counter.get_flop_counts().items()}
    parts = {
        "encoder self-attention": "encoder.{}.self_attn",
        "encoder feed-forward": "encoder.{}.feed_forward",
        "decoder self-attention": "decoder.{}.self_attn",
        "cross-attention": "decoder.{}.cross_attn",
        "decoder feed-forward": "decoder.{}.feed_forward",
        "output projection": "output",
    }
    by_part = forward_flops(cfg, 2, 7, 5)
    assert by_part.keys() == parts.keys()
    for part, pattern in parts.items():
        modules = {f"Transformer.{pattern.format(i)}" for i in range(3)}
        assert by_part[part] == sum(by_module[module] for module in modules), part


@pytest.mark.parametrize("cfg", [replace(cfg, n_layers=5 - i % 2) for i, cfg in enumerate(MANY[:6])])
def test_each_layer_more_keeps_as_much_for_the_pass_back(cfg):
    always, row = _kept_bytes(cfg, 11, 8)
    assert training_bytes(cfg, 3, 11, 8) == 16 * count_by_formula(cfg) + always + 3 * row


@pytest.mark.parametrize("batch", [2, 37])
@pytest.mark.parametrize("cfg", [*MANY[:8], config(causal=False), config(dropout=0.1, max_len=50)])
def test_what_a_batch_keeps_follows_from_what_a_row_keeps(monkeypatch, cfg, batch):
    always, row = _kept_bytes(cfg, 11, 8)
    assert row > 0
    monkeypatch.setattr(cost, "_ROWS", batch)  # of so many rows, all is counted, one way or the other
    own_always, own_row = _kept_bytes.__wrapped__(cfg, 11, 8)
    assert always + batch * row == own_always + batch * own_row


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"score": "additive", "n_heads": 2},
        {"norm": "post", "n_layers": 3},
        {"dropout": 0.1, "activation": "gelu"},
        {"stacks": "decoder", "n_layers": 2},
    ],
)
def test_the_memory_of_training_is_what_autograd_keeps(switches):
    """Counted once more on a real pass; fused attention, on a CPU, keeps less than it would on other devices."""
    cfg = replace(PRESETS["tiny"], src_vocab=23, tgt_vocab=19, **switches)
    model = Transformer(cfg).train()
    kept = {}

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    src, tgt = (torch.ones(6, length, dtype=torch.long) for length in (9 if cfg.has_encoder else 0, 7))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        torch.nn.functional.cross_entropy(model(src, tgt).mT, tgt)
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    activations = sum(kept[at].untyped_storage().nbytes() for at in kept.keys() - weights)
    found = training_bytes(cfg, 6, 9, 7) - 16 * sum(p.numel() for p in model.parameters())
    assert 0.9 * activations <= found <= 2 * activations
