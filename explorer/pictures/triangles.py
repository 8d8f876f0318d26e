"""Pictures of the triangle that the causal mask is made of. The model on screen is not used."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, OneOf, picture
from transformer_core.analysis.mask_examples import counted_triangle, lower_triangle, upper_triangle

MOST_SIDE, FARTHEST, MOST_WORDS = 8, 3, 12  # the ends of the knobs
OFFSETS = (-1, 0, 1)  # those that lecture notes try
_ONES: dict[str, Any] = {"cell": 34, "decimals": 0, "scale": False}  # the numbers stand in the cells

Side = Annotated[int, Ends(1, MOST_SIDE)]


@dataclass(frozen=True)
class SideChoices:
    rows: Side
    columns: Side


@dataclass(frozen=True)
class TriangleChoices(SideChoices):
    """The sides of a matrix, and the offset of the diagonal."""

    k: Annotated[int, Ends(-FARTHEST, FARTHEST)]


@dataclass(frozen=True)
class CountedChoices(SideChoices):
    """The sides of a matrix, and one of OFFSETS."""

    offset: Annotated[int, OneOf(OFFSETS)]


@dataclass(frozen=True)
class WordsChoices:
    """The number of words in a sentence."""

    size: Annotated[int, Ends(1, MOST_WORDS)]


@picture("triangle", needs_weights=False)
def triangle(_shown: ShownModel, choices: TriangleChoices) -> Matrices:
    """Draws 1 on and above a diagonal."""
    return _drawn(upper_triangle(choices.rows, choices.columns, choices.k))


@picture("triangle-rest", needs_weights=False)
def rest(_shown: ShownModel, choices: TriangleChoices) -> Matrices:
    """Draws 1 where the triangle has 0."""
    return _drawn(1 - upper_triangle(choices.rows, choices.columns, choices.k))


@picture("triangle-counted", needs_weights=False)
def counted(_shown: ShownModel, choices: CountedChoices) -> Matrices:
    """Draws what an offset leaves of a matrix that counts its cells."""
    table = counted_triangle(choices.rows, choices.columns, choices.offset)
    return _drawn(table, top=float(choices.rows * choices.columns))


@picture("causal-mask", needs_weights=False)
def causal(_shown: ShownModel, choices: WordsChoices) -> Matrices:
    """Draws the causal mask of a sentence of so many words."""
    n = choices.size
    return matrix(lower_triangle(n), rows=n, columns=n, row_title=_("query"), column_title=_("key"), **_ONES)


def _drawn(table: np.ndarray, top: float = 1.0) -> Matrices:
    rows, columns = table.shape
    return matrix(table, rows=rows, columns=columns, row_title="i", column_title="j", top=top, **_ONES)
