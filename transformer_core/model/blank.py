"""torch's layers, which inside `blank()` leave their weights uninitialised.

Otherwise each would draw initial weights from the generator that all threads share, only for them to be overwritten: a
Transformer draws its own weights, and one loaded from a file needs none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from torch import nn

_blank = ContextVar("blank", default=False)  # of this thread alone


@contextmanager
def blank() -> Iterator[None]:
    """Inside it, the weights of new layers are whatever was in memory: set them before use."""
    token = _blank.set(True)
    try:
        yield
    finally:
        _blank.reset(token)


class Linear(nn.Linear):
    """x Wᵀ + b. Shape: (..., in_features) -> (..., out_features)"""

    def reset_parameters(self) -> None:
        if not _blank.get():
            super().reset_parameters()


class Embedding(nn.Embedding):
    """One row of the embedding matrix per id. Shape: (...) -> (..., embedding_dim)"""

    def reset_parameters(self) -> None:
        if not _blank.get():
            super().reset_parameters()


class LayerNorm(nn.LayerNorm):
    """(x - mean) / √(variance + eps) · weight + bias. Shape: (..., d_model) -> (..., d_model)"""

    def reset_parameters(self) -> None:
        if not _blank.get():
            super().reset_parameters()
