"""A decoder that is given token after token, and keeps the keys and values of all positions before."""

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.layers import DecoderLayer
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.transformer import Transformer


class CachedDecoder:
    """`Transformer.decode` for the last position, at the cost of the new positions alone.

    With a causal mask no position reads a later one, so the keys and values of earlier positions never change: they are kept.
    Those of the encoder's output are computed once, and once for all rows that answer the same source.

    Shape: memory (batch, src, d_model), or (1, src, d_model) for a source that all rows answer;
    src_mask (batch, 1, 1, src) or (1, 1, 1, src)
    """

    def __init__(self, model: Transformer, memory: Tensor, src_mask: Tensor):
        if not model.cfg.causal:
            raise ValueError("without a causal mask earlier positions read later ones: nothing can be kept")
        self._model = model
        self._layers = [_CachedLayer(cast(DecoderLayer, layer), memory, src_mask) for layer in model.decoder]
        self._tokens: Tensor | None = None

    @property
    def length(self) -> int:
        """The number of tokens given so far."""
        return 0 if self._tokens is None else self._tokens.size(1)

    def next_logits(self, tokens: Tensor) -> Tensor:
        """Shape: (batch, new), the tokens that follow those given before -> (batch, tgt_vocab)"""
        first = self.length
        x = self._model.tgt_embedding(tokens, first=first)
        self._tokens = tokens if self._tokens is None else torch.cat([self._tokens, tokens], dim=1)
        mask = padding_mask(self._tokens, self._model.cfg.pad_id)  # (batch, 1, 1, so far)
        if tokens.size(1) > 1:  # one alone may attend to all there are
            mask = mask & causal_mask(self.length, tokens.device)[:, :, first:]  # (batch, 1, new, so far)
        for layer in self._layers:
            x = layer(x, mask, first)
        return self._model.predict(x[:, -1:])[:, -1]

    def follow(self, rows: Tensor) -> None:
        """Keeps these of the rows so far, in this order; a row may be kept several times. Where there are several sources, each
        row must take the place of one of the same source. Raises ValueError before the first token.

        Shape: (new batch,), the indices of the rows
        """
        if self._tokens is None:
            raise ValueError("only rows that have begun can be followed")
        self._tokens = self._tokens[rows]
        for layer in self._layers:
            layer.follow(rows)


def next_logits_of(model: Transformer, memory: Tensor, src_mask: Tensor) -> Callable[[Tensor, Tensor | None], Tensor]:
    """A function of the tokens so far, (rows, so far), that computes the logits of the next one, (rows, tgt_vocab). If its
    second argument `rows` is given, row i continues row `rows[i]` of the last call, otherwise row i.

    It reads the tokens of each row that are new; all of them where the model is not causal, or has edits.
    """
    if model.has_edits or not model.cfg.causal:
        return lambda tokens, _rows: model.decode(tokens, memory.expand(len(tokens), -1, -1), src_mask)[:, -1]
    decoder = CachedDecoder(model, memory, src_mask)

    def next_logits(tokens: Tensor, rows: Tensor | None) -> Tensor:
        if rows is not None:
            decoder.follow(rows)
        return decoder.next_logits(tokens[:, decoder.length :])

    return next_logits


class _CachedLayer:
    """One layer of the decoder. Shape: (batch, new, d_model) -> (batch, new, d_model)"""

    def __init__(self, layer: DecoderLayer, memory: Tensor, src_mask: Tensor):
        self._layer = layer
        self._own: tuple[Tensor, Tensor] | None = None
        self._src_mask = src_mask
        if layer.cross_attn is not None:
            self._source = layer.cross_attn.keys_and_values(memory)  # (batch or 1, head, src, d_k)

    def follow(self, rows: Tensor) -> None:
        if self._own is not None:
            k, v = self._own
            self._own = k[rows], v[rows]

    def __call__(self, x: Tensor, tgt_mask: Tensor, first: int) -> Tensor:
        """`first` is the position of the first new token."""
        layer = self._layer
        x = layer.self_attn_residual(x, lambda y: self._attend_to_own(layer.self_attn, y, tgt_mask, first))
        if (cross_attn := layer.cross_attn) is not None and layer.cross_attn_residual is not None:
            k, v = (each.expand(len(x), -1, -1, -1) for each in self._source)
            x = layer.cross_attn_residual(
                x, lambda y: cross_attn.attend(cross_attn.queries(y, first), k, v, self._src_mask, first)
            )
        return layer.feed_forward_residual(x, layer.feed_forward)

    def _attend_to_own(self, attention: MultiHeadAttention, x: Tensor, mask: Tensor, first: int) -> Tensor:
        k, v = attention.keys_and_values(x, first)
        if self._own is not None:
            k, v = (torch.cat([before, new], dim=2) for before, new in zip(self._own, (k, v), strict=True))
        self._own = k, v  # (batch, head, so far, d_k)
        return attention.attend(attention.queries(x, first), k, v, mask, first)
