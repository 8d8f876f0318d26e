"""The step of a model's learning at which a head of its cross-attention first points at the words that are translated."""

import numpy as np
import torch

from explorer import server
from explorer.inference.once import once
from transformer_core import TASKS, Trace, Transformer
from transformer_core.analysis.alignment import aligned_places
from transformer_core.analysis.attention_metrics import first_aligned
from transformer_core.data.batch import Batch
from transformer_core.model.stages import attention_path

ALIGNED = 0.5  # share of a head's weight on the aligned source tokens, from which on it counts as aligned
_ROWS = 8  # held-out rows over which a head is judged


@once(2**16)
def first_aligned_step(model_id: str) -> int | None:
    """Of a model in the store: the first of the steps that were kept. None where there is none, or where its task has no single
    source token for those of an answer."""
    model = server.model_store().get(model_id)
    if model is None or model.task not in TASKS or not model.cfg.cross_attention:
        return None
    task = TASKS[model.task]()
    if task.vocab != model.cfg.src_vocab or model.cfg.src_vocab != model.cfg.tgt_vocab:
        return None
    batch = task.batch(_ROWS, torch.Generator().manual_seed(0), held_out=True)
    places = aligned_places(task, batch)
    if not places.any():
        return None
    # All rows as one: their queries one after another.
    flat = places.reshape(-1, places.shape[-1])
    for step in model.steps:
        weights = _weights(model.model(step), batch)
        if first_aligned(weights.reshape(1, weights.shape[0], *flat.shape), flat, ALIGNED) is not None:
            return step
    return None


def _weights(model: Transformer, batch: Batch) -> np.ndarray:
    """Cross-attention of all heads of all layers. Shape: -> (layer · head, row, query, key)"""
    trace = Trace(only=["weights"])
    with torch.inference_mode():
        model(batch.src, batch.tgt, trace=trace)
    layers = [trace[attention_path("cross", i).stage("weights")] for i in range(model.cfg.n_layers)]  # (row, head, query, key)
    return torch.cat(layers, dim=1).transpose(0, 1).numpy()
