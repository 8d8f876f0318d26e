"""Attached to the knobs of the sidebar in the browser: while one is moved, the pictures on screen follow it; while the model on
screen is learning, they follow that.

The knobs are what they are without it: they tell the server their value when they are let go, and the page follows then. In
between, this asks over a WebSocket of the app (see `shell.live`) for the numbers of the pictures (`pictures.registry`). A page
of a model that is learning is drawn anew when that has learned, and now and then before, where not everything on it follows.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from explorer.components import register
from explorer.i18n import _, current_language, error
from explorer.inference.learning_state import Course
from explorer.inference.settings import SIZES, ModelSettings
from explorer.inference.shown_model import ShownModel

PATH = "live"
LENGTH = "sequence_length"  # the knob of the source's length, which is no setting: the source is

_component = register("live")
_KNOBS = ("d_model", "n_heads", "n_layers", "d_ff", "dropout", "norm_eps", "seed", "src_len", "tgt_len", "step", LENGTH)


def show(settings: ModelSettings, steps: int, names: Mapping[str, str], shown: ShownModel | None) -> None:
    """Mounts the view that listens to the knobs; it has nothing to be seen.

    Args:
        steps: in the browser's history, back or forward, that have been followed.
        names: settings that the sidebar does not call as the code does.
        shown: the model on screen; None where there is none.
    """
    data = {
        "address": PATH,
        "settings": asdict(settings),
        "steps": steps,
        "language": current_language(),
        "learning": None if shown is None or shown.course.state != "learning" else _learning(shown.course),
        "length": 1 if shown is None else len(shown.src),
        "knobs": {name: {"model": None} if name in (*SIZES, "seed") else {} for name in _KNOBS},  # with what else they change
        "names": dict(names),
        "texts": {
            "nearest": _("{setting} = {value}, the nearest that has learned"),
            "later": _("drawn when you let go"),
        },
    }
    _component(key="live-knobs", data=data, on_due_change=lambda: None)


def _learning(course: Course) -> dict[str, Any]:
    """What the page says of a model that is learning."""
    return {"newest": course.last, "note": "" if course.note is None else error(course.note)}
