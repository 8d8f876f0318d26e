"""The hunt: a broken translator, looks at it, and whom to accuse.

The page sends what has been looked at so far, and nothing of what has not: every look and every accusation is a rerun.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from explorer.components import register
from explorer.i18n import _, current_language

_component = register("hunt")
KEY = "hunt"


def show(
    drawn: Mapping[str, Any],
    *,
    on_look: Callable[[str], None],
    on_accuse: Callable[[str], None],
    on_ask: Callable[[str], None],
    on_another: Callable[[], None],
) -> bool:
    """Draws the game as `exhibits.hunt.puzzle` describes it. What somebody does calls one of the functions, with the id of a
    look, that of a suspect, or a sentence. Returns whether the link of the story was followed.
    """
    data = {**drawn, "language": current_language(), "texts": _texts()}

    def told(name: str, take: Callable[[str], None]) -> Callable[[], None]:
        def heard() -> None:
            if isinstance(text := st.session_state[KEY].get(name), str):
                take(text)

        return heard

    result = _component(
        key=KEY,
        data=data,
        on_look_change=told("look", on_look),
        on_accused_change=told("accused", on_accuse),
        on_said_change=told("said", on_ask),
        on_another_change=told("another", lambda _text: on_another()),
        on_way_change=lambda: None,
    )
    return bool(result.way)


def _texts() -> dict[str, str]:
    return {
        "looks": _("Look at …"),
        "suspects": _("What is broken?"),
        "accuse": _("Accuse: {charge}"),
        "choose": _("Press a part to accuse it"),
        "does": _("{name}: {does}"),
        "not": _("Not this. {against}"),
        "answers": _("What it says"),
        "own": _("Say something yourself"),
        "ask": _("Ask"),
        "example": _("try: {sentence}"),
        "whole": _("whole"),
        "broken": _("broken"),
        "another": _("another puzzle"),
        "head": _("head {n}"),
        "map": _("{model}, {layer}, head {n}: spread {bits} bits"),
        "of": _("{right} of {n}"),
    }
