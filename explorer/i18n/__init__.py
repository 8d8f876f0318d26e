"""Translates the words on screen into the visitor's language; imports only the standard library.

`_("…")` looks a message up whenever it is called, so a message in a module's table is marked there with `N_("…")`, and looked
up where it is shown. Messages are whole sentences with named placeholders: `_("{n:,} parameters").format(n=n)`. A share in one
of them, `{share:.0%}`, reads 100 % only where it is all, see `share_text`; so do shares that stand alone. Catalogues:
`explorer/locale/<language>/LC_MESSAGES/explorer.{po,mo}`; `python -m tools.catalogue` brings them up to date with the sources.
"""

from explorer.i18n.languages import ENGLISH, LANGUAGES, PSEUDO, best_language, find_language, html_tag
from explorer.i18n.lookup import N_, _, current_language, error, n_, set_language_source, speaking
from explorer.i18n.shares import share_text

__all__ = [
    "ENGLISH", "LANGUAGES", "N_", "PSEUDO", "_", "best_language", "current_language", "error", "find_language", "html_tag",
    "n_", "set_language_source", "share_text", "speaking",
]  # fmt: skip
