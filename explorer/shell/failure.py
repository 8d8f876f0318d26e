"""Tells a visitor that a page failed, and writes the same error number to the server's log."""

import logging
import secrets
import traceback
from pathlib import Path

import streamlit as st

from explorer.i18n import _
from explorer.session import current

_log = logging.getLogger(__name__)
_ROOT = Path(__file__).parents[2]
_OURS = ("explorer", "pages", "transformer_core", "everyday")  # not all of _ROOT: it may hold a virtual environment


def tell(error: Exception) -> bool:
    """Shows a sentence with a number and no traceback. Streamlit has logged the traceback; the number follows it in the log."""
    number = secrets.token_hex(3)
    _log.error("error %s, page %s: %s: %s, at %s", number, current().rerun.page, type(error).__name__, error, _place(error))
    words = _("Something went wrong on this page (error {number}). Reload it, or try other settings.")
    st.error(words.format(number=number), icon=":material/error:")
    return True


def _place(error: Exception) -> str:
    """Returns the innermost line of the app's own code."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.is_relative_to(_ROOT) and (ours := file.relative_to(_ROOT)).parts[0] in _OURS:
            return f"{ours}:{frame.lineno}"
    return "?"
