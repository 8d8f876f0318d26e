"""Translates the words on screen into the visitor's language; imports only the standard library.

`_("…")` looks a message up whenever it is called, so a message in a module's table is marked there with `N_("…")`, and looked
up where it is shown. Messages are whole sentences with named placeholders: `_("{n:,} parameters").format(n=n)`. Catalogues:
`explorer/locale/<language>/LC_MESSAGES/explorer.{po,mo}`; `python -m tools.catalogue` brings them up to date with the sources.
"""

from explorer.i18n.languages import ENGLISH, LANGUAGES, PSEUDO, best_language, find_language
from explorer.i18n.lookup import N_, _, current_language, error, n_, set_language_source, speaking

__all__ = [
    "ENGLISH", "LANGUAGES", "N_", "PSEUDO", "_", "best_language", "current_language", "error", "find_language", "n_",
    "set_language_source", "speaking",
]  # fmt: skip
