"""The numbers that lecture notes print while they build the model: mostly of random weights, and under dropout."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from transformer_core.analysis.dropout_effect import dropped
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import attention_path, embedding_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

_BLOCKED = -1e9  # what the notes put in the place of a masked score


@dataclass(frozen=True)
class PrintedNumbers:
    """The tensors of the first sentence of a batch of random ids, in an encoder layer with random weights.

    Attributes:
        dropped: tokens × √d_model + positions after dropout, (token, d_model).
        weights: those of head 0, (query, key); blocked: the same where the mask is all zeros, so that every score becomes -1e9;
        blocked_dropped: after dropout.
    """

    dropped: np.ndarray
    weights: np.ndarray
    blocked: np.ndarray
    blocked_dropped: np.ndarray


def printed_numbers(cfg: TransformerConfig, batch: int, length: int, p: float, seed: int = 0) -> PrintedNumbers:
    """All of them, of a model of these sizes with one layer."""
    generator = torch.Generator().manual_seed(seed)
    model = Transformer(replace(cfg, n_layers=1), generator).eval()
    ids = torch.randint(1, cfg.src_vocab, (batch, length), generator=generator)
    with torch.inference_mode(), Trace() as trace:
        model.encode(ids)
    path = attention_path("encoder", 0)
    embedded, scores = (trace[name][0].numpy() for name in (embedding_stage("encoder", "sum"), path.stage("scores")))
    blocked = torch.full(scores.shape[1:], _BLOCKED).softmax(dim=-1).numpy()
    weights = trace[path.stage("weights")][0, 0].numpy()
    return PrintedNumbers(dropped(embedded, p, seed), weights, blocked, dropped(blocked, p, seed))
