"""Former values of widgets, which a browser may still send.

A rerun may give a setting's widget another value, as when another task is chosen. A request of a browser that has not heard
of that carries the former value; Streamlit takes it for a choice.
"""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st


@dataclass
class StaleWidgets:
    """The values of widgets before they were given others, as long as the browser may not know of that. Whether it does is told
    by the address of its request, which changes with the settings.

    Attributes:
        asked: the address of the request whose rerun gave them other values.
        former: by the names of the settings.
    """

    asked: dict[str, str] = field(default_factory=dict)
    former: dict[str, list[Any]] = field(default_factory=dict)

    def record(self, name: str, value: Any) -> None:
        """Records a widget's value; call it before the widget is given another."""
        if not self._holds:
            self.asked = dict(st.query_params)
            self.former.clear()
        self.former.setdefault(name, []).append(value)

    def is_stale(self, name: str, said: Any) -> bool:
        """True if a widget has this value only because the browser has not heard of another."""
        return said in self.former.get(name, ()) and self._holds

    @property
    def _holds(self) -> bool:
        return dict(st.query_params) == self.asked
