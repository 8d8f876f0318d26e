"""The feed-forward network: the same two layers at every position, each position by itself."""

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.dropout import Dropout
from transformer_core.model.initialisation import Linear
from transformer_core.model.trace import stage


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W₁ + b₁) W₂ + b₂ (section 3.3, equation 2); "gelu" puts a smooth non-linearity in place of max(0, ·).

    Shape: (batch, length, d_model) -> (batch, length, d_model), through d_ff
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.w_1 = Linear(cfg.d_model, cfg.d_ff)
        self.w_2 = Linear(cfg.d_ff, cfg.d_model)
        self.dropout = Dropout(cfg.dropout)
        self.activation = F.relu if cfg.activation == "relu" else F.gelu

    def forward(self, x: Tensor) -> Tensor:
        hidden = stage("hidden", self.w_1(x))
        active = stage("active", self.activation(hidden))
        return stage("output", self.w_2(self.dropout(active)))
