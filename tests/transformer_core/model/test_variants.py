"""Pins: every switch of the configuration, alone and mixed, against the model written in numpy; values and gradients."""

import random
from contextlib import nullcontext
from dataclasses import asdict, replace

import pytest
import torch
from torch import Tensor, nn

from tests.transformer_core.helpers import config, generator, load_torch_weights, perturb, perturbed_model, token_ids
from tests.transformer_core.in_numpy import numpy_logits
from tests.transformer_core.model.test_golden import torch_layers
from transformer_core import PRESETS, Trace, Transformer, TransformerConfig
from transformer_core.analysis.accounting import parameter_parts, stage_shapes
from transformer_core.model.config import CHOICES
from transformer_core.model.dropout import use_dropout_generator
from transformer_core.model.norms import UnbiasedNorm
from transformer_core.model.scores import AdditiveScore, ConcatLinearScore
from transformer_core.model.transformer import shapes_only
from transformer_core.training.cost import count_by_formula, forward_flops

SWITCHES = {
    "norm": ("post", "pre"),
    "final_norm": (None, True, False),
    "layer_norm": ("standard", "unbiased_std"),
    "attention_bias": (True, False),
    "tie_embeddings": ("none", "output", "all"),
    "position": ("sinusoidal", "learned", "none"),
    "embedding_scale": (True, False),
    "score": ("scaled_dot", "dot", "additive", "concat_linear"),
    "residual": (True, False),
    "causal": (True, False),
    "cross_attention": (True, False),
    "activation": ("relu", "gelu"),
}
ONE_BY_ONE = [
    {name: value} for name, values in SWITCHES.items() for value in values if value != getattr(TransformerConfig(9, 9), name)
]


def mixed(seed: int) -> dict:
    draw = random.Random(seed)
    return {name: draw.choice(values) for name, values in SWITCHES.items()}


def small(changes: dict) -> TransformerConfig:
    return config(d_model=12, d_ff=10, tgt_vocab=19 if changes.get("tie_embeddings") == "all" else 17, **changes)


def weights(model: Transformer) -> dict[str, Tensor]:
    return dict(model.named_parameters())


def check(cfg: TransformerConfig) -> None:
    """Values to 1e-10 of the largest against numpy, and the gradient of every parameter, along a random direction, to what two
    passes say; traced and not, in float64."""
    model = perturbed_model(cfg, seed=3).double()
    src, tgt = token_ids(cfg)
    arrays = {name: parameter.detach().numpy() for name, parameter in weights(model).items()}
    expected = torch.from_numpy(numpy_logits(cfg, arrays, src.numpy(), tgt.numpy())[1])
    factors = torch.randn(expected.shape, generator=generator(4), dtype=torch.float64)
    directions = {name: torch.randn(each.shape, generator=generator(5)).double() for name, each in weights(model).items()}
    for name in directions.keys() & {"src_embedding.table.weight", "tgt_embedding.table.weight"}:
        directions[name][cfg.pad_id] = 0  # torch leaves the padding row without its gradient
    slopes = {name: slope(model, each, directions[name], src, tgt, factors) for name, each in weights(model).items()}
    largest = max(map(abs, slopes.values()))
    for looked_at in (nullcontext(), Trace()):
        with looked_at:
            logits = model(src, tgt)
        assert (logits - expected).abs().max() <= 1e-10 * expected.abs().max()
        model.zero_grad()
        (logits * factors).sum().backward()
        for name, parameter in weights(model).items():
            found = 0.0 if parameter.grad is None else float((parameter.grad * directions[name]).sum())
            assert abs(found - slopes[name]) <= 1e-6 * largest, name


@torch.no_grad()
def slope(model: Transformer, parameter: Tensor, direction: Tensor, src: Tensor, tgt: Tensor, factors: Tensor) -> float:
    """The sum of the logits times `factors`, differentiated along a direction: its change over a small step to either side."""
    step, kept, found = 1e-6, parameter.clone(), []
    for side in (1, -1):
        parameter.copy_(kept + side * step * direction)
        found.append(float((model(src, tgt) * factors).sum()))
    parameter.copy_(kept)
    return (found[0] - found[1]) / (2 * step)


def test_these_are_all_switches_and_their_values_in_the_order_in_which_they_are_offered():
    assert CHOICES == SWITCHES


@pytest.mark.parametrize("changes", ONE_BY_ONE, ids=lambda changes: "-".join(f"{k}={v}" for k, v in changes.items()))
def test_one_switch_at_a_time(changes):
    check(small(changes))


@pytest.mark.parametrize("seed", range(8))
def test_switches_mixed(seed):
    check(small(mixed(seed)))


@pytest.mark.teaches(point="A13")
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_s_switches(name):
    sizes = {"d_model": 12, "n_heads": 3, "d_ff": 10, "n_layers": 2, "dropout": 0.0, "max_len": 40, "tgt_max_len": 30}
    check(replace(PRESETS[name], src_vocab=19, tgt_vocab=19, **sizes))


@pytest.mark.teaches(point="A10")
def test_the_lesson_preset_is_torch_s_pre_norm_with_the_norms_of_the_notes():
    """Against nn.Transformer with its norms exchanged, values in float32."""

    class Norm(nn.LayerNorm):
        def forward(self, x: Tensor) -> Tensor:
            n = x.size(-1)
            centred = x - x.mean(-1, keepdim=True)
            return centred / ((centred**2).sum(-1, keepdim=True).div(n - 1).sqrt() + self.eps) * self.weight + self.bias

    lesson = PRESETS["lesson"]
    assert (lesson.norm, lesson.has_final_norm, lesson.layer_norm) == ("pre", True, "unbiased_std")
    assert (lesson.attention_bias, lesson.has_output_bias, lesson.activation) == (True, True, "relu")
    cfg = replace(lesson, d_model=66, n_heads=3, d_ff=13, n_layers=2, dropout=0.0, max_len=40)
    reference = torch_layers(cfg).double()
    perturb(reference, seed=5)
    ours = perturbed_model(replace(cfg, layer_norm="standard"), seed=6).double()
    load_torch_weights(ours, reference)
    model = Transformer(cfg).double().eval()
    model.load_state_dict(ours.state_dict())
    for module in list(reference.modules()):
        for child, norm in list(module.named_children()):
            if isinstance(norm, nn.LayerNorm):
                exchanged = Norm(66, cfg.norm_eps).double()
                exchanged.load_state_dict(norm.state_dict())
                setattr(module, child, exchanged)
    src = torch.randint(1, 11, (2, 7), generator=generator(7))
    tgt = torch.randint(1, 11, (2, 5), generator=generator(8))
    with Trace() as trace:
        model(src, tgt)
    x, y = trace["encoder.embedding.sum"], trace["decoder.embedding.sum"]
    future = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected = reference(x, y, tgt_mask=future)
    assert (trace["decoder.output"] - expected).abs().max() <= 1e-12 * expected.abs().max()


@pytest.mark.teaches(point="E1")
def test_the_base_preset_has_the_paper_s_numbers():
    base = PRESETS["paper_base"]
    assert (base.n_layers, base.d_model, base.d_ff, base.n_heads, base.d_k, base.dropout) == (6, 512, 2048, 8, 64, 0.1)
    assert (base.norm, base.has_final_norm, base.tie_embeddings, base.position) == ("post", False, "all", "sinusoidal")


@pytest.mark.teaches(point="D5")
def test_the_post_norm_notes_preset():
    notes = PRESETS["post_norm_notes"]
    assert (notes.norm, notes.has_final_norm, notes.attention_bias, notes.has_output_bias) == ("post", False, False, True)
    assert (notes.max_len, notes.longest_tgt) == (100, 80)
    assert (notes.layer_norm, notes.norm_eps) == ("unbiased_std", 1e-6)
    assert not any("bias" in name and "_attn." in name for name in weights(shapes_only(notes)))


@pytest.mark.teaches(point="A9")
@pytest.mark.parametrize("d_model", [2, 5, 16, 512])
def test_the_unbiased_norm_and_how_far_it_is_from_torch_s(d_model):
    x = torch.randn(3, 4, d_model, generator=generator(9), dtype=torch.float64)
    norm = UnbiasedNorm(d_model, 1e-6).double()
    perturb(norm, seed=10)
    a, b = norm.weight, norm.bias
    mean, std = x.numpy().mean(-1, keepdims=True), x.numpy().std(-1, ddof=1, keepdims=True)
    expected = a.detach().numpy() * (x.numpy() - mean) / (std + 1e-6) + b.detach().numpy()
    torch.testing.assert_close(norm(x).detach(), torch.from_numpy(expected), rtol=0, atol=1e-12)
    plain = UnbiasedNorm(d_model, 1e-6).double()(x)
    torchs = nn.functional.layer_norm(x, (d_model,), eps=0.0)
    torch.testing.assert_close(plain, torchs * ((d_model - 1) / d_model) ** 0.5, rtol=1e-4, atol=1e-4)
    assert (plain - torchs).abs().max() > 1e-4


@pytest.mark.teaches(point="D4")
def test_dropout_follows_the_sum_of_embedding_and_position():
    model = Transformer(config(dropout=0.5), generator(11)).train()
    use_dropout_generator(model, generator(12))
    x = torch.randint(1, 17, (2, 7), generator=generator(13))
    entered = model.tgt_embedding(x)
    with Trace() as trace:
        model.eval().tgt_embedding(x)
    dropped = entered == 0
    assert 0.4 < dropped.float().mean() < 0.6
    torch.testing.assert_close(entered[~dropped], 2 * trace["decoder.embedding.sum"][~dropped])


@pytest.mark.teaches(point="A6")
@pytest.mark.parametrize("kind", [AdditiveScore, ConcatLinearScore])
def test_scores_of_pairs_one_by_one(kind):
    q, k = torch.randn(2, 3, 5, 4, generator=generator(14)), torch.randn(2, 3, 7, 4, generator=generator(15))
    score = kind(4)
    perturb(score, seed=16)
    w, b = score.w.weight.detach().double().numpy(), score.w.bias.detach().double().numpy()
    got = score(q, k).detach()
    assert got.shape == (2, 3, 5, 7)
    for at in [(0, 0, 0, 0), (1, 2, 4, 6), (0, 1, 3, 5), (1, 0, 2, 6)]:
        n, h, i, j = at
        pair = torch.cat([q[n, h, i], k[n, h, j]]).double().numpy()
        compared = w @ pair + b
        expected = float(compared[0]) if kind is ConcatLinearScore else float(torch.tensor(compared).tanh().sum())
        assert abs(got[at].item() - expected) < 1e-5


@pytest.mark.teaches(point="A6")
def test_with_concat_linear_every_query_looks_alike():
    cfg = config(score="concat_linear")
    with Trace() as trace:
        perturbed_model(cfg)(*token_ids(cfg))
    rows = trace["encoder.1.self_attn.weights"]
    assert (rows - rows[:, :, :1]).abs().max() < 1e-6
    assert rows.std(dim=-1).max() > 1e-3  # but keys are told apart


@pytest.mark.teaches(point="B3")
def test_learned_positions_are_weights_of_each_side_and_no_longer_than_their_table():
    cfg = config(position="learned", max_len=9, tgt_max_len=6, tie_embeddings="all", tgt_vocab=19)
    model = perturbed_model(cfg)
    assert model.src_embedding.positions.shape == (9, 66)
    assert model.tgt_embedding.positions.shape == (6, 66)
    assert {name for name in weights(model) if "positions" in name} == {"src_embedding.positions", "tgt_embedding.positions"}
    model(*token_ids(cfg, src=9, tgt=6))
    with pytest.raises(ValueError, match="a sequence of 7 tokens is longer than max_len 6; shorten it"):
        model(*token_ids(cfg, src=9, tgt=7))


@pytest.mark.teaches(point="E3")
@pytest.mark.parametrize("seed", range(4))
def test_formula_and_count_agree_for_any_mixture(seed):
    cfg = small(mixed(seed))
    parts = parameter_parts(cfg)
    for part in parts:
        assert part.by_formula == part.by_count, part.name
    assert sum(part.by_count for part in parts) == sum(p.numel() for p in Transformer(cfg).parameters())
    assert count_by_formula(cfg) == sum(part.by_formula for part in parts)
    for part in parts:
        numbers = part.numbers.replace("²", "**2").replace("·", "*")
        assert eval(numbers) == part.by_formula, part.name  # the line can be checked by hand
    assert all(flops >= 0 for flops in forward_flops(cfg, 2, 7, 5).values())


def test_stages_of_a_variant():
    names = [stage.name for stage in stage_shapes(config(score="additive", position="none", cross_attention=False), 2, 7, 5)]
    assert not any(name.endswith((".products", ".positions")) or "cross_attn" in name for name in names)
    assert "decoder.1.self_attn.scores" in names


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layer_norm": "batch"}, "layer_norm must be one of 'standard', 'unbiased_std', not 'batch'"),
        ({"position": None}, "position must be one of 'sinusoidal', 'learned', 'none', not None"),
        ({"score": "cosine"}, "score must be one of 'scaled_dot', 'dot', 'additive', 'concat_linear', not 'cosine'"),
        ({"residual": 1}, "residual must be one of True, False, not 1"),
        ({"cross_attention": "no"}, "cross_attention must be one of True, False, not 'no'"),
        ({"embedding_scale": 8.0}, "embedding_scale must be one of True, False, not 8.0"),
        ({"activation": "tanh"}, "activation must be one of 'relu', 'gelu', not 'tanh'"),
        ({"tgt_max_len": 0}, "tgt_max_len must be a whole number of at least 1, not 0"),
        (
            {"layer_norm": "unbiased_std", "d_model": 1, "n_heads": 1},
            'layer_norm "unbiased_std" divides by d_model - 1, which is 0 here; try d_model 2',
        ),
    ],
)
def test_what_cannot_be_built_is_said_before(changes, message):
    with pytest.raises(ValueError) as caught:
        config(**changes)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["layer_norm", "score", "residual", "cross_attention"])
def test_torch_has_no_switch_for_it(name):
    value = SWITCHES[name][1]
    with pytest.raises(ValueError, match=f"{name} is {value} here and {SWITCHES[name][0]} in the reference"):
        load_torch_weights(Transformer(config(**{name: value})), torch_layers(config()))


def test_a_configuration_written_before_the_switches_still_reads():
    old = {k: v for k, v in asdict(config()).items() if k not in {*SWITCHES, "tgt_max_len"} or k in ("norm", "tie_embeddings")}
    assert TransformerConfig.from_dict(old) == config()
