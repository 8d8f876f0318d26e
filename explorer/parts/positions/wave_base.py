"""The base of the waves: one setting, which two parts share."""

from explorer.components.live.positions import BASES
from explorer.i18n import _
from explorer.ui.widgets import choose


def draw() -> int:
    """The setting; returns what is chosen."""
    return choose(
        "base", _("base"), BASES, "{:,}".format, default=10_000,
        help=_("10,000 in the paper. The slowest wave repeats after just under 2π times the base."),
    )  # fmt: skip
