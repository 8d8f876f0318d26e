"""What happens to the gradient on its way down through a deep stack, with and without residual connections."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.layers import EncoderLayer, ResidualConnection
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
    """

    norms: np.ndarray
    aligned: np.ndarray
    through: np.ndarray


def gradient_profile(depth: int, norm: Arrangement, residual: bool, seed: int = 0) -> GradientProfile:
    """One forward and one backward pass through an encoder of random weights (section 3.1), measured at every layer.

    The encoder is the model's own (width 32, 2 heads, d_ff 128), the input a row of 8 random tokens, and the loss is
    the sum of the encoder's output times fixed random numbers. "none" removes the norms from the layers.

    Raises:
        ValueError: for fewer than one layer.
    """
    cfg = TransformerConfig(
        src_vocab=11, tgt_vocab=11, d_model=WIDTH, n_heads=HEADS, d_ff=4 * WIDTH, n_layers=depth, dropout=0.0,
        norm="post" if norm == "post" else "pre", residual=residual, cross_attention=False, final_norm=norm == "pre",
    )  # fmt: skip
    model = Transformer(cfg, torch.Generator().manual_seed(seed)).eval()
    if norm == "none":
        _take_norms_out(model)
    draws = torch.Generator().manual_seed(seed)
    ids = torch.randint(1, cfg.src_vocab, (1, TOKENS), generator=draws)
    read_out = torch.randn(1, TOKENS, WIDTH, generator=draws)

    stream = [model.src_embedding(ids, "src").detach().requires_grad_()]
    for layer in model.encoder:
        stream.append(layer(stream[-1]))
    memory = stream[-1] if model.encoder_norm is None else model.encoder_norm(stream[-1])
    gradients = torch.autograd.grad((memory * read_out).sum(), stream)
    flat = torch.stack(gradients).flatten(1).double()  # (depth + 1, everything)
    return GradientProfile(
        flat.norm(dim=1).numpy(),
        nn.functional.cosine_similarity(flat, flat[-1:], dim=1).numpy(),
        (flat[:-1] - flat[1:]).norm(dim=1).numpy(),
    )


def gradient_profiles(
    depth: int, arrangements: Sequence[Arrangement] = ("post", "pre", "none"), seed: int = 0
) -> dict[tuple[Arrangement, bool], GradientProfile]:
    """`gradient_profile` for each place of the norm, with residual connections (True) and without (False)."""
    return {
        (norm, residual): gradient_profile(depth, norm, residual, seed) for norm in arrangements for residual in (True, False)
    }


def _take_norms_out(model: Transformer) -> None:
    for layer in model.encoder:
        assert isinstance(layer, EncoderLayer)
        for around in (layer.self_attn_residual, layer.feed_forward_residual):
            assert isinstance(around, ResidualConnection)
            around.norm = nn.Identity()
