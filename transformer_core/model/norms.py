"""Layer norm: every token's vector gets mean 0 and standard deviation 1, then a learned gain and bias."""

import torch
from torch import Tensor, nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.initialisation import LayerNorm


class UnbiasedNorm(nn.Module):
    """(x - mean) / (std + eps) · weight + bias, with the standard deviation over d_model - 1, and eps outside the root.

    Some textbooks write layer norm like this. `nn.LayerNorm` divides by √(variance + eps), with the variance over d_model:
    the results differ by a factor of about √(1 - 1/d_model).

    Shape: (..., d_model) -> (..., d_model)
    """

    def __init__(self, d_model: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        return centred / (x.std(dim=-1, keepdim=True) + self.eps) * self.weight + self.bias


def layer_norm(cfg: TransformerConfig) -> nn.Module:
    """The norm that the configuration names (section 3.1)."""
    kind = LayerNorm if cfg.layer_norm == "standard" else UnbiasedNorm
    return kind(cfg.d_model, cfg.norm_eps)
