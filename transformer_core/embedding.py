"""From token ids to the vectors that enter the first layer: look up, scale, add positions."""

import math

import torch
from torch import Tensor, nn

from transformer_core.dropout import Dropout
from transformer_core.trace import NO_TRACE, NoTrace


def frequencies(d_model: int, base: float = 10_000.0) -> Tensor:
    """Angle per position of each sine/cosine pair: base^(-2i/d_model), computed as exp(-2i ln(base)/d_model).

    Shape: -> (ceil(d_model / 2),), float64, radians per position
    """
    return torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(base) / d_model))


def wavelengths(d_model: int, base: float = 10_000.0) -> Tensor:
    """Positions until a pair repeats: from 2π up to nearly base·2π (section 3.5).

    Shape: -> (ceil(d_model / 2),), float64, positions
    """
    return 2 * math.pi / frequencies(d_model, base)


def sinusoidal_encoding(length: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle) (section 3.5).

    An odd d_model simply lacks the last cosine. Angles are computed in float64: at position 10,000 float32 would be off.

    Shape: -> (length, d_model), float32
    """
    angles = torch.outer(torch.arange(length, dtype=torch.float64), frequencies(d_model, base))
    encoding = torch.empty(length, d_model, dtype=torch.float64)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles[:, : d_model // 2].cos()
    return encoding.float()


class Embedding(nn.Module):
    """Token table times √d_model, plus positions, then dropout (sections 3.4, 3.5, 5.4).

    Shape: ids (batch, length) -> (batch, length, d_model)

    Raises:
        ValueError: for a token id outside the table, or a sequence longer than max_len.
    """

    positions: Tensor

    def __init__(self, vocab: int, d_model: int, max_len: int, pad_id: int, dropout: float):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad_id)
        self.scale = math.sqrt(d_model)
        self.dropout = Dropout(dropout)
        self.register_buffer("positions", torch.empty(max_len, d_model), persistent=False)

    def forward(self, ids: Tensor, axis: str, trace: NoTrace = NO_TRACE) -> Tensor:
        max_len = self.positions.size(0)
        if ids.size(1) > max_len:
            raise ValueError(f"a sequence of {ids.size(1)} tokens is longer than max_len {max_len}; shorten it")
        tokens = trace("tokens", self._look_up(ids), f"batch {axis} d_model")
        scaled = trace("scaled", tokens * self.scale, f"batch {axis} d_model")
        positions = trace("positions", self.positions[: ids.size(1)], f"{axis} d_model")
        return self.dropout(trace("sum", scaled + positions, f"batch {axis} d_model"))

    def _look_up(self, ids: Tensor) -> Tensor:
        try:
            return self.table(ids)
        except IndexError as error:
            worst = int(ids.max()) if ids.max() >= self.table.num_embeddings else int(ids.min())
            raise ValueError(
                f"token id {worst} is outside the vocabulary of {self.table.num_embeddings} ids "
                f"(0 to {self.table.num_embeddings - 1})"
            ) from error
