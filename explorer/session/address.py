"""The address bar: what a link restores, in ids, so that it opens the same view in every language.

Only this package reads `st.query_params`, and only this module writes it. The address is news when a window opens, when a page
is arrived at, and when the browser goes back or forward. It is written at the end of a rerun; every change is a step of the
browser's history.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

Option = TypeVar("Option", bound=str | float)
_WORDS = {True: "on", False: "off"}
_SENTENCES = ("src", "tgt", "say", "tried", "forced", "ask_for", "term", "note", "next")  # they may end with a full stop
_AFTER_A_LINK = ".,;:!?)]>»”’'\"*。，；：！？）"  # what programs take for a part of a link that stands in a text


@dataclass
class Address:
    """The content of the address bar, as far as this session knows.

    Attributes:
        written: its current content.
        news: values of a link, or a step back, that no control has taken yet; None stands for a control's default.
        opens_anew: whether the page that comes next is opened as a step of the history is: what it does not name is at its
            default.
    """

    written: dict[str, str] | None = None
    news: dict[str, str | None] = field(default_factory=dict)
    opens_anew: bool = False

    def read(self, *, arriving: bool, history: bool) -> bool:
        """Collects what is news; returns whether a link was opened just now."""
        address = dict(st.query_params)
        opened, before = self.written is None, self.written or {}
        if opened and address and (last := [*address][-1]) not in _SENTENCES:
            address[last] = address[last].rstrip(_AFTER_A_LINK)
        if opened or history:
            self.news = {name: None for name in before if name not in address} | address
        elif arriving:
            waiting = {name: value for name, value in self.news.items() if value is not None}
            self.news = {**waiting, **{name: value for name, value in address.items() if before.get(name) != value}}
        self.written = address
        return opened

    def carry(self) -> None:
        """Copies the former address to the page that the menu leads to, which has a bare one, so that the browser's history has
        one entry for the change of page, and not two. Call it before the page is named.
        """
        if self.written and not st.query_params:
            st.query_params.from_dict(self.written)

    def written_with(self, choices: Mapping[str, str | float]) -> dict[str, str]:
        """Returns its content with these choices."""
        return (self.written or {}) | {name: as_text(value) for name, value in choices.items()}

    def write(self, said: Mapping[str, str], *, keep_more: bool = False) -> bool:
        """Writes exactly this to the address; with `keep_more` an address that says this and more is left as it is. Returns
        whether it changed.
        """
        now = dict(st.query_params)
        is_other = now != said and not (keep_more and said.items() <= now.items())
        if is_other:
            st.query_params.from_dict(said)
        self.written = dict(st.query_params)
        return is_other


def as_text(value: str | float) -> str:
    """Formats a value for the address."""
    return _WORDS[value] if isinstance(value, bool) else f"{value:.10g}" if isinstance(value, float) else str(value)


def as_option(text: str, options: Sequence[Option]) -> Option | None:
    """Returns the option that a text names, or None."""
    return next((option for option in options if as_text(option) == text), None)
