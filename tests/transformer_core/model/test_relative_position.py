"""Pins: rotary and ALiBi against the papers' formulas, what they leave alone, and that scores follow the distance alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import arrays, config, generator, perturbed_model, token_ids
from tests.transformer_core.in_numpy import numpy_logits
from transformer_core import Trace, Transformer, TransformerConfig
from transformer_core.analysis.accounting import stage_flops, stage_parameters
from transformer_core.analysis.head_split import head_splits
from transformer_core.errors import InputError
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.embedding import frequencies
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.relative_position import rotate, slopes
from transformer_core.training import checkpoint
from transformer_core.training.cost import count_by_formula

BOTH = pytest.mark.parametrize("position", ["rotary", "alibi"])
CROSS = pytest.mark.parametrize("cross", [False, True])


def angles(places, d_k):
    """cos and sin for these positions, in float64."""
    turned = torch.outer(torch.as_tensor(places, dtype=torch.float64), frequencies(d_k))
    return turned.cos(), turned.sin()


def test_rotation_is_the_matrix_of_equation_34():
    x = torch.randn(4, 6, generator=generator(1), dtype=torch.float64)
    turned = rotate(x, *angles(range(4), 6))
    for m in range(4):
        matrix = np.zeros((6, 6))
        for i in range(3):
            angle = m * 10_000 ** (-2 * i / 6)
            matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        np.testing.assert_allclose(turned[m], matrix @ x[m].numpy(), atol=1e-12)
        assert float(turned[m].norm()) == pytest.approx(float(x[m].norm()), rel=1e-12)


def test_a_product_of_turned_vectors_knows_the_distance_alone():
    q, k = (torch.randn(1, 8, generator=generator(seed), dtype=torch.float64) for seed in (1, 2))

    def product(at_q, at_k):
        return float((rotate(q, *angles([at_q], 8)) * rotate(k, *angles([at_k], 8))).sum())

    assert product(3, 5) == pytest.approx(product(103, 105), abs=1e-10)
    assert product(9, 2) == pytest.approx(product(57, 50), abs=1e-10)
    assert abs(product(3, 5) - product(3, 6)) > 1e-3 and abs(product(3, 5) - product(5, 3)) > 1e-3


def test_slopes_of_eight_heads_are_those_of_the_paper():
    assert slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    np.testing.assert_allclose(slopes(3), [2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8])


@BOTH
@CROSS
@pytest.mark.parametrize("length", [7, 20], ids=["short rows", "fused"])
def test_logits_are_those_of_numpy(position, cross, length):
    cfg = config(position=position, cross_position=cross, norm="pre")
    model = perturbed_model(cfg, seed=2).double().eval()
    src, tgt = token_ids(cfg, src=length, tgt=length + 2)
    _, expected = numpy_logits(cfg, arrays(model), src.numpy(), tgt.numpy())
    with torch.no_grad():
        for found in (model(src, tgt), model.train()(src, tgt)):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    other = numpy_logits(replace(cfg, cross_position=not cross), arrays(model), src.numpy(), tgt.numpy())[1]
    assert np.abs(other - expected).max() > 1e-3 * np.abs(expected).max(), "cross-attention does as it is told"


@BOTH
@torch.no_grad()
def test_scores_do_not_change_where_all_tokens_stand_further_on(position):
    module = MultiHeadAttention(config(position=position)).double()
    x = torch.randn(2, 6, 66, generator=generator(3), dtype=torch.float64)
    found = []
    for first in (0, 30):
        with Trace() as trace:
            q, (k, v) = module.queries(x, first), module.keys_and_values(x, first)
            if position == "rotary":
                module.attend(q, k, v)
            else:  # keys are counted from 0: those before are given, and not looked at
                before = torch.zeros(2, 3, first, 22, dtype=torch.float64)
                module.attend(q, torch.cat([before, k], dim=2), torch.cat([before, v], dim=2), first=first)
        found.append(trace["scores"][..., -6:])
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=1e-5 * float(found[0].abs().max()))  # angles are float32
    assert (found[0][..., 0, 1] - found[0][..., 2, 3]).abs().max() > 1e-3, "the vectors differ"


@BOTH
@torch.no_grad()
def test_no_token_reads_a_later_one(position):
    model = perturbed_model(config(position=position, cross_position=True)).double()
    src, tgt = token_ids(model.cfg, tgt=9)
    later = tgt.clone()
    later[:, 5:] = (tgt[:, 5:] + 1).clamp(max=16)
    before, after = model(src, tgt), model(src, later)
    assert torch.equal(before[:, :5], after[:, :5]) and not torch.equal(before[:, 5:], after[:, 5:])


@torch.no_grad()
def test_stages_are_recorded_where_positions_count():
    src, tgt = token_ids(config())
    with Trace() as trace:
        perturbed_model(config(position="rotary"))(src, tgt)
    turned = {name for name in trace.stages if "unrotated" in name}
    assert turned == {f"{stack}.{i}.self_attn.unrotated_{x}" for stack in ("encoder", "decoder") for i in (0, 1) for x in "qk"}
    q, plain = trace["encoder.1.self_attn.q"], trace["encoder.1.self_attn.unrotated_q"]
    torch.testing.assert_close(q, rotate(plain, *(each.float() for each in angles(range(q.size(2)), 22))))
    torch.testing.assert_close(q[:, :, 0], plain[:, :, 0])
    assert "encoder.embedding.positions" not in trace.stages

    model = perturbed_model(config(position="alibi", cross_position=True))
    with Trace() as trace:
        model(src, tgt)
    assert sum("penalties" in name for name in trace.stages) == 6
    penalties = trace["decoder.0.cross_attn.penalties"]  # (head, query, key)
    assert penalties[1, 2, 5] == pytest.approx(-3 * 2 ** (-16 / 3)) and penalties[1, 4, 4] == 0
    scores = trace["decoder.0.cross_attn.products"] / 22**0.5 + penalties
    torch.testing.assert_close(trace["decoder.0.cross_attn.scores"], scores)


@torch.no_grad()
def test_without_penalties_the_model_is_one_without_positions():
    src, tgt = token_ids(config())
    with_alibi = perturbed_model(config(position="alibi"))
    names = [f"{stack}.{i}.self_attn.penalties" for stack in ("encoder", "decoder") for i in (0, 1)]
    bare = Transformer(config(position="none"))
    bare.load_state_dict(with_alibi.state_dict())
    torch.testing.assert_close(IntervenedModel(with_alibi, dict.fromkeys(names, torch.zeros_like))(src, tgt), bare(src, tgt))


@BOTH
def test_sizes_are_those_of_a_model_without_positions(position):
    cfg, bare = config(position=position), config(position="none")
    assert count_by_formula(cfg) == count_by_formula(bare) == sum(each.numel() for each in Transformer(cfg).parameters())
    assert sum(stage_parameters(cfg).values()) == count_by_formula(cfg)
    assert sum(stage_flops(cfg, 1, 5, 4).values()) == sum(stage_flops(bare, 1, 5, 4).values())
    q = "unrotated_q" if position == "rotary" else "q"
    assert stage_parameters(cfg)[f"encoder.0.self_attn.{q}"] == 66 * 67 and stage_parameters(cfg)["decoder.0.cross_attn.q"]


@BOTH
def test_a_file_brings_them_back(position, tmp_path):
    model = perturbed_model(config(position=position, cross_position=True))
    checkpoint.save(tmp_path / "model.pt", model)
    loaded = checkpoint.load(tmp_path / "model.pt").model
    assert loaded.cfg == model.cfg
    with torch.no_grad():
        assert torch.equal(loaded(*token_ids(model.cfg)), model(*token_ids(model.cfg)))


def test_cross_position_means_nothing_without_positions_in_attention_or_without_cross_attention():
    assert config(cross_position=True) == config()
    assert config(position="rotary", cross_attention=False, cross_position=True).cross_position is False
    assert config(position="alibi", stacks="decoder", cross_position=True).cross_position is False


def test_rotary_needs_pairs():
    with pytest.raises(InputError, match="turns pairs of dimensions, and a head has 3 here; make d_model a multip") as caught:
        TransformerConfig(9, 9, d_model=12, n_heads=4, position="rotary")
    assert caught.value.nearest["d_model"][:2] == (8, 16) and caught.value.nearest["n_heads"][0] in (3, 6)


@BOTH
@torch.no_grad()
def test_both_splits_into_heads_know_the_positions(position):
    model = perturbed_model(config(position=position))
    src, tgt = (each[:, :4] for each in token_ids(model.cfg, batch=1))  # no padding
    with Trace() as trace:
        model(src, tgt)
    x = trace["encoder.embedding.sum"][0].numpy()
    allowed = np.ones((len(x), len(x)), dtype=bool)
    splits = head_splits(model.encoder[0].self_attn, x, x, allowed)
    np.testing.assert_allclose(splits.right_weights, trace["encoder.0.self_attn.weights"][0], atol=1e-6)
    assert splits.alone < 1e-5 and splits.joined < 1e-6
