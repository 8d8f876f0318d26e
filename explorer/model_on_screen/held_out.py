"""The share of held-out sequences that a model answers right."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.incremental import measure_batches
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.view_limits import operations_of, rows_at_once
from transformer_core import Transformer, TransformerConfig
from transformer_core.data.batch import Batch, row_lengths
from transformer_core.data.tasks import Task
from transformer_core.training.evaluation import judged_right

Key = TypeVar("Key", bound=tuple[Hashable, ...])
ROWS = 200  # the most rows: a task may have fewer
_SEED = 1  # differs from that of the rows over which means are taken


@shared_cache(2**24)
def rows_of(task: Task) -> Batch:
    """Draws up to ROWS held-out rows of a task, trimmed to the longest."""
    return task.batch(ROWS, torch.Generator().manual_seed(_SEED), held_out=True).trimmed(task.pad_id)


def count_of(task: Task | None) -> int:
    """Returns the number of these rows; ROWS if the task is unknown."""
    return ROWS if task is None else len(rows_of(task).src)


def lots_of(task: Task, cfg: TransformerConfig, passes: int = 1) -> list[Tensor]:
    """Splits the held-out rows into lots, so that other threads get their turn in between. Small models take all rows at once;
    for larger ones, rows of similar length share a lot.

    `passes`: how many forward passes a row takes.
    """
    rows = rows_of(task)
    most = max(1, rows_at_once(cfg, rows.src.size(1), rows.labels.size(1)) // passes)
    if most >= (count := count_of(task)):
        return [torch.arange(count)]
    return list(row_lengths(rows.labels, cfg.pad_id).argsort(stable=True).split(most))


def some_of(task: Task, places: Tensor) -> Batch:
    """Selects some of the held-out rows."""
    return rows_of(task).rows(places)


def operations(task: Task, cfg: TransformerConfig) -> int:
    """Counts the operations of one pass of all held-out rows."""
    lots = (some_of(task, places).trimmed(cfg.pad_id) for places in lots_of(task, cfg))
    return sum(len(lot.src) * operations_of(cfg, lot.src.size(1), lot.labels.size(1)) for lot in lots)


def shares(
    keys: Sequence[Key], model: Callable[[Key], Transformer], cfg: TransformerConfig, task: Task, seconds: float
) -> list[float | None]:
    """Measures the share of held-out rows that greedy decoding gets right, or of the tokens that are judged in them; None where
    the time ran out.

    Args:
        keys: cache keys, with all that a share depends on; see `incremental.measure`.
        model: returns the model of a key.
        cfg: the configuration that all models share.
    """
    steps = 1 if cfg.causal else rows_of(task).labels.size(1)  # without the mask every row is decoded word by word
    lots = lots_of(task, cfg, steps)

    def right(key: Key, places: Tensor) -> Tensor:
        return judged_right(model(key), task, some_of(task, places))

    return measure_batches(seconds, keys, lots, right, lambda _key, found: torch.cat(found).double().mean().item())


def shares_right(choices: Sequence[ModelChoice], task: Task, seconds: float) -> list[float | None]:
    """Measures the shares of models of one configuration; see `shares`."""
    keys = [("right", choice, task) for choice in choices]
    return shares(keys, lambda key: model_of(key[1]), choices[0].cfg, task, seconds) if choices else []
