"""The first step at which a head of the cross-attention follows the alignment of source and answer."""

from typing import NamedTuple

import torch

from explorer import resources
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.analysis.alignment import aligned_weights, telling_places

ALIGNED = 0.5  # share of a head's weight on the aligned source tokens from which it counts as aligned
_ROWS = 8  # held-out rows over which a head is judged


class FirstAligned(NamedTuple):
    """The first kept step at which a head is aligned, and the task that the model has learned."""

    step: int
    task: str


@shared_cache(2**16)
def first_aligned_step(model_id: str) -> FirstAligned | None:
    """Finds the first aligned step of a model in the store; None if there is none, or if its task aligns no answer token
    with a single source token.
    """
    model = resources.model_store().get(model_id)
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
