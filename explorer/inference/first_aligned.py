"""The step of a model's learning at which a head of its cross-attention first follows the words that are translated."""

from typing import NamedTuple

import torch

from explorer import server
from explorer.inference.shared_cache import shared_cache
from transformer_core.analysis.alignment import aligned_weights, telling_places

ALIGNED = 0.5  # share of a head's weight on the aligned source tokens, from which on it follows them
_ROWS = 8  # held-out rows over which a head is judged


class FirstAligned(NamedTuple):
    """The first of the steps kept at which a head follows the words, and the task that the model has learned."""

    step: int
    task: str


@shared_cache(2**16)
def first_aligned_step(model_id: str) -> FirstAligned | None:
    """Of a model in the store. None where there is no such step, or where its task has no single source token for those of an
    answer."""
    model = server.model_store().get(model_id)
    if model is None or model.taught is None or not model.cfg.cross_attention:
        return None
    batch = model.taught.batch(_ROWS, torch.Generator().manual_seed(0), held_out=True)
    places = telling_places(model.taught, batch)
    if not places.any():
        return None
    for step in model.steps:
        if (aligned_weights(model.model(step), batch, places) >= ALIGNED).any():
            return FirstAligned(step, model.task)
    return None
