"""A picture of `rooms.outcomes` on a page of the app; a room's own pages draw the same by `pictures.js`."""

from collections.abc import Mapping
from typing import Any

from explorer.components import register
from explorer.i18n import _

_component = register("outcome")


def show(picture: Mapping[str, Any], key: str) -> None:
    """Draws a picture of the kind "sentence" or "arcs", as wide as its place; upright on a phone."""
    words = {
        "stays": _("nothing changed"),
        "barred": _("no word may look here"),
        "before": _("before"),
        "after": _("after the cut"),
        "the_end": _("the end"),
    }
    _component(key=key, data={"picture": dict(picture), "words": words})
