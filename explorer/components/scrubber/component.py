"""A scrubber over the steps of a run: dragged, played, stepped, or sent to a named step; it follows the latest until touched.

The browser moves it, the server draws what it points at. A new place is told only when the last one has been answered, so that
playing is as fast as the pictures come, and a busy server is asked less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.components import register
from explorer.i18n import _

_component = register("scrubber")


@dataclass(frozen=True)
class Jump:
    """A button that leads to a step; None where there is no such step (yet)."""

    name: str
    step: int | None


def show(steps: Sequence[int], jumps: Sequence[Jump], *, live: bool, key: str) -> int | None:
    """Draws the scrubber over `steps`, in order; returns where it stands, or None while it follows the latest.

    What it returns was chosen from the steps of a moment ago, which need not be there any more.
    """
    answered = told(st.session_state.get(key))
    result = _component(key=key, data=sent(steps, jumps, live=live, answered=answered), on_step_change=lambda: None)
    return told(result)


def told(state: Any) -> int | None:
    """The step that the browser told; None for anything that is none."""
    step = getattr(state, "step", None)
    return step if type(step) is int else None


def sent(steps: Sequence[int], jumps: Sequence[Jump], *, live: bool, answered: int | None) -> dict[str, Any]:
    """What the browser is given; `answered` is the place that the pictures below are drawn for."""
    return {
        "steps": list(steps),
        "answered": answered,
        "live": live,
        "jumps": [{"name": jump.name, "step": jump.step} for jump in jumps],
        "texts": {
            "group": _("steps of this run"),
            "range": _("step shown"),
            "back": _("previous step"),
            "next": _("next step"),
            "play": _("play"),
            "pause": _("pause"),
            "latest": _("follow the latest step"),
            "place": _("step {step} of {last}"),
            "jump": _("{name}: step {step}"),
            "nowhere": _("{name}: not reached so far"),
        },
    }
