"""The input of the model in numbers: embeddings, positions, lengths and angles of vectors, for one sequence."""

import math
from collections.abc import Sequence

import numpy as np
import torch

from transformer_core.model.embedding import frequencies, sinusoidal_encoding
from transformer_core.model.stages import parse_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


@torch.inference_mode()
def embedded(model: Transformer, ids: Sequence[int]) -> dict[str, np.ndarray]:
    """The stages of the embedding of what is read first, the source, or of a decoder alone its target: "tokens", "scaled",
    "positions" (if the model has them), "sum".

    Shape: each (len(ids), d_model)

    Raises:
        ValueError: for an id outside the vocabulary, or more ids than positions.
    """
    with Trace() as trace:
        model.first_embedding(torch.tensor([list(ids)]))
    return {parse_stage(name).name: trace[name].numpy().reshape(len(ids), -1) for name in trace.stages}


def encoding(length: int, d_model: int, base: float = 10_000.0) -> np.ndarray:
    """`sinusoidal_encoding` as an array. Shape: -> (length, d_model)"""
    return sinusoidal_encoding(length, d_model, base).numpy()


def wave_lengths(d_model: int, base: float = 10_000.0) -> np.ndarray:
    """The length of each sine/cosine pair's wave, after which it repeats: from 2π to nearly base·2π positions (section 3.5).

    Shape: -> (ceil(d_model / 2),), float64, positions
    """
    return (2 * math.pi / frequencies(d_model, base)).numpy()
