"""Helps below the field of the source: the known words, another sentence, its length, and the verdict on the answer."""

import random
from contextlib import suppress

import streamlit as st

from everyday.tokenizer import WITHOUT_APOSTROPHE
from explorer.components import word_field
from explorer.i18n import N_, _
from explorer.model_on_screen.sources import Reader, another, length_of, lengths, of_length
from explorer.model_on_screen.translator import known_words
from explorer.session import PAGES_OF_ANY_LENGTH, Session, lesson_link, model_choice
from explorer.ui import answer
from explorer.ui.widgets import linked_number
from transformer_core.errors import InputError

# Titles of the kinds of words, by their names in the lexicon.
_KINDS = {
    "people": N_("people"), "animals": N_("animals"), "food": N_("food and drink"), "things": N_("things"),
    "places": N_("places"), "languages": N_("languages"), "adjectives": N_("adjectives"), "colours": N_("colours"),
    "verbs": N_("verbs"), "names": N_("names"), "pronouns": N_("pronouns"), "determiners": N_("articles and the like"),
    "numbers": N_("numbers"), "time": N_("time"), "questions": N_("questions"), "helpers": N_("auxiliary verbs and “not”"),
    "links": N_("prepositions and other small words"), "phrases": N_("phrases"),
}  # fmt: skip


def helps(session: Session, reader: Reader) -> None:
    """Draws the list of words and the button for another source."""
    name = reader.setting
    text, now, any_length = getattr(session.settings, name), _length(session, reader), _any_length(session)
    with st.container(key="source", horizontal=True, gap="xsmall"):
        is_locked = lesson_link.locks(name)
        if reader.translation is not None and not is_locked:
            kinds = {_(_KINDS[kind]): entries for kind, entries in known_words(reader.translation).items()}
            word_field.show(name, kinds, understood=[*WITHOUT_APOSTROPHE])
        st.button(
            _another(reader),
            key="another",
            icon=":material/casino:",
            on_click=lambda: model_choice.choose(name, another(reader, text, now, random.Random(), any_length=any_length)),
            disabled=is_locked,
        )


def _another(reader: Reader) -> str:
    if not reader.has_source:
        return _("Another text")
    return _("Another sentence") if reader.in_words else _("Another row")


def answered(session: Session, reader: Reader) -> None:
    """Says whether the model's answer is right."""
    text = getattr(session.settings, reader.setting)
    with suppress(InputError):  # the page says why there is no answer
        if session.shows_model and (verdict := session.shown().verdict) is not None and session.rerun.refused is None:
            answer.draw(verdict, "sidebar", text)


def length(session: Session, reader: Reader) -> None:
    """Draws the slider of the source's length. Another length brings another source."""
    now, offered = _length(session, reader), lengths(reader, any_length=_any_length(session))
    label = _("sequence length")
    if reader.length is not None:
        label = _("sequence length (trained at {n})").format(n=reader.length)
    elif reader.in_words and max(offered) > (most := max(reader.lengths)):
        label = _("sequence length (trained up to {n})").format(n=most)
    linked_number(
        "sequence_length",
        label,
        sorted({*offered, now}),
        now,
        lambda chosen: model_choice.choose(reader.setting, of_length(reader, chosen)),
        _("Tokens in the source. Another length brings another sentence; where no sentence is so long, random words.")
        if reader.has_source
        else _("Tokens of the text. Another length brings another text."),
        changes=reader.setting,
    )


def _any_length(session: Session) -> bool:
    """Returns whether the page shows sources of any length, be they sentences or not."""
    return session.rerun.page in PAGES_OF_ANY_LENGTH


def _length(session: Session, reader: Reader) -> int:
    try:
        shown = session.shown() if session.shows_model else None
    except InputError:
        shown = None
    if shown is not None and session.rerun.refused is None:
        return len(shown.src) if shown.cfg.has_encoder else len(shown.tgt) - 1
    return length_of(reader, getattr(session.settings, reader.setting))
