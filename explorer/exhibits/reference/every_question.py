"""All questions as a list that can be searched; each opens the part that answers it, with the model on screen."""

import streamlit as st

from explorer import glossary
from explorer.exhibits.reference import one_term
from explorer.exhibits.reference.questions import QUESTIONS, FrequentQuestion, matching
from explorer.i18n import _, current_language
from explorer.ui import document
from explorer.ui.format import plain
from explorer.ui.navigation import CONTENTS, GROUPS, link, to_part
from explorer.ui.widgets import text

_COLUMNS = 3


def draw() -> None:
    """Draws the field, and the questions that have what is typed there."""
    help = _("Words of a question, or a term such as softmax, padding or beam search.")
    typed = text("ask_for", _("search"), "", help)
    written = [(each, " ".join([_(each.words), _(each.terms), _(CONTENTS[each.page].title)])) for each in QUESTIONS]
    found = matching(typed, written)
    _terms(typed)
    if not found:
        st.info(_("No question here has “{words}”. Try one word of it, or a more general one.").format(words=plain(typed)))
    for group, entries in GROUPS.items():
        listed = [entry.name for entry in entries if any(each.page == entry.name for each in found)]
        if listed and group:
            document.section(_(group))
        places = st.columns(_COLUMNS)
        for at, name in enumerate(listed):
            with places[at % _COLUMNS]:
                _of_page(name, [each for each in found if each.page == name])


def _terms(typed: str) -> None:
    """Explains the terms that are called so, if some are."""
    sought = typed.strip().casefold()
    for each in glossary.explained(typed, current_language()) if sought else ():
        if sought in (form.casefold() for form in (each.term, *each.also)):
            one_term.draw(each)


def _of_page(name: str, questions: list[FrequentQuestion]) -> None:
    with st.container(key=f"questions-{name}"):
        st.markdown(f"**{_(CONTENTS[name].title)}**")
        for each in questions:
            link(name, _(each.words), **to_part(each.part, each.folded))
