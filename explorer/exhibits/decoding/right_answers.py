"""The right answers to the source, by the grammar of the model's language."""

import streamlit as st

from explorer.i18n import _, n_
from explorer.model_on_screen.right_answers import Truth, answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui.format import plain

_SHOWN = 4  # answers that are named; of some sentences there are hundreds


def draw(shown: ShownModel, truth: Truth | None) -> None:
    """Draws one line; nothing for a model whose task has no such language."""
    if truth is None:
        return
    if not truth.answers:
        st.info(
            _(
                "This sentence lies outside the grammar that the model was taught, so its right answers are not known: here are "
                "the model's probabilities alone."
            ),
            icon=":material/rule:",
        )
        return
    some = list(truth.answers.items())[:_SHOWN]
    named = " · ".join(f"“{plain(answer_text(shown, shown.vocabulary.ids(words)))}” {p:.1%}" for words, p in some)
    rest = len(truth.answers) - len(some)
    said = n_("**{n} right answer**: {answers}", "**{n} right answers**: {answers}", len(truth.answers))
    line = said.format(n=len(truth.answers), answers=named)
    if rest:
        line = n_("{line} · and {n} more", "{line} · and {n} more", rest).format(line=line, n=rest)
    st.container(key="right-answers").markdown(line)
