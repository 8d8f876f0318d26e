"""The first screen: a translator writes its answer, and a line that is cut breaks it."""

from dataclasses import replace

from explorer.components import start
from explorer.i18n import _
from explorer.model_on_screen.settings import ModelSettings, defaults, first_task, of_task
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.pictures import start as pictures
from explorer.pictures.start import SentenceChoices, StepChoices
from explorer.session import current, model_choice
from explorer.ui import document

# By translator, the first sentence: its lines cross, and a strong one that does changes words when it is cut.
_FIRST = {"everyday-fr": "the black cat sleeps on the bed", "everyday-zh": "my brother sleeps in the small car"}
_EXAMPLES = (*_FIRST.values(), "i love you", "the happy dog eats a big apple")


def prepare() -> None:
    """Computes what the first visitor's screen shows."""
    task, sentence = next(iter(_FIRST.items()))
    shown = show_model(of_task(task))
    pictures.start(shown, SentenceChoices(sentence))
    pictures.cuts(shown, StepChoices(sentence, shown.learning.last))


def draw() -> ShownModel:
    """Draws the screen, and returns the translator on its sentence."""
    settings = _translator()
    first = _FIRST[settings.task]
    shown = show_model(replace(settings, src=first))
    assert shown.translation is not None
    drawn, refused = pictures.start(shown, SentenceChoices(settings.src)).drawing, None
    if "refused" in drawn:  # a link may hold any sentence
        settings, refused = replace(settings, src=first), drawn
        drawn = pictures.start(shown, SentenceChoices(first)).drawing
    _opening(shown.translation.language)
    cuts = pictures.cuts(shown, StepChoices(settings.src, shown.learning.last)).drawing
    start.show(
        drawn,
        cuts,
        settings,
        refused=refused,
        answer_language=shown.translation.language,
        known=shown.translation.source_words,
        examples=_EXAMPLES,
        on_said=lambda sentence: _say(settings.task, sentence),
    )
    return show_model(settings)


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


def _translator() -> ModelSettings:
    """Returns the settings of the translator into the visitor's language, with the sentence that somebody chose, if any."""
    session = current()
    chosen = session.settings
    task = chosen.task if session.task.is_chosen and chosen.task in _FIRST else first_task(session.language)
    is_chosen = chosen.task == task and chosen.src != defaults(task)["src"]
    return replace(of_task(task), src=chosen.src if is_chosen else _FIRST[task])


def _say(task: str, sentence: str) -> None:
    """Puts a sentence that was typed here on every page (called in a callback)."""
    if current().settings.task != task:
        model_choice.open_task(task)
    model_choice.choose("src", sentence)
