"""How often a model answers sentences right that it has never seen."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.measured import in_lots
from explorer.inference.once import once
from explorer.inference.room import operations_of, rows_at_once
from transformer_core import TASKS, Transformer, TransformerConfig
from transformer_core.data.batch import Batch, row_lengths
from transformer_core.training.evaluation import exact_match

Key = TypeVar("Key", bound=tuple[Hashable, ...])
ROWS = 200
_SEED = 1  # another one than that of the rows over which means are taken


@once(2**24)
def rows_of(task: str) -> Batch:
    """ROWS held-out rows of a task, as long as the longest of them."""
    learned = TASKS[task]()
    return learned.batch(ROWS, torch.Generator().manual_seed(_SEED), held_out=True).trimmed(learned.pad_id)


def lots_of(task: str, cfg: TransformerConfig, passes: int = 1) -> list[Tensor]:
    """The places of these rows, in lots that a model can look at before others have their turn. Most models can look at all at
    once; for larger ones, rows of like length are together.

    `passes`: for how many passes of a row there has to be time.
    """
    rows = rows_of(task)
    most = max(1, rows_at_once(cfg, rows.src.size(1), rows.labels.size(1)) // passes)
    if most >= ROWS:
        return [torch.arange(ROWS)]
    return list(row_lengths(rows.labels, cfg.pad_id).argsort(stable=True).split(most))


def some_of(task: str, places: Tensor) -> Batch:
    """These of the rows."""
    return rows_of(task).rows(places)


def operations(task: str, cfg: TransformerConfig) -> int:
    """Of one pass of all these rows."""
    lots = (some_of(task, places).trimmed(cfg.pad_id) for places in lots_of(task, cfg))
    return sum(len(lot.src) * operations_of(cfg, lot.src.size(1), lot.labels.size(1)) for lot in lots)


def shares(
    keys: Sequence[Key], model: Callable[[Key], Transformer], cfg: TransformerConfig, task: str, seconds: float
) -> list[float | None]:
    """The share of these rows that greedy decoding gets right; None where there was no time left for it.

    Args:
        keys: all that a share depends on, what is measured included; see `measured.within`.
        model: of a key.
        cfg: of the models, which all have the same.
    """
    steps = 1 if cfg.causal else rows_of(task).labels.size(1)  # without the mask every row is decoded word by word
    lots = lots_of(task, cfg, steps)

    def right(key: Key, places: Tensor) -> int:
        return round(exact_match(model(key), TASKS[task](), some_of(task, places)) * len(places))

    return in_lots(seconds, keys, lots, right, lambda _key, found: sum(found) / ROWS)


def shares_right(choices: Sequence[ModelChoice], task: str, seconds: float) -> list[float | None]:
    """That of models of one configuration; see `shares`."""
    keys = [("right", choice, task) for choice in choices]
    return shares(keys, lambda key: model_of(key[1]), choices[0].cfg, task, seconds) if choices else []
