"""Matrices on canvas: one with its numbers, or many small ones on one scale."""

from typing import Any

import numpy as np

from explorer.components import LivePicture, register
from explorer.components.shared.arrays import packed
from explorer.figures.matrix import Matrices
from explorer.figures.style import palette
from explorer.i18n import _

_component = register("matrices")


def show(
    drawn: Matrices, key: str, clickable: bool = False, live: LivePicture | None = None, film: str = ""
) -> dict[str, Any] | None:
    """Draws matrices. With `clickable`, returns the clicked cell in the rerun after the click: {"x", "y", "panel"}, counted
    from 0.

    Args:
        live: its name and choices as a picture that follows a dragged knob; see `components.live`.
        film: the path at which a browser gets the same picture after every step of a run, if it is of one.
    """
    data = {"clickable": clickable, "live": live, "film_at": film} | packed(numbers(drawn)) | _look(drawn)
    result = _component(key=key, data=data, on_click_change=lambda: None)
    return result.click if clickable else None


def numbers(drawn: Matrices) -> dict[str, Any]:
    """Returns the numbers and the labels."""
    return {
        "names": drawn.names if isinstance(drawn.names, str) else list(drawn.names),
        "alt": drawn.alt,
        "axes": drawn.axes,
        "title": drawn.title,
        "values": drawn.values,
        "valid": drawn.valid,
        "ends": drawn.ends.astype(np.float32),
        "rows": list(drawn.rows),
        "columns": list(drawn.columns),
        "cell": drawn.cell,
        "cut_rows": list(drawn.cut_rows),
        "cut_columns": list(drawn.cut_columns),
        "marks": drawn.marks,
        "notes": drawn.notes,
        "note": drawn.note,
        "note_labels": list(drawn.note_labels),
        "note_numbers": drawn.note_numbers,
    }


def _look(drawn: Matrices) -> dict[str, Any]:
    """Returns the layout and the colours."""
    scale = "signed" if drawn.signed else "probability"
    return {
        "masked": drawn.closed or _("masked"),
        "wide": drawn.wide,
        "narrowest": drawn.narrowest,
        "square": drawn.square,
        "decimals": drawn.decimals,
        "scale": drawn.scale,
        "colours": {theme: {"stops": each[scale], "masked": each["masked"]} for theme, each in palette().items()},
    }
