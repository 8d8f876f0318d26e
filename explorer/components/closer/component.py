"""Look closer: one word as it is written, where it looks, and the next word's probabilities with a look and without.

The page sends one sentence with every cut of it, so nothing that is done with it needs the server. For another one the view
asks over the connection of the live pictures (see `pictures.closer`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from explorer.components import live, register
from explorer.i18n import _, current_language
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.written_answer import FAINTEST

_component = register("closer")
KEY = "closer"


def show(
    drawn: Mapping[str, Any],
    settings: ModelSettings,
    place: Mapping[str, int | bool],
    *,
    answer_language: str,
    known: Sequence[str],
    examples: Sequence[str],
    terms: Mapping[str, str],
    on_place: Callable[[Mapping[str, int | bool]], None],
    on_said: Callable[[str], None],
    refused: Mapping[str, Any] | None = None,
) -> None:
    """Draws the screen.

    Args:
        drawn: of the picture "look-closer".
        settings: of the model.
        place: {"query", "key", "cut", "heads"}: the word being written, the word whose look may be cut (-1: the one that it
            looks at most), whether that is cut, and whether the heads stand side by side.
        answer_language: "fr" or "zh".
        known: English words, of which some are offered while one is typed.
        examples: sentences to try, one after another.
        terms: what "query", "key", "head" and "layer" mean.
        on_place: called when somebody has gone to another place; on_said: with a sentence that was typed.
        refused: why the sentence of a link is not shown, as the picture says it.
    """
    data = {
        "drawn": drawn,
        "settings": asdict(settings),
        "place": dict(place),
        "address": live.PATH,
        "language": current_language(),
        "answerLanguage": answer_language,
        "known": list(known),
        "examples": list(examples),
        "terms": dict(terms),
        "texts": _texts(),
        "faintest": FAINTEST,
        "refused": refused,
    }

    def moved() -> None:
        if (told := heard(st.session_state[KEY].get("place"))) is not None:
            on_place(told)

    def said() -> None:
        if isinstance(sentence := st.session_state[KEY].get("said"), str):
            on_said(sentence)

    _component(key=KEY, data=data, on_place_change=moved, on_said_change=said)


def heard(told: Any) -> dict[str, int | bool] | None:
    """Parses the browser's message of a place; None for anything invalid."""
    match told:
        case {"query": int(query), "key": int(key), "cut": bool(cut), "heads": bool(heads)} if query >= 0 and key >= -1:
            return {"query": query, "key": key, "cut": cut, "heads": heads}
    return None


def _texts() -> dict[str, str]:
    return {
        "stage": _("The sentence, and the word that is being written"),
        "ways": _("Words, heads, and more"),
        "back": _("Back"),
        "next": _("Next"),
        "heads": _("{n} heads"),
        "close": _("Close heads"),
        "cutIt": _("Cut it"),
        "cutLine": _("Cut the line to “{source}”"),
        "undo": _("Undo"),
        "line": _("It looks at “{source}”: {share}. Cut this line"),
        "looked": _("{source}: looked at {share}"),
        "later": _("word {n}, not written yet"),
        "end": _("the end"),
        "with": _("With its look at {source}"),
        "without": _("Without it"),
        "everywhere": _("in all heads and layers"),
        "writing": _(
            "Writing {word} (the [query](query)), it looks at {source} (a [key](key)): {share}, the mean of {n} [heads](head) "
            "in the last [layer](layer)."
        ),
        "each": _(
            "Each [head](head) has its own [query](query) and [keys](key). They look most at {looks}. The word is {word}."
        ),
        "of": _("{source} ({k} of {n})"),
        "other": _(
            "Cut in all [heads](head) and [layers](layer), the others share its weight. Now it looks most at {source}, and "
            "would write {word}."
        ),
        "ends": _(
            "Cut in all [heads](head) and [layers](layer), the others share its weight. Now it looks most at {source}, and "
            "would end the sentence."
        ),
        "less": _(
            "Cut in all [heads](head) and [layers](layer), the others share its weight. It still writes {word}, less surely."
        ),
        "same": _(
            "Cut in all [heads](head) and [layers](layer), the others share its weight. It still writes {word}: this look was "
            "not needed."
        ),
        "blind": _("Cut in all [heads](head) and [layers](layer), no word is left to look at. It would write {word}."),
        "own": _("Say something yourself"),
        "ask": _("Ask"),
        "example": _("try: {sentence}"),
        "guess": _("The model was never taught such a sentence: its answer is a guess."),
        "away": _("The server does not answer. Try again in a moment."),
    }
