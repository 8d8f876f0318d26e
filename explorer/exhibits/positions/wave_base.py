"""The base of the waves: one setting, which two exhibits share."""

from typing import Annotated

from explorer.i18n import _
from explorer.pictures.registry import OneOf
from explorer.ui.widgets import choose_number

BASES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
PAPER = 10_000  # the paper's base

Base = Annotated[int, OneOf(BASES)]


def draw() -> int:
    """Draws the control, and returns the chosen base."""
    help = _("10,000 in the paper. No wave is longer than 2π times the base.")
    return choose_number("base", _("base"), BASES, PAPER, help)
