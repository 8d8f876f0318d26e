"""What a visitor reads where a page fails, and the line of the server's log that belongs to it."""

import logging
import secrets
import traceback
from pathlib import Path

import streamlit as st

from explorer.i18n import _
from explorer.session import current

_log = logging.getLogger(__name__)
_ROOT = Path(__file__).parents[2]
_OURS = ("explorer", "pages", "transformer_core", "everyday")  # a virtual environment may stand beside them


def tell(error: Exception) -> bool:
    """One sentence with a number, and no traceback: Streamlit has written that to the server's log, where the same number says
    which one it is."""
    number = secrets.token_hex(3)
    _log.error("error %s, page %s: %s: %s, at %s", number, current().rerun.page, type(error).__name__, error, _place(error))
    words = _("Something went wrong on this page (error {number}). Reload it, or try other settings.")
    st.error(words.format(number=number), icon=":material/error:")
    return True


def _place(error: Exception) -> str:
    """The innermost line of ours."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_relative_to(_ROOT) and (ours := file.relative_to(_ROOT)).parts[0] in _OURS:
            return f"{ours}:{frame.lineno}"
    return "?"
