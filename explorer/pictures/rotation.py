"""Pictures of positions as angles and as counters, and of a shift by some positions as a rotation."""

import math
from dataclasses import dataclass
from typing import Annotated

from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import _
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.positions import Base
from explorer.pictures.registry import Ends, OneOf, picture
from transformer_core.analysis.embedding_metrics import binary_digits, encoding
from transformer_core.analysis.rotation import Rotation, angles, rotate

SHOWN = 16  # positions, pairs and dimensions in the tables whose cells hold their numbers
LENGTH = 100  # positions that are rotated
FARTHEST = 50


@dataclass(frozen=True)
class BaseChoices:
    """The base of the wavelengths."""

    base: Base


@dataclass(frozen=True)
class RotationChoices(BaseChoices):
    """The base, the number of positions to shift by, and the number of dimensions that are drawn."""

    steps_on: Annotated[int, Ends(0, FARTHEST)]
    block: Annotated[int, OneOf(range(2, SHOWN + 1, 2))]


@picture("angles", needs_weights=False)
def table_of_angles(shown: ShownModel, choices: BaseChoices) -> Matrices:
    pairs = pairs_of(shown)
    table = angles(SHOWN, shown.cfg.d_model, choices.base)[:, :pairs]
    return matrix(
        table, rows=SHOWN, columns=pairs, row_title=_("position"), column_title=_("pair of dimensions"),
        top=float(table.max()), title=_("radians"), cell=24,
    )  # fmt: skip


@picture("counter", needs_weights=False)
def counter(shown: ShownModel, choices: BaseChoices) -> Matrices:
    """Draws the sines for a small width, which switch like the digits of a counter."""
    drawn = [_("dimension {i}").format(i=i) for i in (0, 2, 4, 6)]
    return matrix(encoding(16, 8, choices.base)[:, ::2], rows=16, columns=drawn, row_title=_("position"), signed=True, cell=18)


@picture("binary", needs_weights=False)
def binary(_shown: ShownModel) -> Matrices:
    """Draws the numbers from 0 in binary, the ones first."""
    counted = [_("ones"), _("twos"), _("fours"), _("eights")]
    digits = binary_digits(16, 4)[:, ::-1]
    return matrix(digits, rows=16, columns=counted, row_title=_("number"), cell=18, decimals=0)


@picture("rotation", needs_weights=False)
def turning(shown: ShownModel, choices: RotationChoices) -> Matrices:
    """Draws the matrix that shifts a position's vector by so many positions."""
    n, title = _block(shown, choices), _("dimension")
    found = rotation_of(shown, choices).matrix[:n, :n]
    return matrix(found, rows=n, columns=n, row_title=title, column_title=title, signed=True, cell=30)


@picture("turned", needs_weights=False)
def turned(shown: ShownModel, choices: RotationChoices) -> Matrices:
    """Draws the vectors of the first positions, the same rotated, and those of the formula for the shifted positions."""
    n, found = _block(shown, choices), rotation_of(shown, choices)
    names = [_("position p"), _("p, rotated"), _("position p + {k}").format(k=choices.steps_on)]
    return matrices(
        [x[:12, :n] for x in (found.here, found.turned, found.there)], names=names, rows=12, columns=n, row_title=_("p"),
        column_title=_("dimension"), signed=True, wide=3, size=330,
    )  # fmt: skip


def rotation_of(shown: ShownModel, choices: RotationChoices) -> Rotation:
    return _rotation(shown.cfg.d_model, choices.steps_on, choices.base)


def most_dimensions(d_model: int) -> int:
    """Returns how many dimensions can be drawn: whole pairs."""
    return min(SHOWN, d_model // 2 * 2)


def pairs_of(shown: ShownModel) -> int:
    return min(SHOWN, math.ceil(shown.cfg.d_model / 2))


def _block(shown: ShownModel, choices: RotationChoices) -> int:
    return min(choices.block, most_dimensions(shown.cfg.d_model))


@shared_cache(2**20)  # two pictures show the same rotation
def _rotation(d_model: int, k: int, base: int) -> Rotation:
    return rotate(LENGTH, d_model, k, base)
