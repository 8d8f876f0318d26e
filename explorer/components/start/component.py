"""The first screen: a sentence, its translation as it writes itself, and lines between them that can be cut.

The page sends the answers after all kept steps, and those after each cut at the last one: the first click needs no server. For
other sentences, and cuts at other steps, the view asks over the connection of the live pictures (see `pictures.start`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from explorer.components import live, register
from explorer.i18n import _, current_language
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.written_answer import FAINTEST

_component = register("start")


def show(
    opening: Mapping[str, Any],
    cuts: Mapping[str, Any] | None,
    settings: ModelSettings,
    *,
    answer_language: str,
    known: Sequence[str],
    examples: Sequence[str],
    on_said: Callable[[str], None],
    refused: Mapping[str, Any] | None = None,
) -> None:
    """Draws the screen.

    Args:
        opening: of the picture "start"; cuts: of "start-cuts" for the last step.
        settings: of the model.
        answer_language: "fr" or "zh".
        known: English words, of which some are offered while one is typed.
        examples: sentences to try, one after another.
        on_said: called with a sentence that was typed, before the rerun that follows.
        refused: why the sentence of a link is not shown, as the picture "start" says it.
    """
    data = {
        "opening": opening,
        "cuts": cuts,
        "address": live.PATH,
        "settings": asdict(settings),
        "language": current_language(),
        "answerLanguage": answer_language,
        "between": "" if answer_language == "zh" else " ",
        "known": list(known),
        "examples": list(examples),
        "texts": _texts(),
        "refused": refused,
        "faintest": FAINTEST,
    }

    def said() -> None:
        if isinstance(sentence := st.session_state["start"].said, str):
            on_said(sentence)

    _component(key="start", data=data, on_said_change=said)


def _texts() -> dict[str, str]:
    return {
        "stage": _("The sentence, its translation, and the lines between them"),
        "skip": _("Skip"),
        "cutIt": _("Cut it"),
        "cutLine": _("Cut the line to “{source}”"),
        "canGo": _("This line can go"),
        "lineCanGo": _("The line to “{source}” can go"),
        "undo": _("Undo"),
        "line": _("“{word}” looks at “{source}”, {share}. Cut this line"),
        "looks": _("Writing “{word}”, it looks at “{source}”: {share}."),
        "cross": _("The lines cross: the words stand in another order."),
        "straight": _("Each word has its thickest line to the word that the model looks at most."),
        "without": _("Without the line to “{source}”, it writes: {answer}"),
        "same": _("The answer stays the same without the line to “{source}”."),
        "cutAll": _("Cut in all heads and layers; the other words share its weight."),
        "nothing": _("nothing"),
        "untrained": _("untrained"),
        "trained": _("trained"),
        "learning": _("How much it has learned, from untrained to trained"),
        "lessons": _("after {n} lessons"),
        "lesson": _("A lesson is one step of training, on a batch of sentences."),
        "random": _("Untrained: its weights are random numbers."),
        "says": _("It writes {lessons}: {answer}"),
        "play": _("Play its learning"),
        "pause": _("Pause"),
        "own": _("Say something yourself"),
        "ask": _("Ask"),
        "example": _("try: {sentence}"),
        "guess": _("The model was never taught such a sentence: its answer is a guess."),
        "offline": _("Here only the lines of the trained model can be cut."),
        "away": _("The server does not answer. Try again in a moment."),
    }
