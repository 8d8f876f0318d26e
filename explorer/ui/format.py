"""Numbers in words."""

import re
from collections.abc import Sequence

from explorer.i18n import _
from transformer_core.analysis.evaluation_metrics import share_interval


def size_words(count: int) -> str:
    """Bytes: `1.5 MB`."""
    return _scaled(count, ("B", "kB", "MB", "GB"))


def count_words(count: int) -> str:
    """Operations: `2.4 million`."""
    return _scaled(count, ("", _("thousand"), _("million"), _("billion"), _("trillion")))


def share_words(share: float, n: int) -> str:
    """A share that was found in `n` draws, with its 95 % interval: `99.0% (96.4–99.7%)`."""
    low, high = share_interval(share, n)
    return f"{share:.1%} ({100 * low:.1f}–{high:.1%})"


def _scaled(value: float, units: Sequence[str]) -> str:
    place = 0
    while value >= 1000 and place < len(units) - 1:
        value, place = value / 1000, place + 1
    return f"{value:.{0 if place == 0 or value >= 100 else 1}f} {units[place]}".strip()


def plain(text: str) -> str:
    """Text as Markdown shows it to the letter: a token such as <unk> is no HTML, and * makes nothing bold."""
    return "".join("\\" + sign if sign in "<*_`[]$\\" else sign for sign in text)


def without_html(markdown: str) -> str:
    """Markdown in which a token such as <unk> is no HTML, whether or not it went through `plain`."""
    return re.sub(r"(?<!\\)<", r"\\<", markdown)
