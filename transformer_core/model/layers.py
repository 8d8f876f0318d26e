"""One encoder layer, one decoder layer: sublayers, each with a residual connection and a norm."""

from collections.abc import Callable

from torch import Tensor, nn

from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.config import TransformerConfig
from transformer_core.model.dropout import Dropout
from transformer_core.model.feed_forward import FeedForward
from transformer_core.model.norms import layer_norm
from transformer_core.model.trace import Scope, stage


class ResidualConnection(Scope):
    """Surrounds a sublayer (section 3.1): LayerNorm(x + Sublayer(x)), or x + Sublayer(LayerNorm(x)) for norm="pre".

    With `cfg.residual` off nothing is added: the sublayer's output replaces its input.

    Shape: (batch, length, d_model) -> (batch, length, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.norm = layer_norm(cfg)
        self.norm_first = cfg.norm == "pre"
        self.use_residual = cfg.residual
        self.dropout = Dropout(cfg.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            normed = stage("norm_in", self.norm(x))
            return stage("residual", self._sum(x, sublayer(normed)))
        residual = stage("residual", self._sum(x, sublayer(x)))
        return stage("norm_out", self.norm(residual))

    def _sum(self, x: Tensor, change: Tensor) -> Tensor:
        change = self.dropout(change)
        return x + change if self.use_residual else change.to(x.dtype)  # the input of a norm is never of half precision


def _attention(cfg: TransformerConfig) -> MultiHeadAttention:
    return MultiHeadAttention(cfg.d_model, cfg.n_heads, cfg.attention_bias, cfg.dropout, cfg.score)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (figure 1 left).

    Shape: (batch, src, d_model) -> (batch, src, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.self_attn = _attention(cfg)
        self.feed_forward = FeedForward(cfg.d_model, cfg.d_ff, cfg.dropout, cfg.activation)
        self.self_attn_residual = ResidualConnection(cfg)
        self.feed_forward_residual = ResidualConnection(cfg)

    def forward(self, x: Tensor, src_mask: Tensor | None = None) -> Tensor:
        x = self.self_attn_residual(x, lambda y: self.self_attn(y, y, src_mask))
        return self.feed_forward_residual(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention over the encoder's output, feed-forward (figure 1 right).

    With `cfg.cross_attention` off the middle sublayer is missing, and the decoder knows nothing of the source.

    Shape: x (batch, tgt, d_model), memory (batch, src, d_model) -> (batch, tgt, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.self_attn = _attention(cfg)
        self.cross_attn = _attention(cfg) if cfg.cross_attention else None
        self.feed_forward = FeedForward(cfg.d_model, cfg.d_ff, cfg.dropout, cfg.activation)
        self.self_attn_residual = ResidualConnection(cfg)
        self.cross_attn_residual = ResidualConnection(cfg) if cfg.cross_attention else None
        self.feed_forward_residual = ResidualConnection(cfg)

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None) -> Tensor:
        x = self.self_attn_residual(x, lambda y: self.self_attn(y, y, tgt_mask))
        if (cross_attn := self.cross_attn) is not None and self.cross_attn_residual is not None:
            x = self.cross_attn_residual(x, lambda y: cross_attn(y, memory, src_mask))
        return self.feed_forward_residual(x, self.feed_forward)
