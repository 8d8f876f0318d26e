"""How often a model answers sentences right that it has never seen."""

import torch

from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.once import once
from transformer_core import TASKS
from transformer_core.data.batch import Batch, row_lengths
from transformer_core.training.evaluation import exact_match

ROWS = 200
_SEED = 1  # another one than that of the rows over which means are taken


@once(2**24)
def rows_of(task: str) -> Batch:
    """ROWS held-out rows of a task, as long as the longest of them."""
    learned = TASKS[task]()
    rows = learned.batch(ROWS, torch.Generator().manual_seed(_SEED), held_out=True)
    src, tgt = (int(row_lengths(ids, learned.pad_id).max()) for ids in (rows.src, rows.labels))
    return Batch(rows.src[:, :src], rows.tgt[:, :tgt], rows.labels[:, :tgt])


@once(2**20)
def share_right(choice: ModelChoice, task: str) -> float:
    """The share of these rows that greedy decoding gets right."""
    return exact_match(model_of(choice), TASKS[task](), rows_of(task))
