"""Numbers in words."""

import re
from collections.abc import Sequence

from explorer.i18n import _


def size_words(count: int) -> str:
    """Bytes: `1.5 MB`."""
    return _scaled(count, ("B", "kB", "MB", "GB"))


def count_words(count: int) -> str:
    """Operations: `2.4 million`."""
    return _scaled(count, ("", _("thousand"), _("million"), _("billion"), _("trillion")))


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
