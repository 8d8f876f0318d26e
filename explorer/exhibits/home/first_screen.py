"""The first screen: a translator writes its answer, and a line that is cut breaks it."""

from dataclasses import replace

import streamlit as st

from explorer.components import start
from explorer.exhibits.shared.first_sentences import EXAMPLES, FIRST, say, translator
from explorer.i18n import _
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.pictures import start as pictures
from explorer.pictures.start import SentenceChoices, StepChoices
from explorer.session import current
from explorer.ui import document
from explorer.ui.navigation import link


def prepare() -> None:
    """Computes what the first visitor's screen shows."""
    task, sentence = next(iter(FIRST.items()))
    shown = show_model(of_task(task))
    pictures.start(shown, SentenceChoices(sentence))
    pictures.cuts(shown, StepChoices(sentence, shown.learning.last))


def draw() -> ShownModel:
    """Draws the screen, and returns the translator on its sentence."""
    settings = translator()
    first = FIRST[settings.task]
    shown = show_model(replace(settings, src=first))
    assert shown.translation is not None
    drawn, refused = pictures.start(shown, SentenceChoices(settings.src)).drawing, None
    if "refused" in drawn:  # a link may hold any sentence
        settings, refused = replace(settings, src=first), drawn
        drawn = pictures.start(shown, SentenceChoices(first)).drawing
    _opening(shown.translation.language)
    cuts = pictures.cuts(shown, StepChoices(settings.src, shown.learning.last)).drawing
    with st.container(key="first-screen"):  # keeps the room of the picture until a browser has drawn it
        start.show(
            drawn,
            cuts,
            settings,
            refused=refused,
            answer_language=shown.translation.language,
            known=shown.translation.source_words,
            examples=EXAMPLES,
            on_said=lambda sentence: say(settings.task, sentence),
        )
    if current().settings.model is not None:
        _own_model()
    return show_model(settings)


def _own_model() -> None:
    """Says whose model this is, to somebody who has opened one from a file."""
    with st.container(key="own-model", horizontal=True, vertical_alignment="center"):
        st.markdown(_("This is a translator that comes with the app. The model that you opened is on the other pages:"))
        link("heads", _("Heads of my model"))


def _opening(language: str) -> None:
    sentences = {
        "fr": _("It reads the English and writes French, word by word. Each line shows where it looks."),
        "zh": _("It reads the English and writes Chinese, word by word. Each line shows where it looks."),
    }
    document.opening(
        _("Transformer Explorer"),
        sentences[language],
        _(
            "In 2017 the paper “Attention Is All You Need” described a model that reads one sentence and writes another, and "
            "nearly every language model of today descends from it. Here it is, whole and running. A line is the mean of the "
            "heads of the last layer's cross-attention; weights below 5 % are not drawn."
        ),
    )
