"""One encoder layer, one decoder layer: sublayers, each wrapped in a residual sum and a norm."""

from collections.abc import Callable

from torch import Tensor, nn

from transformer_core.attention import MultiHeadAttention
from transformer_core.config import TransformerConfig
from transformer_core.dropout import Dropout
from transformer_core.feed_forward import FeedForward
from transformer_core.trace import NO_TRACE, NoTrace


class Residual(nn.Module):
    """A sublayer with a way round it (section 3.1): LayerNorm(x + Sublayer(x)), or x + Sublayer(LayerNorm(x)) for norm="pre".

    Shape: (batch, length, d_model) -> (batch, length, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.d_model, cfg.norm_eps)
        self.norm_first = cfg.norm == "pre"
        self.dropout = Dropout(cfg.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], axis: str, trace: NoTrace = NO_TRACE) -> Tensor:
        axes = f"batch {axis} d_model"
        if self.norm_first:
            normed = trace("normed", self.norm(x), axes)
            return trace("residual", x + self.dropout(sublayer(normed)), axes)
        residual = trace("residual", x + self.dropout(sublayer(x)), axes)
        return trace("normed", self.norm(residual), axes)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (figure 1 left).

    Shape: (batch, src, d_model) -> (batch, src, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.self_attn = MultiHeadAttention(cfg.d_model, cfg.n_heads, cfg.attention_bias, cfg.dropout)
        self.feed_forward = FeedForward(cfg.d_model, cfg.d_ff, cfg.dropout)
        self.self_attn_residual = Residual(cfg)
        self.feed_forward_residual = Residual(cfg)

    def forward(self, x: Tensor, src_mask: Tensor | None = None, trace: NoTrace = NO_TRACE) -> Tensor:
        at = trace.at("self_attn")
        x = self.self_attn_residual(x, lambda y: self.self_attn(y, y, src_mask, at), "src", at)
        at = trace.at("feed_forward")
        return self.feed_forward_residual(x, lambda y: self.feed_forward(y, "src", at), "src", at)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention over the encoder's output, feed-forward (figure 1 right).

    Shape: x (batch, tgt, d_model), memory (batch, src, d_model) -> (batch, tgt, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.self_attn = MultiHeadAttention(cfg.d_model, cfg.n_heads, cfg.attention_bias, cfg.dropout)
        self.cross_attn = MultiHeadAttention(cfg.d_model, cfg.n_heads, cfg.attention_bias, cfg.dropout)
        self.feed_forward = FeedForward(cfg.d_model, cfg.d_ff, cfg.dropout)
        self.self_attn_residual = Residual(cfg)
        self.cross_attn_residual = Residual(cfg)
        self.feed_forward_residual = Residual(cfg)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        trace: NoTrace = NO_TRACE,
    ) -> Tensor:
        at = trace.at("self_attn")
        x = self.self_attn_residual(x, lambda y: self.self_attn(y, y, tgt_mask, at), "tgt", at)
        at = trace.at("cross_attn")
        x = self.cross_attn_residual(x, lambda y: self.cross_attn(y, memory, src_mask, at), "tgt", at)
        at = trace.at("feed_forward")
        return self.feed_forward_residual(x, lambda y: self.feed_forward(y, "tgt", at), "tgt", at)
