"""The initial weights of a model, and torch's layers without theirs.

By itself each layer of torch draws weights from a generator that all threads share. A `Transformer` draws all of its own from a
generator that is given to it, and a model from a file needs none: inside `uninitialised()` the layers below draw nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import nn

_uninitialised = ContextVar("uninitialised", default=False)  # of this thread alone


@contextmanager
def uninitialised() -> Iterator[None]:
    """Inside it, the weights of new layers are whatever was in memory: set them before use."""
    token = _uninitialised.set(True)
    try:
        yield
    finally:
        _uninitialised.reset(token)


@torch.no_grad()
def draw_weights(model: nn.Module, generator: torch.Generator) -> None:
    """Matrices: Xavier uniform. Biases and the row of the padding token: 0. Norms: gain 1, bias 0."""
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1:
            nn.init.xavier_uniform_(parameter, generator=generator)
        else:
            nn.init.constant_(parameter, 1.0 if name.endswith("norm.weight") else 0.0)
    for module in model.modules():
        if isinstance(module, Embedding):
            module.weight[module.padding_idx] = 0.0


class Linear(nn.Linear):
    """x Wᵀ + b. Shape: (..., in_features) -> (..., out_features)"""

    def reset_parameters(self) -> None:
        if not _uninitialised.get():
            super().reset_parameters()


class Embedding(nn.Embedding):
    """The row of the embedding matrix for each id (section 3.4). Shape: (...) -> (..., embedding_dim)"""

    def reset_parameters(self) -> None:
        if not _uninitialised.get():
            super().reset_parameters()


class LayerNorm(nn.LayerNorm):
    """(x - mean) / √(variance + eps) · weight + bias. Shape: (..., d_model) -> (..., d_model)"""

    def reset_parameters(self) -> None:
        if not _uninitialised.get():
            super().reset_parameters()


class LSTM(nn.LSTM):
    """Long short-term memory (Hochreiter & Schmidhuber 1997). Shape: (batch, length, input_size) -> (batch, length,
    hidden_size)"""

    def reset_parameters(self) -> None:
        if not _uninitialised.get():
            super().reset_parameters()
