"""Navigation through a story by buttons, arrow keys or a clicker, and a full-screen mode that hides everything else."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from explorer.components import register
from explorer.i18n import _

_component = register("slides")


def show(titles: Sequence[str], step: int, present: bool, go: Callable[[int, bool], None], key: str) -> None:
    """Draws the navigation through the steps, counted from 0; calls `go` with the step and whether to present."""

    def gone() -> None:
        if (asked := heard(st.session_state[key].get("go"), len(titles))) is not None:
            go(*asked)

    data = {"titles": list(titles), "step": step, "present": present, "texts": _texts()}
    _component(key=key, data=data, on_go_change=gone)


def heard(told: Any, steps: int) -> tuple[int, bool] | None:
    """Parses the browser's message: the step and whether to present; None for anything invalid."""
    match told:
        case {"step": int(step), "present": bool(present)} if 0 <= step < steps:
            return step, present
    return None


def _texts() -> dict[str, str]:
    return {
        "steps": _("steps of the story"),
        "back": _("Back"),
        "next": _("Next"),
        "present": _("Present"),
        "leave": _("Leave"),
        "keys": _("Use the arrow keys, Page Up and Page Down, or a clicker. Esc leaves."),
    }
