"""One token's vector through the layers: the residual stream, read from a recorded pass, and what the sublayers do to it."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from torch import nn

from transformer_core.analysis.attention_map import Stages
from transformer_core.model.config import TransformerConfig
from transformer_core.model.layers import DecoderLayer, EncoderLayer
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    DECODER,
    ENCODER,
    FEED_FORWARD,
    MEMORY,
    OUTPUT,
    SELF_ATTENTION,
    SublayerPath,
    attention_path,
    embedding_stage,
    norm_stage,
)  # fmt: skip
from transformer_core.model.transformer import Transformer


def sublayers(cfg: TransformerConfig, stack: str) -> tuple[str, ...]:
    """The parts of one layer, in order: two in the encoder, three in the decoder (figure 1)."""
    cross = (CROSS_ATTENTION,) if stack == "decoder" and cfg.cross_attention else ()
    return (SELF_ATTENTION, *cross, FEED_FORWARD)


@dataclass(frozen=True)
class Sublayer:
    """One sublayer and what it does to the residual stream, in the model's order (section 3.1).

    Shape: all (token, d_model)

    Attributes:
        before: the stream as it enters.
        normed: the output of the norm: the sublayer's input (pre), or the new stream (post).
        added: the sublayer's output.
        total: `before` + `added`, or `added` alone in a model without residual connections.
        after: the stream as it leaves: `total` (pre) or `normed` (post).
    """

    layer: int
    part: str
    before: np.ndarray
    normed: np.ndarray
    added: np.ndarray
    total: np.ndarray
    after: np.ndarray
    pre: bool

    @property
    def reads(self) -> np.ndarray:
        """The sublayer's input. Shape: (token, d_model)"""
        return self.normed if self.pre else self.before

    @property
    def ordered(self) -> dict[str, np.ndarray]:
        """Its three results, in the order of computation."""
        middle = {"output": self.added, "sum": self.total}
        return {"norm": self.normed, **middle} if self.pre else {**middle, "norm": self.normed}

    @property
    def lengths(self) -> np.ndarray:
        """Lengths of `before`, `added` and `after`. Shape: (3, token)"""
        lengths: np.ndarray = np.linalg.norm(np.stack([self.before, self.added, self.after]).astype(np.float64), axis=-1)
        return lengths

    @property
    def cosine(self) -> np.ndarray:
        """Cosine of the angle between `before` and `after`: 1 is the same direction; NaN for a vector of zeros.

        Shape: (token,)
        """
        before, after = self.before.astype(np.float64), self.after.astype(np.float64)
        both = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
        cosine: np.ndarray = np.divide((before * after).sum(axis=-1), both, out=np.full(both.shape, np.nan), where=both > 0)
        return cosine


def walk(stages: Stages, cfg: TransformerConfig, stack: str) -> list[Sublayer]:
    """Every sublayer of a whole stack, bottom first."""
    steps, stream, pre = [], stages[embedding_stage(stack, "sum")], cfg.norm == "pre"
    names = (norm_stage(pre), "output", "residual")
    for layer in range(cfg.n_layers):
        for part in sublayers(cfg, stack):
            path = SublayerPath(stack, layer, part)
            normed, added, total = (stages[path.stage(name)] for name in names)
            after = total if pre else normed
            steps.append(Sublayer(layer, part, stream, normed, added, total, after, pre))
            stream = after
    return steps


def sublayer_of(stages: Stages, cfg: TransformerConfig, stack: str, layer: int, part: str) -> Sublayer:
    """One sublayer out of `walk`."""
    return next(step for step in walk(stages, cfg, stack) if (step.layer, step.part) == (layer, part))


def norms(stages: Stages, cfg: TransformerConfig) -> dict[tuple[str, int, str], tuple[np.ndarray, np.ndarray]]:
    """Input and output of every norm of this model: (stack, layer, part) -> two of (token, d_model).

    The norm after a whole stack, where there is one, is (stack, n_layers, "final").
    """
    by_norm: dict[tuple[str, int, str], tuple[np.ndarray, np.ndarray]] = {}
    for stack, end in ((ENCODER, MEMORY), (DECODER, OUTPUT)):
        steps = walk(stages, cfg, stack)
        by_norm |= {(stack, step.layer, step.part): (step.before if step.pre else step.total, step.normed) for step in steps}
        if cfg.has_final_norm:
            by_norm[stack, cfg.n_layers, "final"] = steps[-1].after, stages[end]
    return by_norm


@dataclass(frozen=True)
class CrossProjections:
    """Q, K and V of one layer's cross-attention, recomputed: K and V from the encoder's output, Q from the decoder's vectors.

    Shape: q (tgt, d_model), k, v (src, d_model), all heads side by side. The three `*_error` are the largest differences
        from what the pass recorded.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    q_error: float
    k_error: float
    v_error: float


def cross_projections(model: Transformer, stages: Stages) -> list[CrossProjections]:
    """For every decoder layer: K = memory · W_K, V = memory · W_V, Q = decoder's vectors · W_Q (section 3.2.3).

    Computed here with numpy from the recorded memory and the layers' weights; empty for a model without cross-attention.
    """
    if not model.cfg.cross_attention:
        return []
    projections = []
    for layer in range(model.cfg.n_layers):
        attention = cast(DecoderLayer, _layer(model, "decoder", layer)).cross_attn
        assert attention is not None
        given = sublayer_of(stages, model.cfg, "decoder", layer, CROSS_ATTENTION).reads
        q = _linear(given, attention.w_q)
        k, v = (_linear(stages[MEMORY], w) for w in (attention.w_k, attention.w_v))
        recorded = (stages[attention_path("cross", layer).stage(name)] for name in "qkv")
        errors = [_largest_gap(made, heads) for made, heads in zip((q, k, v), recorded, strict=True)]
        projections.append(CrossProjections(q, k, v, *errors))
    return projections


def _linear(x: np.ndarray, layer: nn.Linear) -> np.ndarray:
    product: np.ndarray = x @ layer.weight.detach().numpy().T
    if layer.bias is not None:
        product = product + layer.bias.detach().numpy()
    return product


def _largest_gap(made: np.ndarray, heads: np.ndarray) -> float:
    """Shape: made (token, d_model), heads (head, token, d_k)"""
    return float(np.abs(made - heads.swapaxes(0, 1).reshape(made.shape)).max())


def _layer(model: Transformer, stack: str, layer: int) -> EncoderLayer | DecoderLayer:
    return cast(EncoderLayer | DecoderLayer, model.get_submodule(f"{stack}.{layer}"))
