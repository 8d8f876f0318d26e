"""How often a model answers sentences right that it has never seen."""

import threading

import torch
from cachetools import LRUCache, cached

from explorer.inference.forward import ModelChoice, model_of
from transformer_core import TASKS
from transformer_core.training.evaluation import exact_match

ROWS = 200
_SEED = 1  # another one than that of the rows over which means are taken


@cached(LRUCache(512), lock=threading.Lock())
def share_right(choice: ModelChoice, task: str) -> float:
    """The share of ROWS held-out rows of a task that greedy decoding gets right."""
    learned = TASKS[task]()
    rows = learned.batch(ROWS, torch.Generator().manual_seed(_SEED), held_out=True)
    return exact_match(model_of(choice), learned, rows)
