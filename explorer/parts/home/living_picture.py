"""A sentence, the model's answer, and the lines of attention between them, to be touched at once."""

from collections.abc import Callable

import streamlit as st

from explorer.components import attention_view
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.inference.word_by_word import word_by_word, writes_by_itself
from explorer.pictures import attention as pictures
from explorer.ui import document


def draw(shown: ShownModel, beside: Callable[[], None]) -> None:
    """The picture, and beside it (on a phone below it) what `beside` draws."""
    attention, by_itself = word_by_word(shown), writes_by_itself(shown)
    picture, place = st.columns([3, 1], gap="large")
    with picture:
        attention_view.show(
            attention, "living-picture", titles=(_("writes") if by_itself else _("most probable"), _("looks at")), matrix=False,
            tools=False,
            live=pictures.word_by_word.live(),
        )  # fmt: skip
        words = _(
            "the first column has the word that the model finds most probable at each place, the second those that it looks at "
            "there; the thicker a line, the larger the share of its attention. Each colour is one head of the last layer."
        )
        if by_itself:
            words = _(
                "the first column has the words that the model writes, the second those that it looks at as it writes them; "
                "the thicker a line, the larger the share of its attention. Each colour is one head of the last layer."
            )
        document.reading(words)
    with place:
        beside()
