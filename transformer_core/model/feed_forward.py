"""The feed-forward network: the same two layers at every position, each position by itself."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.blank import Linear
from transformer_core.model.dropout import Dropout
from transformer_core.model.trace import stage

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W₁ + b₁) W₂ + b₂ (section 3.3, equation 2); "gelu" puts a smooth non-linearity in place of max(0, ·).

    Shape: (batch, length, d_model) -> (batch, length, d_model), through d_ff
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float, activation: str = "relu"):
        super().__init__()
        self.w_1 = Linear(d_model, d_ff)
        self.w_2 = Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)
        self.activation = _ACTIVATIONS[activation]

    def forward(self, x: Tensor) -> Tensor:
        hidden = stage("hidden", self.w_1(x))
        active = stage("active", self.activation(hidden))
        return stage("output", self.w_2(self.dropout(active)))
