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

    With `cfg.residual` off nothing is added: the sublayer's output replaces its input. As a `Scope` it gives its own stages and
    those of the sublayer one path, such as `encoder.0.self_attn`.

    Shape: (batch, length, d_model) -> (batch, length, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.norm = layer_norm(cfg)
        self.norm_first = cfg.norm == "pre"
        self.use_residual = cfg.residual
        self.dropout = Dropout(cfg.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        normed = stage("norm_in", self.norm(x)) if self.norm_first else x
        change = self.dropout(sublayer(normed))
        total = x + change if self.use_residual else change.to(x.dtype)  # float32, as the norm needs it, also under autocast
        residual = stage("residual", total)
        return residual if self.norm_first else stage("norm_out", self.norm(residual))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (figure 1 left).

    Shape: (batch, src, d_model) -> (batch, src, d_model)
    """

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.self_attn = MultiHeadAttention(cfg)
        self.feed_forward = FeedForward(cfg)
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
        self.self_attn = MultiHeadAttention(cfg)
        self.cross_attn = MultiHeadAttention(cfg, cfg.cross_position) if cfg.cross_attention else None
        self.feed_forward = FeedForward(cfg)
        self.self_attn_residual = ResidualConnection(cfg)
        self.cross_attn_residual = ResidualConnection(cfg) if cfg.cross_attention else None
        self.feed_forward_residual = ResidualConnection(cfg)

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None) -> Tensor:
        x = self.self_attn_residual(x, lambda y: self.self_attn(y, y, tgt_mask))
        if (cross_attn := self.cross_attn) is not None and self.cross_attn_residual is not None:
            x = self.cross_attn_residual(x, lambda y: cross_attn(y, memory, src_mask))
        return self.feed_forward_residual(x, self.feed_forward)
