"""The answers of greedy decoding and of beam search: which is more probable, for the model and in the grammar."""

import math

import streamlit as st

from explorer.i18n import _
from explorer.model_on_screen.greedy_or_beam import Greedy, sentences_that_differ
from explorer.model_on_screen.right_answers import Truth, answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import model_choice
from explorer.session.address import as_option
from explorer.ui import document
from explorer.ui.format import percent, plain
from explorer.ui.widgets import address_value, set_next
from transformer_core.model.beam_search import Hypothesis

_STEPS, _WIDTH, _PENALTY = 12, 3, 0.6  # of the search for sentences, whatever is set for the one on screen


def draw(shown: ShownModel, best: Hypothesis, greedy: Greedy, truth: Truth | None) -> None:
    """Draws both answers side by side, and sentences for which they differ; nothing if the task has no language."""
    if truth is None:
        return
    document.section(_("Greedy or beam?"))
    answers = [(_("greedy"), *greedy), (_("beam search"), best.tokens, best.score)]
    columns = {
        _("decoding"): [name for name, _tokens, _score in answers],
        _("translation"): [answer_text(shown, tokens) for _name, tokens, _score in answers],
        _("probability (model)"): [percent(math.exp(score)) for _name, _tokens, score in answers],
    }
    if truth.answers:
        columns[_("probability (grammar)")] = [percent(truth.probability(tokens)) for _name, tokens, _score in answers]
        columns[_("right")] = ["✓" if truth.probability(tokens) else "✗" for _name, tokens, _score in answers]
    st.dataframe(columns, hide_index=True)
    said = [_for_the_model(best, greedy)]
    if truth.answers and best.tokens != greedy[0]:
        said.append(_in_the_grammar(truth.probability(best.tokens), truth.probability(greedy[0])))
    document.caption(" ".join(said))
    _others(shown, truth)


def _for_the_model(best: Hypothesis, greedy: Greedy) -> str:
    if best.tokens == greedy[0]:
        return _("for this sentence both find the same answer.")
    factor = math.exp(abs(best.score - greedy[1]))
    if best.score > greedy[1]:
        said = _(
            "the answers differ, and for the model the beam's is {factor:.2f} times as probable: greedy decoding took the "
            "likelier word first, and could not go back."
        )
    else:
        said = _(
            "the answers differ, and for the model the greedy one is {factor:.2f} times as probable: the beam dropped it, "
            "or the length penalty decides against it."
        )
    return said.format(factor=factor)


def _in_the_grammar(beam: float, greedy: float) -> str:
    if beam and greedy:
        if math.isclose(beam, greedy):
            return _("In the grammar both are right and equally probable.")
        better = _("In the grammar both are right, and the beam's is more probable.")
        return better if beam > greedy else _("In the grammar both are right, and the greedy one is more probable.")
    if beam:
        return _("In the grammar only the beam's is right.")
    return _("In the grammar only the greedy one is right.") if greedy else _("In the grammar neither is right.")


def _others(shown: ShownModel, truth: Truth) -> None:
    """Draws sentences for which the two differ. Finding them takes a moment, so a button asks for it."""
    if address_value("beam_examples", "no", lambda text: as_option(text, ("no", "yes"))) != "yes":
        st.button(
            _("Find sentences where they differ"),
            icon=":material/search:",
            key="find-beam-examples",
            on_click=set_next,
            args=("beam_examples", "yes"),
        )
        return
    with st.spinner(_("Trying sentences…")):
        found = sentences_that_differ(shown.choice, truth.translation.name, _STEPS, _WIDTH, _PENALTY)
    if not found:
        st.caption(
            _(
                "Of the sentences tried, there was none for which the beam finds a right answer that is more probable than the "
                "greedy one."
            )
        )
        return
    said = _(
        "Chosen from many sentences (beam width {width}, α = {alpha}): here the beam finds a right answer that is more "
        "probable than the greedy one:"
    )
    st.caption(said.format(width=_WIDTH, alpha=_PENALTY))
    row = st.container(horizontal=True)
    for i, text in enumerate(found):
        row.button(
            plain(text), key=f"beam-example-{i}", icon=":material/edit:", on_click=model_choice.choose, args=("src", text)
        )
