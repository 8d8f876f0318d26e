"""The live client: while a knob of the sidebar is dragged, or the model on screen learns, the pictures on screen follow.

The knobs work as without it: they send their value to the server when they are let go, and the page follows then. In between,
the client asks over a WebSocket (see `shell.live`) for the numbers of the pictures (`pictures.registry`). The page of a model
that is learning is redrawn when it has learned, and now and then before, if not everything on it follows.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from explorer.components import register
from explorer.i18n import _, current_language, error
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.settings import SIZES, ModelSettings
from explorer.model_on_screen.shown_model import ShownModel

PATH = "live"
LENGTH = "sequence_length"  # the knob of the source's length, which is no setting: the source is one

_component = register("live")
_KNOBS = ("d_model", "n_heads", "n_layers", "d_ff", "dropout", "norm_eps", "seed", "src_len", "tgt_len", "step", LENGTH)


def show(settings: ModelSettings, names: Mapping[str, str], shown: ShownModel | None) -> None:
    """Mounts the live client, which is invisible.

    Args:
        names: settings whose keys in the sidebar differ from those in the code.
        shown: the model on screen; None if there is none.
    """
    data = {
        "address": PATH,
        "settings": asdict(settings),
        "language": current_language(),
        "hasModel": shown is not None,
        "learning": None if shown is None or shown.learning.state != "learning" else _learning(shown.learning),
        "length": 1 if shown is None else len(shown.src) or len(shown.tgt) - 1,
        "knobs": {
            name: {"model": None} if name in (*SIZES, "seed") else {} for name in _KNOBS
        },  # and the settings they also change
        "names": dict(names),
        "texts": {
            "nearest": _("{setting} = {value}, the nearest that has learned"),
            "later": _("drawn when you let go"),
        },
    }
    _component(key="live-knobs", data=data, on_due_change=lambda: None)


def _learning(learning: LearningState) -> dict[str, Any]:
    """Returns the facts of a model that is learning."""
    return {"newest": learning.last, "note": "" if learning.note is None else error(learning.note)}
