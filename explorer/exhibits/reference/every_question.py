"""All questions as a list that can be searched; each opens the part that answers it, with the model on screen."""

from collections.abc import Sequence

import streamlit as st

from explorer.exhibits.reference import one_term, search
from explorer.exhibits.reference.questions import QUESTIONS, FrequentQuestion
from explorer.i18n import _, current_language
from explorer.ui import document
from explorer.ui.format import plain
from explorer.ui.navigation import CONTENTS, GROUPS, link, to_part
from explorer.ui.widgets import text

_COLUMNS = 3


def draw() -> None:
    """Draws the field, and what its words find: terms that are called so, and questions by their page; else all questions."""
    typed = text("ask_for", _("search"), "", _("Words of a question, or a term such as softmax, padding or beam search."))
    if not typed.strip():
        _by_page(QUESTIONS)
        return
    found = search.find(typed, current_language())
    named = [term for rank, term in found.terms if rank == search.NAMED or not found.questions]
    if not (named or found.questions):
        st.info(search.nothing(plain(typed)))
    elif found.is_partial:
        st.caption(search.only_some())
    for term in named:
        one_term.draw(term)
    _by_page([question for _rank, question in found.questions])


def _by_page(questions: Sequence[FrequentQuestion]) -> None:
    for group, entries in GROUPS.items():
        listed = [entry.name for entry in entries if any(each.page == entry.name for each in questions)]
        if listed and group:
            document.section(_(group))
        places = st.columns(_COLUMNS)
        for at, name in enumerate(listed):
            with places[at % _COLUMNS]:
                _of_page(name, [each for each in questions if each.page == name])


def _of_page(name: str, questions: list[FrequentQuestion]) -> None:
    with st.container(key=f"questions-{name}"):
        st.markdown(f"**{_(CONTENTS[name].title)}**")
        for each in questions:
            link(name, _(each.words), **to_part(each.part, each.folded), **dict(each.choices))
