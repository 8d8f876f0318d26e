"""One word as a translator writes it: where it looks, and what each look brings."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from explorer import glossary, limits
from explorer.components import closer as view
from explorer.exhibits.shared.first_sentences import EXAMPLES, FIRST, say, translator
from explorer.i18n import _, current_language
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.pictures import closer as pictures
from explorer.pictures.start import SentenceChoices
from explorer.session.address import as_option
from explorer.session.numbers import as_number
from explorer.ui.navigation import link
from explorer.ui.widgets import address_value, set_next

_TERMS = ("query", "key", "head", "layer")
_SECOND = 1  # the word that is written first on this page: the look of the first is less plain


def draw() -> None:
    """Draws the word that the address names, and the ways on."""
    settings = translator()
    shown = show_model(replace(settings, src=FIRST[settings.task]))
    assert shown.translation is not None
    drawn, refused = pictures.closer(shown, SentenceChoices(settings.src)).drawing, None
    if "refused" in drawn:  # a link may hold any sentence
        settings, refused = replace(settings, src=FIRST[settings.task]), drawn
        drawn = pictures.closer(shown, SentenceChoices(settings.src)).drawing
    place = _place(len(drawn["answer"]), len(drawn["source"]))
    view.show(
        drawn,
        settings,
        place,
        answer_language=shown.translation.language,
        known=shown.translation.source_words,
        examples=EXAMPLES,
        terms=_terms(),
        on_place=_keep,
        on_said=lambda sentence: _say(settings.task, sentence),
        refused=refused,
    )
    _ways_on(shown, settings, drawn, place)


def _place(words: int, keys: int) -> dict[str, int | bool]:
    """Returns what the address says: the word being written, the word whose look may be cut, or -1, and two switches."""
    return {
        "query": min(int(address_value("query", _SECOND, _from(0))), words - 1),
        "key": min(int(address_value("key", -1, _from(-1))), keys - 1),
        "cut": bool(address_value("without", False, _switch)),
        "heads": bool(address_value("heads", False, _switch)),
    }


def _from(least: int) -> Callable[[str], int | None]:
    def read(text: str) -> int | None:
        number = as_number(text, whole=True)
        return int(number) if number is not None and least <= number <= limits.MAX_LENGTH else None

    return read


def _switch(text: str) -> bool | None:
    return as_option(text, (True, False))


def _keep(place: Mapping[str, int | bool]) -> None:
    """Puts a place in the address (called in a callback)."""
    for name, value in place.items():
        set_next("without" if name == "cut" else name, value)


def _say(task: str, sentence: str) -> None:
    """Puts a sentence that was typed here on every page, from its second word on (called in a callback)."""
    say(task, sentence)
    _keep({"query": _SECOND, "key": -1, "cut": False, "heads": False})


def _terms() -> dict[str, str]:
    return {term.key: term.words for term in glossary.terms(current_language()) if term.key in _TERMS}


def _ways_on(shown: ShownModel, settings: ModelSettings, drawn: Mapping[str, Any], place: Mapping[str, int | bool]) -> None:
    """Draws the links to the same word with all its numbers, and with every control."""
    weights = np.mean(drawn["rows"][place["query"]]["heads"], axis=0)
    key = place["key"] if place["key"] >= 0 else int(weights.argmax())
    same: dict[str, str | int] = {"task": settings.task, "src": settings.src, "kind": "cross", "layer": shown.cfg.n_layers - 1}
    with st.container(key="closer-ways", horizontal=True):
        link("attention", _("see the numbers"), query=int(place["query"]), key=int(key), **same)
        link("heads", _("every control"), **same)
