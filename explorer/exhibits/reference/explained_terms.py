"""The glossary: every term in two sentences, with its formula and the page that shows it."""

import streamlit as st

from explorer import glossary
from explorer.exhibits.reference import one_term, search
from explorer.i18n import _, current_language
from explorer.ui.format import plain
from explorer.ui.widgets import text

_COLUMNS = 2


def draw() -> None:
    """Draws the field, and the terms that have what is typed there."""
    typed, language = text("term", _("search"), "", _("A term, or a part of one.")), current_language()
    found = search.find(typed, language)
    matches = [term for _rank, term in found.terms] if typed.strip() else glossary.terms(language)
    if not matches:
        st.info(search.nothing(plain(typed)))
    places = st.columns(_COLUMNS, gap="large")
    each_has = -(-len(matches) // _COLUMNS)  # read downwards, as in a book
    for at, each in enumerate(matches):
        with places[at // each_has]:
            one_term.draw(each)
