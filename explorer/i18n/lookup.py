"""Messages in the session's language, looked up when they are shown."""

import gettext
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from explorer.i18n.languages import DOMAIN, ENGLISH, LANGUAGES, LOCALE, PSEUDO
from explorer.i18n.pseudo import pseudo
from explorer.i18n.shares import Message

_log = logging.getLogger(__name__)


def _english() -> str:
    return ENGLISH


_language_source: Callable[[], str | None] = _english
_here = threading.local()


def set_language_source(source: Callable[[], str | None] | None) -> None:
    """Makes lookups call `source` for the language's id; it returns None outside of a session. None: English from now on."""
    global _language_source
    _language_source = source or _english


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Sets the language of this thread's messages in a `with` block, for threads that answer a browser outside of a session."""
    before, _here.language = getattr(_here, "language", None), language
    try:
        yield
    finally:
        _here.language = before


def current_language() -> str:
    """Returns the id of the current language of `_`; English if the source names none that exists."""
    language = getattr(_here, "language", None) or _language_source()
    return language if language is not None and (language in LANGUAGES or language == PSEUDO) else ENGLISH


def _(message: str) -> str:
    """Translates a message into the session's language; the caller fills in placeholders, see `shares.Message`."""
    language = current_language()
    if language == PSEUDO:
        return Message(pseudo(message))
    return Message(_catalogue(language).gettext(message)) if message else ""  # a catalogue's header is under ""


def N_(message: str) -> str:
    """Marks a message in a module's table for translation, and returns it as it is; pass it to `_` when it is shown."""
    return message


def n_(one: str, many: str, n: int) -> str:
    """The form of a message for n things; the caller fills in n, as other placeholders."""
    language = current_language()
    if language == PSEUDO:
        return Message(pseudo(one if n == 1 else many))
    return Message(_catalogue(language).ngettext(one, many, int(n)))


def error(exc: object) -> str:
    """The text of an error: in the session's language if it has a `template` and `values`, otherwise as it is.

    Values that have a template themselves are translated, too.
    """
    template, values = getattr(exc, "template", None), getattr(exc, "values", None)
    if not (isinstance(template, str) and isinstance(values, Mapping)):
        return str(exc)
    shown = {name: error(value) if hasattr(value, "template") else value for name, value in values.items()}
    return _(template).format(**shown)


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    """The messages of a language; English ones if its catalogue cannot be read."""
    if language == ENGLISH:
        return gettext.NullTranslations()
    path = LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    try:
        with path.open("rb") as file:
            return gettext.GNUTranslations(file)
    except Exception:  # a damaged file may raise anything, and English is better than a failure
        _log.warning("The catalogue %s cannot be read; its language is shown in English.", path, exc_info=True)
        return gettext.NullTranslations()
