"""The gradient on its way down through a deep stack, with and without residual connections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.layers import ResidualConnection
from transformer_core.model.transformer import Transformer

Arrangement = Literal["post", "pre", "none"]
WIDTH, HEADS, TOKENS = 32, 2, 8  # small: 24 layers, six times, take less than a second on one core


@dataclass(frozen=True)
class GradientProfile:
    """The gradient of the loss at the residual stream, before every layer and after the last; index 0 is the bottom.

    Shape: all (depth + 1,), but `through` (depth,)

    Attributes:
        norms: its length.
        aligned: cosine of the angle to the gradient at the top: 1 is the same direction, 0 has nothing left of it.
        through: length of what the layer itself adds to the gradient on its way down. With a residual connection the gradient
            is multiplied by 1 + J, J being the derivative of the layer: the 1 passes it on unchanged, and this is the length
            of the J term. With norms, this holds for pre-norm; for post-norm it is simply the difference.
        lengths: of the tokens' vectors there, on their way up; their mean.
    """

    norms: np.ndarray
    aligned: np.ndarray
    through: np.ndarray
    lengths: np.ndarray


def _stack(depth: int, bare: bool, seed: int) -> Transformer:
    """The encoder of random weights, pre-norm with residual connections; `bare`: without norms in its layers."""
    cfg = TransformerConfig(
        src_vocab=11,
        tgt_vocab=11,
        d_model=WIDTH,
        n_heads=HEADS,
        d_ff=4 * WIDTH,
        n_layers=depth,
        dropout=0.0,
        norm="pre",
        cross_attention=False,
        final_norm=True,
    )
    model = Transformer(cfg, torch.Generator().manual_seed(seed)).eval()
    if bare:
        for around in _residuals(model):
            around.norm = nn.Identity()
    return model


def _residuals(model: Transformer) -> Iterator[ResidualConnection]:
    for layer in model.encoder:
        for around in (layer.self_attn_residual, layer.feed_forward_residual):
            assert isinstance(around, ResidualConnection)
            yield around


def gradient_profile(model: Transformer, norm: Arrangement, residual: bool, seed: int) -> GradientProfile:
    """One forward and one backward pass through an encoder, measured at every layer; the layers are rearranged for it.

    The input is a row of 8 random tokens, and the loss is the sum of the encoder's output times fixed random numbers.
    """
    for around in _residuals(model):
        around.norm_first, around.use_residual = norm != "post", residual
    draws = torch.Generator().manual_seed(seed)
    ids = torch.randint(1, model.cfg.src_vocab, (1, TOKENS), generator=draws)
    read_out = torch.randn(1, TOKENS, WIDTH, generator=draws)

    stream = [model.src_embedding(ids).detach().requires_grad_()]
    for layer in model.encoder:
        stream.append(layer(stream[-1]))
    memory = model.encoder_norm(stream[-1]) if norm == "pre" else stream[-1]
    gradients = torch.autograd.grad((memory * read_out).sum(), stream)
    flat = torch.stack(gradients).flatten(1).double()  # (depth + 1, everything)
    return GradientProfile(
        flat.norm(dim=1).numpy(),
        nn.functional.cosine_similarity(flat, flat[-1:], dim=1).numpy(),
        (flat[:-1] - flat[1:]).norm(dim=1).numpy(),
        torch.stack(stream).detach().norm(dim=-1).mean(dim=(1, 2)).numpy(),
    )


def gradient_profiles(
    depth: int, arrangements: Sequence[Arrangement] = ("post", "pre", "none"), seed: int = 0
) -> dict[tuple[Arrangement, bool], GradientProfile]:
    """`gradient_profile` for each place of the norm, with residual connections (True) and without (False).

    The encoder is the model's own, with random weights (section 3.1; width 32, 2 heads, d_ff 128), which are the same in all
    arrangements. "none" removes the norms from the layers.

    Raises:
        ValueError: for fewer than one layer.
    """
    stacks = {bare: _stack(depth, bare, seed) for bare in {norm == "none" for norm in arrangements}}
    return {
        (norm, residual): gradient_profile(stacks[norm == "none"], norm, residual, seed)
        for norm in arrangements
        for residual in (True, False)
    }
