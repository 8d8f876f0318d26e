"""The recurrent encoder-decoder that came before the Transformer, without attention and with it: what a Transformer is raced
against.

Sutskever et al. (2014) hand the decoder the last state of the encoder: all of the source has to pass through it. Bahdanau et
al. (2015) let the decoder attend to the encoder's outputs; the attention here is that of Luong et al. (2015), by dot products.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from transformer_core.data.batch import row_lengths
from transformer_core.errors import InputError
from transformer_core.model.decoding import without_padding
from transformer_core.model.initialisation import LSTM, Embedding, Linear, draw_weights, uninitialised
from transformer_core.model.masks import padding_mask

State = tuple[Tensor, Tensor]  # of an LSTM, h and c: what it says and what it keeps, each (1, batch, width)


@dataclass(frozen=True)
class RecurrentConfig:
    """The sizes of a recurrent encoder-decoder.

    Attributes:
        width: of embeddings, states and outputs.
        attention: whether the decoder attends to the encoder's outputs.
        pad_id: the id that fills rows up.
    """

    src_vocab: int
    tgt_vocab: int
    width: int
    attention: bool
    pad_id: int = 0


class Recurrent(nn.Module):
    """An LSTM (Hochreiter & Schmidhuber 1997) reads the source word by word, and another one writes the target.

    Shape: src ids (batch, src), tgt ids (batch, tgt) -> logits (batch, tgt, tgt_vocab)

    Args:
        generator: the source of the initial weights; None: one that is seeded with 0.

    Raises:
        InputError: for a row of the source without any word.
    """

    def __init__(self, cfg: RecurrentConfig, generator: torch.Generator | None = None):
        super().__init__()
        self.cfg, width = cfg, cfg.width
        with uninitialised():
            self.src_embedding = Embedding(cfg.src_vocab, width, padding_idx=cfg.pad_id)
            self.tgt_embedding = Embedding(cfg.tgt_vocab, width, padding_idx=cfg.pad_id)
            self.encoder = LSTM(width, width, batch_first=True)
            self.decoder = LSTM(width, width, batch_first=True)
            self.combine = Linear(2 * width, width, bias=False) if cfg.attention else None
            self.output = Linear(width, cfg.tgt_vocab)
        draw_weights(self, generator or torch.Generator().manual_seed(0))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        memory, state = self.encode(src)
        logits, _state = self.decode(tgt, state, memory, padding_mask(src, self.cfg.pad_id))
        return logits

    def encode(self, src: Tensor) -> tuple[Tensor, State]:
        """Reads the source. Shape: (batch, src) -> memory (batch, src, width), and the state behind each row's last word"""
        lengths, x = row_lengths(src, self.cfg.pad_id), self.src_embedding(src)
        if not lengths.all():
            raise InputError("a recurrent encoder begins with a word; give every row of the source at least one")
        if lengths.min() == src.size(1):  # all rows end together: a tenth of a step less than with packing
            memory, state = self.encoder(x)
            return memory, state
        rows = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed, state = self.encoder(rows)
        memory, _lengths = pad_packed_sequence(packed, batch_first=True, total_length=src.size(1))
        return memory, state

    def decode(self, tgt: Tensor, state: State, memory: Tensor, src_mask: Tensor) -> tuple[Tensor, State]:
        """Writes behind a state. Shape: tgt (batch, tgt), memory (batch, src, width), src_mask (batch, 1, 1, src) -> logits
        (batch, tgt, tgt_vocab), and the state behind the last word"""
        h, state = self.decoder(self.tgt_embedding(tgt), state)  # (batch, tgt, width)
        if self.combine is not None:
            context = attend(h, memory, src_mask)  # (batch, tgt, width)
            h = torch.tanh(self.combine(torch.cat([context, h], dim=-1)))  # Luong et al., equation 5
        return self.output(h), state


def attend(h: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
    """The encoder's outputs, weighted by softmax(h · memory): Luong et al. (2015), the score "dot".

    Shape: h (batch, tgt, width), memory (batch, src, width), src_mask (batch, 1, 1, src) -> (batch, tgt, width)
    """
    scores = h @ memory.mT  # (batch, tgt, src)
    weights = scores.masked_fill(~src_mask[:, 0], -torch.inf).softmax(dim=-1)
    return weights @ memory


@torch.no_grad()
def greedy_answers(model: Recurrent, src: Tensor, start_id: int, steps: int) -> Tensor:
    """Writes so many tokens, each the likeliest, from one state to the next. Shape: (batch, src) -> (batch, steps)"""
    memory, state = model.encode(src)
    src_mask = padding_mask(src, model.cfg.pad_id)
    token, written = torch.full_like(src[:, :1], start_id), []
    for _ in range(steps):
        logits, state = model.decode(token, state, memory, src_mask)
        token = without_padding(logits, model.cfg.pad_id).argmax(dim=-1)  # (batch, 1)
        written.append(token)
    return torch.cat(written, dim=1)
