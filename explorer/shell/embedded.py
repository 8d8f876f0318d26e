"""The link that a page has where another site shows it in a frame, without the bar and the settings (`embed=true`)."""

from html import escape

import streamlit as st

from explorer.i18n import _
from explorer.session import current, in_address
from explorer.session.lesson import link_of


def link_to_all() -> None:
    """Draws a link that opens the same view in a window of its own, with everything around it."""
    session = current()
    if session.rerun.page:
        address, label = link_of(session.rerun.page, in_address(session)), escape(_("Open in Transformer Explorer"))
        st.html(f'<a class="open-all" href="{escape(address)}" target="_blank">{label}</a>')
