"""Comparisons with `torch.nn.Transformer` of the model on screen and of random models, cached for everybody."""

from dataclasses import dataclass

import torch

from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis.parity import TOLERANCE, Parity, Sabotage, parity, random_case
from transformer_core.data.batch import Batch
from transformer_core.model.config import Stacks

Rows = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # source, decoder input and labels


@dataclass(frozen=True)
class Checked:
    """A comparison in both precisions, and its shapes: (rows, tokens) of the source and of the target."""

    cfg: TransformerConfig
    src: tuple[int, ...]
    tgt: tuple[int, ...]
    found: tuple[Parity, ...]

    @property
    def seconds(self) -> float:
        return sum(each.seconds for each in self.found)


def rows_on_screen(shown: ShownModel) -> Rows:
    """Returns the sentence on screen, with one token of padding after what is read first if there is a position for it."""
    padding = int(len(shown.read) < shown.cfg.longest_read)
    return shown.batch(padding, 0) if shown.cfg.has_encoder else shown.batch(0, padding)


@shared_cache(2 * 2**20)
def check_of(choice: ModelChoice, rows: Rows, sabotage: Sabotage | None) -> Checked:
    """Compares a model with torch's. Raises InputError for a model without a counterpart there."""
    src, tgt, labels = (torch.tensor([ids]) for ids in rows)
    return _checked(model_of(choice), Batch(src, tgt, labels), sabotage, 0)


@shared_cache(2 * 2**20)
def check_of_random(seed: int, sabotage: Sabotage | None, stacks: Stacks = "both") -> Checked:
    """Compares a model of random sizes, with random weights, on random rows."""
    return _checked(*random_case(seed, stacks), sabotage, seed)


def _checked(model: Transformer, batch: Batch, sabotage: Sabotage | None, seed: int) -> Checked:
    by_dtype = tuple(parity(model, batch, dtype, sabotage, seed) for dtype in TOLERANCE)
    return Checked(model.cfg, tuple(batch.src.shape), tuple(batch.tgt.shape), by_dtype)
