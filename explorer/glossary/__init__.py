"""The terms of the app and what they mean: a file for each language, with the same tables in all of them."""

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from explorer.i18n import ENGLISH, PSEUDO
from explorer.i18n.pseudo import pseudo

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Term:
    """An entry of the glossary.

    Attributes:
        key: the same in every language.
        term: as it stands in a sentence; also: its other forms.
        words: two sentences.
        formula: "" where there is none.
        see: the page that shows it, or page/part, or page/part/details where it is folded there.
        only: the pages where its forms mean this; empty: all pages.
        sought: what people type who look for it; pages do not mark these.
    """

    key: str
    term: str
    also: tuple[str, ...]
    words: str
    formula: str
    see: str
    only: tuple[str, ...]
    sought: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str, str]:
        """Returns the page that shows it, and the part; "" for a page of one part."""
        page, part, *_details = [*self.see.split("/"), ""]
        return page, part

    @property
    def folded(self) -> bool:
        """Returns whether it is under the part's details."""
        return self.see.count("/") > 1


@cache
def terms(language: str) -> tuple[Term, ...]:
    """Returns the entries in a language, in the order of their English names; in English where it has no file, with marks in
    the pseudo-locale.
    """
    file = _HERE / f"{language}.toml"
    tables = tomllib.loads((file if file.exists() else _HERE / f"{ENGLISH}.toml").read_text(encoding="utf-8"))
    by_file = tuple(
        Term(key, **table | {name: tuple(table.get(name, ())) for name in ("also", "only", "sought")})
        for key, table in tables.items()
    )
    if language != PSEUDO:
        return by_file
    return tuple(replace(each, term=pseudo(each.term), also=(), words=pseudo(each.words)) for each in by_file)
