"""Positions that attention itself knows: a score then depends on the distance of query and key, not on where both stand.

Rotary turns queries and keys (Su et al., 2021, "RoFormer"), ALiBi lowers scores (Press et al., 2022, "Train short, test long").
"""

import torch
from torch import Tensor, nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import frequencies


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turns each pair of neighbouring dimensions by its angle: (a, b) becomes (a cos - b sin, b cos + a sin).

    Shape: x (..., length, d_k), cos and sin of the angles (length, d_k / 2) -> (..., length, d_k)
    """
    a, b = x.unflatten(-1, (-1, 2)).unbind(dim=-1)  # (..., length, d_k / 2)
    turned = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1)  # (..., length, d_k / 2, 2)
    return turned.flatten(-2).to(x.dtype)


class Rotation(nn.Module):
    """Turns the query or key at position m by m·10000^(-2i/d_k) in its pair of dimensions i (RoFormer, equation 34).

    Two turned vectors have the same product wherever they stand, as long as their distance is the same: turning both by the
    same angle changes no product.

    Shape: (..., length, d_k) -> (..., length, d_k)
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        places = torch.arange(max(cfg.max_len, cfg.longest_tgt), dtype=torch.float64)
        angles = torch.outer(places, frequencies(cfg.d_k))  # (position, d_k / 2)
        self.register_buffer("cos", angles.cos().float(), persistent=False)  # computed, so no file has to hold them
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """`first` is the position of the first vector."""
        end = first + x.size(-2)
        return rotate(x, self.cos[first:end], self.sin[first:end])

    def back(self, d_y: Tensor) -> Tensor:
        """The gradient by x of the vectors from position 0 on: that of y, turned the other way."""
        length = d_y.size(-2)
        return rotate(d_y, self.cos[:length], -self.sin[:length])


def slopes(n_heads: int) -> Tensor:
    """The amount by which a head's scores fall with each position of distance: 2^(-8i/h) in head i of h, from 1 (ALiBi, 3).

    Shape: -> (head,), float64
    """
    return 2.0 ** (torch.arange(1, n_heads + 1, dtype=torch.float64) * (-8 / n_heads))


class DistancePenalty(nn.Module):
    """The summand of the scores in ALiBi (section 3): minus the slope of the head, times the distance of query and key.

    The distance counts alike in both directions. In the paper only earlier keys can be seen, as behind a causal mask.

    Shape: -> (head, query, key)
    """

    slopes: Tensor
    places: Tensor

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        longest = max(cfg.max_len, cfg.longest_tgt)
        self.register_buffer("slopes", slopes(cfg.n_heads).float(), persistent=False)
        self.register_buffer("places", torch.arange(longest, dtype=torch.float32), persistent=False)

    def forward(self, queries: int, keys: int, first: int = 0) -> Tensor:
        """`first` is the position of the first query; keys begin at 0."""
        distance = (self.places[first : first + queries, None] - self.places[:keys]).abs()  # (query, key)
        return -self.slopes[:, None, None] * distance
