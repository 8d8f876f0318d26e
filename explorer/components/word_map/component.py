"""Two maps of words side by side, of which one is turned onto the other.

The page sends both maps, the second at several moments of the turn, and of each word its nearest. The view turns, and tells the
page which word is chosen and whether the second map is turned, for the address.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from everyday.dictionary import DictionaryEntry
from explorer.components import LivePicture, register
from explorer.components.shared.arrays import pack
from explorer.i18n import _, current_language
from transformer_core.analysis.word_map import WordMaps

_component = register("word_map", looks_like="closer")
KEY = "word-map"
Place = Mapping[str, Any]


def show(
    maps: WordMaps,
    entries: Sequence[DictionaryEntry],
    place: Place,
    *,
    language: str,
    kinds: Mapping[str, str],
    titles: tuple[str, str],
    said: tuple[str, str],
    on_place: Callable[[Place], None],
    code: LivePicture,
) -> None:
    """Draws both maps.

    Args:
        entries: the words, in the order of the maps.
        place: {"word": an English one or "", "turned"}.
        language: of the second map, "fr" or "zh".
        kinds: the titles of the kinds of words; titles: of both maps.
        said: the result before and after the turn.
        on_place: called when somebody has gone to another place.
        code: the picture that a program makes of the maps.
    """
    known = [*kinds]
    data = {
        "source": pack(maps.source.astype(np.float32)),
        "target": pack(maps.target.astype(np.float32)),
        "nearSource": maps.near_source.tolist(),
        "nearTarget": maps.near_target.tolist(),
        "across": maps.across.tolist(),
        "turned": maps.turned.tolist(),
        "words": [[each.english, each.translation, known.index(each.kind)] for each in entries],
        "kinds": [*kinds.values()],
        "titles": [*titles],
        "said": [*said],
        "place": dict(place),
        "language": current_language(),
        "textLanguage": language,
        "texts": _texts(),
        "code": code,
    }

    def moved() -> None:
        if (told := heard(st.session_state[KEY].get("place"))) is not None:
            on_place(told)

    _component(key=KEY, data=data, on_place_change=moved)


def heard(told: Any) -> Place | None:
    """Parses the browser's message of a place; None for anything invalid."""
    match told:
        case {"word": str(word), "turned": bool(turned)} if len(word) <= _MOST_LETTERS:
            return {"word": word, "turned": turned}
    return None


_MOST_LETTERS = 40  # of a word


def _texts() -> dict[str, str]:
    return {
        "turn": _("Turn one onto the other"),
        "back": _("Turn it back"),
        "byHand": _("how far it is turned"),
        "pick": _("a word …"),
        "map": _("The map of words. Arrow keys go from word to word."),
        "kinds": _("Show one kind of words"),
        "near": _("Nearest to {word}: {near}. Nearest to {other}: {nearOther}."),
        "apart": _("Nearest of the other language: {found}."),
        "met": _("Turned, the nearest of the other language is {found}: its translation."),
        "missed": _("Turned, the nearest of the other language is {found}."),
        "comma": _(", "),
    }
