"""Pins: what a model costs, by formula and by count, against known totals, torch's own counter, and a real pass."""

import random
from dataclasses import replace
from math import prod

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core import PRESETS, Trace, Transformer, TransformerConfig
from transformer_core.model import accounting
from transformer_core.model.accounting import (
    _kept_bytes,
    activation_bytes,
    count_by_formula,
    forward_flops,
    parameter_parts,
    shapes_only,
    stage_shapes,
    training_bytes,
)


def some_configuration(seed):
    """Random sizes, every switch thrown one way or the other."""
    draw = random.Random(seed)
    heads = draw.randint(1, 5)
    tie = draw.choice(["none", "output", "all"])
    src_vocab = draw.randint(3, 40)
    return TransformerConfig(
        src_vocab=src_vocab,
        tgt_vocab=src_vocab if tie == "all" else draw.randint(3, 40),
        d_model=heads * draw.randint(1, 9),
        n_heads=heads,
        d_ff=draw.randint(1, 50),
        n_layers=draw.randint(1, 4),
        dropout=draw.choice([0.0, 0.3]),
        max_len=draw.randint(20, 60),
        norm=draw.choice(["post", "pre"]),
        final_norm=draw.choice([None, True, False]),
        attention_bias=draw.random() < 0.5,
        tie_embeddings=tie,
        causal=draw.random() < 0.5,
        pad_id=draw.randint(0, 2),
    )


MANY = [some_configuration(seed) for seed in range(16)]


def test_the_random_configurations_throw_every_switch_both_ways():
    for name, choices in (("norm", 2), ("final_norm", 3), ("attention_bias", 2), ("tie_embeddings", 3), ("causal", 2)):
        assert len({getattr(cfg, name) for cfg in MANY}) == choices


@pytest.mark.parametrize("cfg", [*MANY, *PRESETS.values()])
def test_e3_formula_and_count_agree_line_by_line(cfg):
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


def test_the_letters_mean_the_numbers():
    cfg = config(norm="pre")
    letters = {"d": 66, "f": 13, "N": 2, "V_src": 19, "V_tgt": 17}
    for part in parameter_parts(cfg):
        text = part.formula.replace("·", "*").replace("²", "**2")
        for compact, spelled in (("2df", "2*d*f"), ("5N", "5*N"), ("2d", "2*d"), ("4(", "4*("), ("4d", "4*d")):
            text = text.replace(compact, spelled)
        assert eval(text, {"__builtins__": {}}, letters) == part.by_formula, part


@pytest.mark.parametrize("vocab", [11, 37_000])
def test_e3_the_known_totals_of_the_base_model_with_final_norms(vocab):
    cfg = TransformerConfig(vocab, vocab, norm="pre", tie_embeddings="all")
    by_name = {part.name: part.by_count for part in parameter_parts(cfg)}
    attention = sum(by_name[name] for name in ("encoder self-attention", "decoder self-attention", "cross-attention"))
    assert attention == 18 * 4 * (512**2 + 512) == 18_911_232
    feed_forward = by_name["encoder feed-forward"] + by_name["decoder feed-forward"]
    assert feed_forward == 12 * (8 * 512**2 + 5 * 512) == 25_196_544
    assert by_name["norms in the layers"] + by_name["final norms"] == 32 * 2 * 512 == 32_768
    assert by_name["token embeddings, shared with the output"] == 512 * vocab
    assert sum(by_name.values()) == 44_140_544 + 512 * vocab


def test_what_the_switches_add_to_the_known_total():
    total = 44_140_544
    base = TransformerConfig(11, 11, norm="pre", tie_embeddings="all")
    assert count_by_formula(replace(base, norm="post")) == total + 512 * 11 - 2 * 2 * 512
    assert count_by_formula(replace(base, tie_embeddings="output")) == total + 2 * 512 * 11
    assert count_by_formula(replace(base, tie_embeddings="none")) == total + 3 * 512 * 11 + 11
    assert count_by_formula(replace(base, attention_bias=False)) == total + 512 * 11 - 18 * 4 * 512


def test_the_formula_needs_no_model():
    assert count_by_formula(TransformerConfig(11, 11, d_model=10**9, n_heads=1, n_layers=10**9)) > 10**27


@pytest.mark.parametrize(
    ("cfg", "batch", "src_len", "tgt_len"),
    [*((cfg, 3, 19, 17) for cfg in MANY[:5]), (config(), 2, 7, 5), (config(norm="pre", attention_bias=False), 3, 19, 17)],
)
def test_flops_against_torchs_counter(cfg, batch, src_len, tgt_len):
    model, ids = perturbed_model(cfg), token_ids(cfg, batch, src_len, tgt_len)
    with FlopCounterMode(display=False) as counter, torch.no_grad(), Trace():
        model(*ids)
    by_part = forward_flops(cfg, batch, src_len, tgt_len)
    assert sum(by_part.values()) == counter.get_total_flops()


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


@pytest.mark.parametrize("cfg", [config(), config(norm="pre", causal=False), *MANY[:4]])
def test_activation_bytes_against_a_real_trace(cfg):
    with Trace() as trace:
        perturbed_model(cfg)(*token_ids(cfg, 3, 11, 8))
    values = [stage.value for stage in trace.stages.values()]
    assert activation_bytes(cfg, 3, 11, 8) == sum(value.numel() * value.element_size() for value in values)


@pytest.mark.parametrize("cfg", [replace(cfg, n_layers=5 - i % 2) for i, cfg in enumerate(MANY[:6])])
def test_each_layer_more_keeps_as_much_for_the_pass_back(cfg):
    always, row = _kept_bytes(cfg, 11, 8)
    assert training_bytes(cfg, 3, 11, 8) == 16 * count_by_formula(cfg) + always + 3 * row


@pytest.mark.parametrize("batch", [2, 37])
@pytest.mark.parametrize("cfg", [*MANY[:8], config(causal=False), config(dropout=0.1, max_len=50)])
def test_what_a_batch_keeps_follows_from_what_a_row_keeps(monkeypatch, cfg, batch):
    always, row = _kept_bytes(cfg, 11, 8)
    assert row > 0
    monkeypatch.setattr(accounting, "_ROWS", batch)  # of so many rows, all is counted, one way or the other
    own_always, own_row = _kept_bytes.__wrapped__(cfg, 11, 8)
    assert always + batch * row == own_always + batch * own_row


def test_e2_shapes_of_the_base_model_cost_no_memory():
    stages = {stage.name: stage for stage in stage_shapes(PRESETS["paper_base"], 64, 200, 190)}
    assert stages["encoder.5.self_attn.weights"].shape == (64, 8, 200, 200)
    assert stages["decoder.5.cross_attn.weights"].shape == (64, 8, 190, 200)
    assert stages["logits"].shape == (64, 190, 37_000)
    assert sum(4 * prod(stage.shape) for stage in stages.values()) == activation_bytes(PRESETS["paper_base"], 64, 200, 190)


def test_shapes_for_too_long_a_sequence_are_refused_like_the_pass():
    with pytest.raises(ValueError, match="a sequence of 41 tokens is longer than max_len 40"):
        stage_shapes(config(), 2, 41, 5)


@pytest.mark.parametrize(
    "switches",
    [{}, {"score": "additive", "n_heads": 2}, {"norm": "post", "n_layers": 3}, {"dropout": 0.1, "activation": "gelu"}],
)
def test_the_memory_of_training_is_what_autograd_keeps(switches):
    """Counted once more on a real pass; fused attention, on a CPU, keeps less than it would on other devices."""
    cfg = replace(PRESETS["tiny"], src_vocab=23, tgt_vocab=19, **switches)
    model = Transformer(cfg).train()
    kept = {}

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    src, tgt = torch.ones(6, 9, dtype=torch.long), torch.ones(6, 7, dtype=torch.long)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        torch.nn.functional.cross_entropy(model(src, tgt).mT, tgt)
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    activations = sum(kept[at].untyped_storage().nbytes() for at in kept.keys() - weights)
    found = training_bytes(cfg, 6, 9, 7) - 16 * sum(p.numel() for p in model.parameters())
    assert 0.9 * activations <= found <= 2 * activations
