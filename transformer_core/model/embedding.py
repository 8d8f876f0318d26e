"""From token ids to the vectors that enter the first layer: embed, scale, add positions."""

import math

import torch
from torch import Tensor, nn

from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.dropout import Dropout
from transformer_core.model.initialisation import Embedding
from transformer_core.model.trace import Scope, stage


def frequencies(d_model: int, base: float = 10_000.0) -> Tensor:
    """Angle per position of each sine/cosine pair: base^(-2i/d_model), computed as exp(-2i ln(base)/d_model).

    Shape: -> (ceil(d_model / 2),), float64, radians per position
    """
    return torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(base) / d_model))


def sinusoidal_encoding(length: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle) (section 3.5).

    An odd d_model lacks the last cosine. Angles are computed in float64: float32 is too coarse at position 10,000.

    Shape: -> (length, d_model), float32
    """
    angles = torch.outer(torch.arange(length, dtype=torch.float64), frequencies(d_model, base))
    encoding = torch.empty(length, d_model, dtype=torch.float64)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles[:, : d_model // 2].cos()
    return encoding.float()


def check_length(length: int, max_len: int) -> None:
    """Raises InputError for a sequence with more tokens than there are positions."""
    if length > max_len:
        raise InputError("a sequence of {n} tokens is longer than max_len {max_len}; shorten it", n=length, max_len=max_len)


class TokenAndPositionEmbedding(Scope):
    """Token embedding times √d_model, plus positions, then dropout (figure 1 bottom; sections 3.4, 3.5, 5.4).

    Positions are sinusoids, learned, or absent (`cfg.position`), as where attention
    itself knows them (relative_position.py); the factor can be switched off (`cfg.embedding_scale`).

    Shape: ids (batch, length) -> (batch, length, d_model)

    Raises:
        InputError: for an id outside the vocabulary, or a sequence longer than max_len.
    """

    positions: Tensor | None

    def __init__(self, cfg: TransformerConfig, vocab: int, max_len: int):
        super().__init__()
        self.table = Embedding(vocab, cfg.d_model, padding_idx=cfg.pad_id)
        self.scale = math.sqrt(cfg.d_model) if cfg.embedding_scale else 1.0
        self.dropout = Dropout(cfg.dropout)
        self.max_len = max_len
        if cfg.position == "learned":
            self.positions = nn.Parameter(torch.empty(max_len, cfg.d_model))
        else:  # computed, so no file has to hold them
            rows = sinusoidal_encoding(max_len, cfg.d_model) if cfg.position == "sinusoidal" else None
            self.register_buffer("positions", rows, persistent=False)

    def forward(self, ids: Tensor, first: int = 0) -> Tensor:
        """`first` is the position of the first id."""
        end = first + ids.size(1)
        check_length(end, self.max_len)
        tokens = stage("tokens", self.look_up(ids))
        scaled = stage("scaled", tokens * self.scale)
        if self.positions is not None:
            scaled = scaled + stage("positions", self.positions[first:end])
        x: Tensor = self.dropout(stage("sum", scaled))
        return x

    def look_up(self, ids: Tensor) -> Tensor:
        try:
            rows: Tensor = self.table(ids)  # (batch, length, d_model)
            return rows
        except IndexError as error:
            worst = int(ids.max()) if ids.max() >= self.table.num_embeddings else int(ids.min())
            vocab = self.table.num_embeddings
            raise InputError(
                "token id {token} is outside the vocabulary of {vocab} ids (0 to {last})",
                token=worst,
                vocab=vocab,
                last=vocab - 1,
            ) from error
