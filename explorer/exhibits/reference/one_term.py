"""One term of the glossary: what it means, its formula, and a link to what shows it."""

import streamlit as st

from explorer.glossary import Term
from explorer.i18n import _
from explorer.ui.format import plain
from explorer.ui.navigation import CONTENTS, link, to_part


def draw(term: Term) -> None:
    """Draws the term, and the link with the settings on screen."""
    page, part = term.place
    with st.container(key=f"term-{term.key}", gap=None):
        formula = f"  \n`{term.formula}`" if term.formula else ""
        st.markdown(f"**{plain(term.term)}**  \n{plain(term.words)}{formula}")
        link(page, _("See it: {page}").format(page=_(CONTENTS[page].title)), **to_part(part, term.folded))
