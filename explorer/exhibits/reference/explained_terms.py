"""The glossary: every term in two sentences, with its formula and the page that shows it."""

import streamlit as st

from explorer import glossary
from explorer.exhibits.reference import one_term
from explorer.i18n import _, current_language
from explorer.ui.format import plain
from explorer.ui.widgets import text

_COLUMNS = 2


def draw() -> None:
    """Draws the field, and the terms that have what is typed there."""
    typed = text("term", _("search"), "", _("A term, or a part of one."))
    matches = glossary.explained(typed, current_language())
    if not matches:
        st.info(_("No term here is called “{words}”.").format(words=plain(typed)))
    places = st.columns(_COLUMNS, gap="large")
    each_has = -(-len(matches) // _COLUMNS)  # read downwards, as in a book
    for at, each in enumerate(matches):
        with places[at // each_has]:
            one_term.draw(each)
