"""One token's vector through the layers: the residual stream, read from a recorded pass, and what the sublayers do to it."""

from dataclasses import dataclass

import numpy as np

from transformer_core.analysis.attention_map import Stages
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    ENCODER,
    FEED_FORWARD,
    MEMORY,
    OUTPUT,
    SELF_ATTENTION,
    SublayerPath,
    embedding_stage,
    norm_stage,
    stacks_of,
)


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
    for stack in stacks_of(cfg):
        end = MEMORY if stack == ENCODER else OUTPUT
        steps = walk(stages, cfg, stack)
        by_norm |= {(stack, step.layer, step.part): (step.before if step.pre else step.total, step.normed) for step in steps}
        if cfg.has_final_norm:
            by_norm[stack, cfg.n_layers, "final"] = steps[-1].after, stages[end]
    return by_norm
