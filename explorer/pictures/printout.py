"""Pictures of the numbers that lecture notes print, from a model of random weights whose sizes the page chooses."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, OneOf, picture
from transformer_core import TransformerConfig
from transformer_core.analysis.printed_numbers import PrintedNumbers, printed_numbers

MOST_ROWS, LONGEST, MOST_DROPPED = 16, 32, 0.5  # the ends of the knobs
HEADS = (8, 1, 2, 4)
WIDTHS = range(8, 1024 + 1, 8)
COLUMNS = 12  # columns of the embedded tokens that are drawn


@dataclass(frozen=True)
class PrintoutChoices:
    """The sizes of the model, sentences and tokens in each, and the share that is dropped."""

    print_batch: Annotated[int, Ends(1, MOST_ROWS)]
    print_length: Annotated[int, Ends(1, LONGEST)]
    print_width: Annotated[int, OneOf(WIDTHS)]
    print_dropout: Annotated[float, Ends(0.0, MOST_DROPPED)]
    print_heads: Annotated[int, OneOf(HEADS)]


@picture("printed-embedded", needs_weights=False)
def embedded(shown: ShownModel, choices: PrintoutChoices) -> Matrices:
    """Draws the first numbers of each embedded token, after dropout."""
    n = min(COLUMNS, choices.print_width)
    values = printed(shown, choices).dropped[:, :n]
    return _drawn(values, columns=n, column_title=_("dimension"), signed=True)


@picture("printed-weights", needs_weights=False)
def weights(shown: ShownModel, choices: PrintoutChoices) -> Matrices:
    """Draws the attention weights of head 0."""
    return _of_keys(printed(shown, choices).weights)


@picture("printed-blocked", needs_weights=False)
def blocked(shown: ShownModel, choices: PrintoutChoices) -> Matrices:
    """Draws the weights where every score is -1e9."""
    return _of_keys(printed(shown, choices).blocked)


@picture("printed-dropped", needs_weights=False)
def blocked_and_dropped(shown: ShownModel, choices: PrintoutChoices) -> Matrices:
    """Draws the same after dropout."""
    return _of_keys(printed(shown, choices).blocked_dropped)


def config_of(shown: ShownModel, choices: PrintoutChoices) -> TransformerConfig:
    """The model on screen in the sizes that were chosen, with one layer: all have the same shapes."""
    width, length = choices.print_width, choices.print_length
    return replace(
        shown.cfg, d_model=width, n_heads=choices.print_heads, d_ff=4 * width, n_layers=1, max_len=length, tgt_max_len=None
    )


def printed(shown: ShownModel, choices: PrintoutChoices) -> PrintedNumbers:
    return _printed(config_of(shown, choices), choices.print_batch, choices.print_length, choices.print_dropout)


@shared_cache(16 * 2**20)
def _printed(cfg: TransformerConfig, batch: int, length: int, p: float) -> PrintedNumbers:
    return printed_numbers(cfg, batch, length, p)


def _of_keys(values: np.ndarray) -> Matrices:
    return _drawn(values, columns=len(values), column_title=_("key"))


def _drawn(values: np.ndarray, **columns: Any) -> Matrices:
    return matrix(values, rows=len(values), row_title=_("token"), cell=30, **columns)
