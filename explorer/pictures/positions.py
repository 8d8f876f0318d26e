"""The picture of a position as the hands of a clock."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from explorer.figures.dials import dials
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.embedding_metrics import encoding, wave_lengths

LAST_HAND = 23  # the last position on the dials


@dataclass(frozen=True)
class HandChoices:
    """The position whose hands are drawn."""

    hand: Annotated[int, Ends(0, LAST_HAND)]


@picture("clock", needs_weights=False)
def clock(shown: ShownModel, choices: HandChoices) -> Figure:
    """Draws a fast, a slower and a slow pair of the positions' numbers as hands of a clock."""
    table, pairs = encoding(LAST_HAND + 1, shown.cfg.d_model), pairs_of_hands(shown)
    turns = wave_lengths(shown.cfg.d_model)
    names = [_("{n:.0f} positions to a turn").format(n=turns[i]) for i in pairs]
    tips = np.stack([table[:, [2 * i + 1, 2 * i]] for i in pairs])  # (pair, position, 2): to the right, and up
    return dials(tips, choices.hand, names=names)


def pairs_of_hands(shown: ShownModel) -> list[int]:
    """Returns the pairs that are drawn; none if there is none. A turn takes 6 positions, about 20, and about 63."""
    pairs = shown.cfg.d_model // 2
    if not pairs:
        raise ValueError("a single number is no hand")
    return sorted({0, pairs // 8, pairs // 4})
