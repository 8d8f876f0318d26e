"""Every word that a person reads goes through `_`, so that a translation is a catalogue and not a rewrite.

Catalogues, once there are any, lie in `explorer/locale/<language>/LC_MESSAGES/explorer.mo`.
"""

import gettext
from pathlib import Path

_ = gettext.translation("explorer", Path(__file__).parent / "locale", fallback=True).gettext


def N_(words: str) -> str:
    """Marks words of a table, which are shown as _(table[key])."""
    return words
