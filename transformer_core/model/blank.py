"""torch's layers, which inside `blank()` take memory and leave it as it is.

Each would otherwise draw initial weights of its own, from the generator that all threads share, only to be overwritten: a
Transformer draws its weights itself, and one that comes from a file draws none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from torch import nn

_blank = ContextVar("blank", default=False)  # of this thread alone


@contextmanager
def blank() -> Iterator[None]:
    """Within, layers have weights that are whatever stood in memory: give them others before they are used."""
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
    """One row of a table per id. Shape: (...) -> (..., embedding_dim)"""

    def reset_parameters(self) -> None:
        if not _blank.get():
            super().reset_parameters()


class LayerNorm(nn.LayerNorm):
    """(x - mean) / √(variance + eps) · weight + bias. Shape: (..., d_model) -> (..., d_model)"""

    def reset_parameters(self) -> None:
        if not _blank.get():
            super().reset_parameters()
