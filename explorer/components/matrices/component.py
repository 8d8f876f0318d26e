"""Matrices on canvas: one with its numbers, or many small ones on one scale."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from explorer.components import LivePicture, register
from explorer.components.shared.arrays import packed
from explorer.figures.matrix import Matrices
from explorer.figures.style import palette
from explorer.i18n import _

_component = register("matrices")


def show(
    drawn: Matrices,
    key: str,
    clickable: bool = False,
    live: LivePicture | None = None,
    film: str = "",
    on_click: Callable[[int, int, int], None] | None = None,
    opens: str = "",
) -> dict[str, Any] | None:
    """Draws matrices. With `clickable`, returns the clicked cell in the rerun after the click: {"x", "y", "panel"}, counted
    from 0.

    Args:
        on_click: is called with the panel, the row and the column of the clicked cell before that rerun; the picture is
            clickable then.
        opens: the key of a box that shows what was clicked; it is scrolled to where it is out of sight.
        live: its name and choices as a picture that follows a dragged knob; see `components.live`.
        film: the path at which a browser gets the same picture after every step of a run, if it is of one.
    """
    clickable = clickable or on_click is not None
    given = {"clickable": clickable, "live": live, "film_at": film, "opens": opens}
    data = given | packed(numbers(drawn)) | _look(drawn)

    def click() -> None:
        match st.session_state[key].click:
            case {"panel": int(panel), "y": int(row), "x": int(column)} if on_click is not None:
                if _is_within((panel, row, column), drawn.values.shape):
                    on_click(panel, row, column)

    result = _component(key=key, data=data, on_click_change=click)
    return result.click if clickable else None


def _is_within(place: Sequence[int], shape: Sequence[int]) -> bool:
    return all(0 <= at < side for at, side in zip(place, shape, strict=True))


def numbers(drawn: Matrices) -> dict[str, Any]:
    """Returns the numbers and the labels; which cells are valid once, where it is the same for all panels."""
    all_alike = (drawn.valid == drawn.valid[:1]).all()
    return {
        "names": drawn.names if isinstance(drawn.names, str) else list(drawn.names),
        "alt": drawn.alt,
        "axes": drawn.axes,
        "title": drawn.title,
        "values": drawn.values,
        "valid": drawn.valid[:1] if all_alike else drawn.valid,
        "cut_cells": drawn.cut_cells,
        "crossed": list(drawn.crossed),
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
        "cut": _("cut"),
        "chosen": drawn.chosen,
        "framed": drawn.framed,
        "overview": drawn.overview,
        "wide": drawn.wide,
        "narrowest": drawn.narrowest,
        "square": drawn.square,
        "decimals": drawn.decimals,
        "scale": drawn.scale,
        "colours": {theme: {"stops": each[scale], "masked": each["masked"]} for theme, each in palette().items()},
    }
