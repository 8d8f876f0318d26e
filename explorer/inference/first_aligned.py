"""The step of a model's learning at which a head of its cross-attention first points at the words that are translated."""

import torch

from explorer import server
from explorer.inference.once import once
from transformer_core import TASKS
from transformer_core.analysis.alignment import aligned_places, aligned_weights

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
    for step in model.steps:
        if (aligned_weights(model.model(step), batch, places) >= ALIGNED).any():
            return step
    return None
