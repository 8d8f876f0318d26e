"""What a browser has not been told yet.

A run may give a setting's widget another value, as when another task is chosen. What the browser asks for before it hears of
that comes with the widget's former value, which is nobody's choice; Streamlit takes it for one.
"""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st


@dataclass
class Untold:
    """What widgets said before they were given another value, as long as the browser may not know of that. Whether it does can
    be told from the address that it asks with, which changes with the settings.

    Attributes:
        asked: the address with which the run was asked for that gave them another.
        former: by the names of the settings.
    """

    asked: dict[str, str] = field(default_factory=dict)
    former: dict[str, list[Any]] = field(default_factory=dict)

    def note(self, name: str, said: Any) -> None:
        """Call before a widget that said this is given another value."""
        if not self._holds:
            self.asked = dict(st.query_params)
            self.former.clear()
        self.former.setdefault(name, []).append(said)

    def is_former(self, name: str, said: Any) -> bool:
        """Whether a widget says this only because the browser has not been told of another value."""
        return self._holds and said in self.former.get(name, ())

    @property
    def _holds(self) -> bool:
        return dict(st.query_params) == self.asked
