"""Pins the gradient's way down a deep stack: against finite differences, and what the residual sums and norms do to it."""

import numpy as np
import pytest
import torch

from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis.gradient_depth import TOKENS, WIDTH, gradient_profiles

pytestmark = pytest.mark.teaches(point="C5")


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_gradient_at_the_bottom_is_that_of_finite_differences(norm, residual):
    cfg = TransformerConfig(
        src_vocab=11,
        tgt_vocab=11,
        d_model=WIDTH,
        n_heads=2,
        d_ff=4 * WIDTH,
        n_layers=3,
        dropout=0.0,
        norm=norm,
        residual=residual,
        cross_attention=False,
    )
    model = Transformer(cfg, torch.Generator().manual_seed(4)).double().eval()
    draws = torch.Generator().manual_seed(4)
    ids = torch.randint(1, 11, (1, TOKENS), generator=draws)
    read_out = torch.randn(1, TOKENS, WIDTH, generator=draws).double()
    with torch.no_grad():
        x = model.src_embedding(ids).double()

        def losses(x: torch.Tensor) -> torch.Tensor:
            """Of each sequence on its own."""
            for layer in model.encoder:
                x = layer(x)
            memory = model.encoder_norm(x)
            return (memory * read_out).sum(dim=(1, 2))

        step = 1e-6
        nudges = step * torch.eye(TOKENS * WIDTH, dtype=torch.double).view(-1, TOKENS, WIDTH)  # one number each
        slopes = (losses(x + nudges) - losses(x - nudges)) / (2 * step)
    assert gradient_profiles(3, [norm], 4)[norm, residual].norms[0] == pytest.approx(float(slopes.norm()), rel=1e-3)


def test_without_norms_the_gradient_dies_out_and_the_sums_keep_it_alive():
    for seed, depth in ((0, 12), (1, 24)):
        with_sums, without = (gradient_profiles(depth, ["none"], seed)["none", residual].norms for residual in (True, False))
        assert with_sums.shape == without.shape == (depth + 1,)
        assert without[0] / without[-1] < 0.75**depth
        assert with_sums[0] > with_sums[-1]
    assert without[0] / without[-1] < 1e-6 and with_sums[0] / with_sums[-1] > 1e4


@pytest.mark.parametrize(("depth", "seed"), [(8, 1), (24, 0)])
def test_norms_keep_the_length_but_only_the_sums_of_pre_norm_keep_the_message(depth, seed):
    profiles = gradient_profiles(depth, seed=seed)
    found = {(norm, residual): profiles[norm, residual] for norm in ("pre", "post") for residual in (True, False)}
    for each in profiles.values():
        assert each.aligned[-1] == pytest.approx(1)
    for each in found.values():
        assert 1e-3 < each.norms[0] / each.norms[-1] < 1e3
    bottom = {way: each.aligned[0] for way, each in profiles.items()}
    assert bottom["pre", True] > 0.2
    assert max(abs(bottom[way]) for way in bottom if way != ("pre", True)) < 0.2


def test_vectors_grow_on_their_way_up_only_where_no_norm_stands_on_it():
    found = gradient_profiles(24, ["pre", "post"], 2)
    pre, post = found["pre", True].lengths, found["post", True].lengths
    assert pre.shape == post.shape == (25,) and pre[0] == post[0]
    assert pre[-1] > pre[12] > pre[0]
    np.testing.assert_allclose(post[1:], np.sqrt(WIDTH), rtol=1e-3)


def test_the_one_plus_in_numbers():
    """The gradient below a layer is the one above it, plus what the layer adds: no side of that triangle is too long."""
    found = gradient_profiles(10, ["pre"], 1)["pre", True]
    above, below = found.norms[1:], found.norms[:-1]
    assert found.through.shape == (10,)
    assert (np.abs(above - below) <= found.through + 1e-9).all() and (found.through <= above + below).all()
    assert (found.through[5:] < above[5:]).all(), "in the upper half most of it takes the way round"


def test_the_seed_says_all():
    first, again, other = (gradient_profiles(5, ["post"], seed)["post", True] for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.norms, again.norms)
    assert not np.allclose(first.norms, other.norms)
    with pytest.raises(ValueError, match="n_layers must be a whole number of at least 1"):
        gradient_profiles(0, ["pre"])
