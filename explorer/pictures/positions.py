"""Pictures of words and positions as vectors."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from explorer.figures.dials import dials
from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.forward import model_of
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, Longest, OneOf, picture
from transformer_core.analysis.embedding_metrics import embedded, encoding, norms, wave_lengths
from transformer_core.model.stages import embedding_stage

MOST_IDS = 32
MOST_DIMENSIONS = 32  # columns that are drawn
BASES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
Base = Annotated[int, OneOf(BASES)]
PAPER = 10_000  # the paper's base
LAST_HAND = 23  # the last position on the dials

# --- Words. -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IdChoices:
    """Token ids that were typed; none for the source with a padding token."""

    ids: Annotated[tuple[int, ...], Longest(MOST_IDS)] = ()


@picture("looked-up")
def looked_up(shown: ShownModel, choices: IdChoices) -> Matrices:
    """Draws the ids' rows of the embedding table."""
    n, ids = min(shown.cfg.d_model, MOST_DIMENSIONS), ids_of(shown, choices)
    return matrix(
        embedded(model_of(shown.choice), ids)["tokens"][:, :n], rows=shown.labels(ids), columns=n, row_title=_("token"),
        column_title=_("dimension"), signed=True, cell=22,
    )  # fmt: skip


@picture("norms")
def lengths(shown: ShownModel, choices: IdChoices) -> Figure:
    """Draws the lengths of these vectors as looked up and as scaled, and of the positions that are added, if there are any."""
    ids = ids_of(shown, choices)
    found = embedded(model_of(shown.choice), ids)
    series = {_("row"): norms(found["tokens"]), scaled_name(shown): norms(found["scaled"])}
    if "positions" in found:
        series[_("position")] = norms(found["positions"])
    return bars(shown.labels(ids), series, y_title=_("length of the vector"))


@picture("sum")
def summed(shown: ShownModel) -> Matrices:
    """Draws, for the source with a padding token, its words, their positions, and the sum of both."""
    run = shown.forward(pad_src=1)
    scaled, total = (run[embedding_stage("encoder", name)] for name in ("scaled", "sum"))
    positions = run.values.get(embedding_stage("encoder", "positions"), np.zeros_like(scaled))  # a model may have none
    n = min(shown.cfg.d_model, MOST_DIMENSIONS)
    parts = {scaled_name(shown): scaled, _("position"): positions, _("sum"): total}
    return matrices(
        [x[:, :n] for x in parts.values()], names=list(parts), rows=shown.labels(ids_of(shown, IdChoices())), columns=n,
        row_title=_("token"), column_title=_("dimension"), signed=True, wide=3, size=280,
    )  # fmt: skip


def scaled_name(shown: ShownModel) -> str:
    return _("row × √d_model") if shown.cfg.embedding_scale else _("row × 1")


def ids_of(shown: ShownModel, choices: IdChoices) -> tuple[int, ...]:
    """The chosen ids, or those of the source with a padding token. Raises ValueError for ids that this model does not have."""
    if not all(0 <= i < shown.cfg.src_vocab for i in choices.ids):
        raise ValueError("the model has no such token ids")
    return choices.ids or (*shown.src, shown.vocabulary.pad)


# --- Hands. -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandChoices:
    """The position whose hands are drawn."""

    hand: Annotated[int, Ends(0, LAST_HAND)]


@picture("clock", needs_weights=False)
def clock(shown: ShownModel, choices: HandChoices) -> Figure:
    """Draws a fast, a slower and a slow pair of the positions' numbers as hands of a clock."""
    table, pairs = encoding(LAST_HAND + 1, shown.cfg.d_model, PAPER), pairs_of_hands(shown)
    turns = wave_lengths(shown.cfg.d_model, PAPER)
    names = [_("{n:.0f} positions to a turn").format(n=turns[i]) for i in pairs]
    tips = np.stack([table[:, [2 * i + 1, 2 * i]] for i in pairs])  # (pair, position, 2): to the right, and up
    return dials(tips, choices.hand, names=names)


def pairs_of_hands(shown: ShownModel) -> list[int]:
    """Returns the pairs that are drawn; none if there is none. A turn takes 6 positions, about 20, and about 63."""
    pairs = shown.cfg.d_model // 2
    if not pairs:
        raise ValueError("a single number is no hand")
    return sorted({0, pairs // 8, pairs // 4})
