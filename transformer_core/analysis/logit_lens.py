"""The logit lens (nostalgebraist, 2020): what the decoder would say if its state went to the output before it is finished."""

from dataclasses import dataclass

import numpy as np
import torch

from transformer_core.analysis.attention_map import Stages
from transformer_core.analysis.residual_stream import walk
from transformer_core.model.stages import DECODER
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True, eq=False)
class Reading:
    """The decoder's state at one depth, put through the model's final norm, where there is one, and its output.

    Shape: logits (tgt, tgt_vocab)

    Attributes:
        layer, part: the sublayer behind which it is read; None for the embedding.
    """

    layer: int | None
    part: str | None
    logits: np.ndarray

    @property
    def probabilities(self) -> np.ndarray:
        """Shape: (tgt, tgt_vocab), float64"""
        powers = np.exp(self.logits.astype(np.float64) - self.logits.max(axis=-1, keepdims=True))
        probabilities: np.ndarray = powers / powers.sum(axis=-1, keepdims=True)
        return probabilities

    @property
    def tops(self) -> np.ndarray:
        """The most probable token at each position. Shape: (tgt,)"""
        tokens: np.ndarray = self.logits.argmax(axis=-1)
        return tokens


@torch.no_grad()
def logit_lens(model: Transformer, stages: Stages) -> list[Reading]:
    """A reading of the embedding, and one after each sublayer, in order (figure 1); the last is what the model says.

    What is read of a pre-norm model is the residual stream; of a post-norm model, the output of the norm that follows the sum.

    Args:
        stages: of one recorded pass of this model.
    """
    steps = walk(stages, model.cfg, DECODER)
    states = [(None, None, steps[0].before), *((step.layer, step.part, step.after) for step in steps)]
    # One at a time: the last product then has the shape that it had in the model, and the same last bit.
    return [Reading(layer, part, model.predict(torch.tensor(x)[None])[0].numpy()) for layer, part, x in states]


def settled(readings: list[Reading]) -> np.ndarray:
    """At each position, the first reading from which on the most probable token is that of the last one. Shape: -> (tgt,)"""
    same = np.stack([reading.tops == readings[-1].tops for reading in readings])  # (reading, tgt)
    first: np.ndarray = len(readings) - np.cumprod(same[::-1], axis=0).sum(axis=0)
    return first
