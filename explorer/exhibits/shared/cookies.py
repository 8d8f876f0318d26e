"""A note for visitors whose browser keeps no cookies, where they would be needed."""

import streamlit as st

from explorer.i18n import _
from explorer.session import runs


def note() -> None:
    """Draws the note, unless the browser keeps cookies."""
    if not runs.keeps_cookies():
        words = _(
            "Your browser keeps no cookies for this page: you can look at everything and train, but cannot open a file, and "
            "after a reload your runs count as those of somebody else."
        )
        st.info(words, icon=":material/cookie_off:")
