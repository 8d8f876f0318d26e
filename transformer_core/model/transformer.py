"""The whole model of figure 1: encoder, decoder, and the output projection; or the decoder alone.

`stage(name, x)`, here and in the files that follow, returns `x`: read past it. It gives the tensor a name, by which a `Trace`
around the pass records it and an edit can change it (trace.py). Without either it does nothing.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import TokenAndPositionEmbedding
from transformer_core.model.initialisation import Linear, draw_weights, uninitialised
from transformer_core.model.layers import DecoderLayer, EncoderLayer
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.norms import layer_norm
from transformer_core.model.stages import LOGITS, MEMORY, OUTPUT, stage_path
from transformer_core.model.trace import Scope, stage


class Transformer(nn.Module):
    """The encoder-decoder of "Attention Is All You Need" (figure 1), or its decoder alone (`cfg.stacks`).

    Shape: src ids (batch, src), tgt ids (batch, tgt) -> logits (batch, tgt, tgt_vocab); src is (batch, 0) for a decoder alone

    Args:
        cfg: sizes and options.
        generator: the source of the initial weights (a CPU generator; the global one is never touched). None means a generator
            seeded with 0: two models of the same configuration are then equal.
        initialise: False leaves the weights uninitialised, to be loaded later.
    """

    has_edits = False  # True for `IntervenedModel`: each step of decoding then computes all stages in full

    def __init__(self, cfg: TransformerConfig, generator: torch.Generator | None = None, initialise: bool = True):
        super().__init__()
        self.cfg = cfg
        with uninitialised():  # `draw_weights`, below, sets all weights
            # The target's comes first: a table that both share is drawn, and named, as its own.
            self.tgt_embedding = TokenAndPositionEmbedding(cfg, cfg.tgt_vocab, cfg.longest_tgt)
            if cfg.has_encoder:
                self.src_embedding = TokenAndPositionEmbedding(cfg, cfg.src_vocab, cfg.max_len)
            if cfg.tie_embeddings == "all":
                self.src_embedding.table = self.tgt_embedding.table
            self.encoder = nn.ModuleList(EncoderLayer(cfg) for _ in range(cfg.n_layers if cfg.has_encoder else 0))
            self.decoder = nn.ModuleList(DecoderLayer(cfg) for _ in range(cfg.n_layers))
            self.encoder_norm = layer_norm(cfg) if cfg.has_final_norm and cfg.has_encoder else nn.Identity()
            self.decoder_norm = layer_norm(cfg) if cfg.has_final_norm else nn.Identity()
            self.output = Linear(cfg.d_model, cfg.tgt_vocab) if cfg.tie_embeddings == "none" else None
        for name, module in self.named_modules():
            if isinstance(module, Scope):  # its place in the model begins the names of the stages inside it
                module.path = stage_path(name)
        if initialise:
            draw_weights(self, generator or torch.Generator().manual_seed(0))

    @property
    def first_embedding(self) -> TokenAndPositionEmbedding:
        """The embedding of what is read first: the source's, or that of a decoder alone."""
        return self.src_embedding if self.cfg.has_encoder else self.tgt_embedding

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None) -> Tensor:
        """Masks that are not given follow from the ids, `cfg.pad_id` and `cfg.causal`."""
        src_mask = self.src_mask(src) if src_mask is None else src_mask
        return self.decode(tgt, self.encode(src, src_mask), src_mask, tgt_mask)

    def src_mask(self, src: Tensor) -> Tensor:
        """Shape: (batch, src) -> (batch, 1, 1, src)"""
        return padding_mask(src, self.cfg.pad_id)

    def tgt_mask(self, tgt: Tensor) -> Tensor:
        """Shape: (batch, tgt) -> (batch, 1, tgt, tgt), or (batch, 1, 1, tgt) when the model is not causal"""
        keep = padding_mask(tgt, self.cfg.pad_id)
        return keep & causal_mask(tgt.size(1), tgt.device) if self.cfg.causal else keep

    def encode(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        """Shape: (batch, src) -> memory (batch, src, d_model); (batch, 0, d_model) of a decoder alone"""
        if not self.cfg.has_encoder:
            if src.size(1):
                raise InputError("a decoder alone reads no source; give one of no tokens, not of {n}", n=src.size(1))
            return self.tgt_embedding.table.weight.new_empty(len(src), 0, self.cfg.d_model)
        src_mask = self.src_mask(src) if src_mask is None else src_mask
        x = self.src_embedding(src)
        for layer in self.encoder:
            x = layer(x, src_mask)
        return stage(MEMORY, self.encoder_norm(x))

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None) -> Tensor:
        """Shape: tgt (batch, tgt), memory (batch, src, d_model) -> logits (batch, tgt, tgt_vocab)

        Without a `src_mask` every row of the memory may be attended to: the ids, which would show the padding, are not known.
        """
        tgt_mask = self.tgt_mask(tgt) if tgt_mask is None else tgt_mask
        x = self.tgt_embedding(tgt)
        for layer in self.decoder:
            x = layer(x, memory, src_mask, tgt_mask)
        return self.predict(x)

    def predict(self, x: Tensor) -> Tensor:
        """The final norm and the output projection. Shape: (batch, tgt, d_model) -> logits (batch, tgt, tgt_vocab)"""
        x = stage(OUTPUT, self.decoder_norm(x))
        logits = F.linear(x, self.tgt_embedding.table.weight) if self.output is None else self.output(x)
        return stage(LOGITS, logits)


def shapes_only(cfg: TransformerConfig) -> Transformer:
    """A model on the device "meta": its tensors have shapes but no values, and take no memory."""
    with torch.device("meta"):
        return Transformer(cfg, initialise=False)
