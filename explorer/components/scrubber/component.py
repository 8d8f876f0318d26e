"""A scrubber over the steps of a run: drag it, play it, step, or jump to a named step; until touched, it follows the latest.

The browser moves it, the server draws what it points at. A new position is sent only when the previous one has been answered,
so playing is as fast as the pictures arrive, and a busy server gets fewer requests.
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
    """A button that jumps to a step; None if there is no such step (yet)."""

    name: str
    step: int | None


def show(steps: Sequence[int], jumps: Sequence[Jump], *, live: bool, key: str) -> int | None:
    """Draws the scrubber over `steps`, in order; returns its position, or None while it follows the latest.

    The position was chosen among the steps of a moment ago, and may no longer exist.
    """
    answered = told(st.session_state.get(key))
    result = _component(key=key, data=sent(steps, jumps, live=live, answered=answered), on_step_change=lambda: None)
    return told(result)


def told(state: Any) -> int | None:
    """The step that the browser sent; None for anything else."""
    step = getattr(state, "step", None)
    return step if type(step) is int else None


def sent(steps: Sequence[int], jumps: Sequence[Jump], *, live: bool, answered: int | None) -> dict[str, Any]:
    """What is sent to the browser; `answered` is the position that the pictures below are drawn for."""
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
