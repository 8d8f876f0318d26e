"""Dropout with a random generator of its own."""

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Zeroes each value with probability p in training and scales the rest by 1/(1-p) (section 5.4).

    `nn.Dropout` draws from torch's global generator, which all threads of a server share, so that two runs at once would
    disturb each other. This one draws from `generator`, which must live on the tensor's device; None means the global one.
    """

    def __init__(self, p: float):
        super().__init__()
        self.p = p
        self.generator: torch.Generator | None = None

    @property
    def active(self) -> bool:
        return self.training and self.p > 0

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factors(x) if self.active else x

    def factors(self, x: Tensor) -> Tensor:
        """Draws what each value is multiplied by: 0, or 1/(1-p). Shape: that of x -> the same"""
        wide = torch.promote_types(x.dtype, torch.float32)  # in half precision 1/(1-p) would be biased
        return torch.empty_like(x, dtype=wide).bernoulli_(1 - self.p, generator=self.generator).div_(1 - self.p)


def use_dropout_generator(model: nn.Module, generator: torch.Generator) -> None:
    """Makes all dropout layers draw from `generator`, which must be on the model's device."""
    for module in model.modules():
        if isinstance(module, Dropout):
            module.generator = generator
