"""The base of the waves: one setting, which two exhibits share."""

from explorer.i18n import _
from explorer.pictures.positions import BASES, PAPER
from explorer.ui.widgets import choose_number


def draw() -> int:
    """Draws the control, and returns the chosen base."""
    help = _("10,000 in the paper. No wave is longer than 2π times the base.")
    return choose_number("base", _("base"), BASES, PAPER, help)
