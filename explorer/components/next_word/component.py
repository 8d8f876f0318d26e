"""The next word: a text, how likely each word is to follow, and how much each word of the text is looked at.

The page sends one text. What follows another, and what follows without some of its words, the view asks for over the connection
of the live pictures (see `pictures.going_on`); without one, the page is told, and computes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from explorer import limits
from explorer.components import live, register
from explorer.i18n import _, current_language
from explorer.model_on_screen.settings import ModelSettings

_component = register("next_word", looks_like="closer")
KEY = "next-word"
Place = Mapping[str, Any]


def show(
    drawn: Mapping[str, Any],
    settings: ModelSettings,
    place: Place,
    *,
    text_language: str,
    known: Sequence[str],
    beginnings: Sequence[str],
    on_place: Callable[[Place], None],
    refused: str = "",
) -> None:
    """Draws the screen.

    Args:
        drawn: of the picture "going-on".
        settings: of the model.
        place: {"text", "hidden", "how", "temperature", "topK", "topP"}: see `pictures.going_on.TextChoices`; how: "greedy" or
            "sample".
        text_language: "en" or "zh".
        known: words of the stories, of which some are offered while one is typed.
        beginnings: texts to go on with, one after another.
        on_place: called when somebody has gone to another place.
        refused: why the text of a link is not shown.
    """
    data = {
        "drawn": drawn,
        "settings": asdict(settings),
        "place": dict(place),
        "address": live.PATH,
        "language": current_language(),
        "textLanguage": text_language,
        "known": list(known),
        "beginnings": list(beginnings),
        "texts": _texts(),
        "refused": refused,
    }

    def moved() -> None:
        if (told := heard(st.session_state[KEY].get("place"))) is not None:
            on_place(told)

    _component(key=KEY, data=data, on_place_change=moved)


def heard(told: Any) -> Place | None:
    """Parses the browser's message of a place; None for anything invalid."""
    match told:
        case {
            "text": str(text),
            "hidden": list(hidden),
            "how": "greedy" | "sample" as how,
            "temperature": int() | float() as temperature,
            "topK": int(top_k),
            "topP": int() | float() as top_p,
        } if len(text) <= _MOST_LETTERS and all(type(at) is int and 0 <= at <= limits.MAX_LENGTH for at in hidden):
            numbers = {"temperature": float(temperature), "topK": top_k, "topP": float(top_p)}
            return {"text": text, "hidden": hidden[: limits.MAX_LENGTH], "how": how, **numbers}
    return None


_MOST_LETTERS = 1000  # of a text


def _texts() -> dict[str, str]:
    return {
        "text": _("The text: press a word to hide it from all that come after it"),
        "blank": _("the next word"),
        "hide": _("{word}: looked at {share}. Hide it"),
        "show": _("{word}, hidden. Show it again"),
        "end": _("the end"),
        "model": _("The model reads all of it"),
        "without": _("Without {words}"),
        "counted": _("By counting the last two words"),
        "write": _("Write the likeliest"),
        "draw": _("Pick by chance"),
        "roll": _("Let it go on"),
        "stop": _("Stop"),
        "undo": _("Back one word"),
        "another": _("Another beginning"),
        "press": _("Write “{word}”: {share}"),
        "ways": _("Go on, go back, or begin anew"),
        "looks": _("It looks most at {words}. Press a word of the text to hide it."),
        "look": _("{word} ({share})"),
        "looksAround": _("It looks at many words a little. Press a word of the text to hide it."),
        "changed": _("With {words} hidden, it says {word}: {share}. Press {words} again to show it."),
        "less": _("With {words} hidden, {word} falls from {before} to {share}."),
        "same": _("With {words} hidden, {word} is still {share}: for this word it was not needed."),
        "ended": _("That is the end of the story."),
        "full": _("The text is full: go back some words."),
        "comma": _(", "),
        "chance": _("How a word is chosen"),
        "greedy": _("the likeliest"),
        "sample": _("by chance"),
        "temperature": _("temperature"),
        "topK": _("top-k"),
        "topP": _("top-p"),
        "all": _("all"),
        "own": _("Type a beginning"),
        "ask": _("Read it"),
        "meaning": _(
            "It gives every word that it knows a probability, and takes the likeliest, or picks one by chance, as ChatGPT "
            "usually does. A low temperature makes likely words likelier, a high one brings surprises; top-k keeps the k "
            "likeliest words, top-p the likeliest that make up this share together."
        ),
        "away": _("The server does not answer. Try again in a moment."),
    }
