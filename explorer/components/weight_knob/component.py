"""The knob of one weight: its place, its value, and a slider that pictures follow while it is dragged."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from explorer.components import register
from explorer.i18n import _
from explorer.model_on_screen.weight_edits import MOST, written
from transformer_core.analysis.weight_edit import DECIMALS, LARGEST, WeightEdit

_component = register("weight_knob")
_FAR = 100.0  # the ends of the slider


def show(
    key: str,
    edit: WeightEdit,
    learned: float,
    others: Sequence[WeightEdit],
    *,
    setting: str,
    name: str,
    places: Sequence[Sequence[int]],
    on_change: Callable[[str], None],
    on_cell: Callable[[Sequence[int]], None],
    locked: bool = False,
) -> None:
    """Draws the knob.

    Args:
        edit: the weight, with its value on screen.
        learned: its value in the model as it is without changes.
        others: the other weights that are changed, which stay so.
        setting: the whole setting as it is on screen.
        name: of its matrix; places: the rows and the columns that are shown, in order; of a vector one of both alone.
        on_change: called with the setting that somebody has chosen, before the rerun that draws it.
        on_cell: called with a row and a column that somebody has typed; of a vector with the place alone.
    """
    data = {
        "place": str(edit).rpartition(":")[0],
        "index": edit.index,
        "places": [list(each) for each in places],
        "value": edit.value,
        "learned": learned,
        "others": written(others),
        "setting": setting,
        "far": _FAR,
        "largest": LARGEST,
        "decimals": DECIMALS,
        "locked": locked or len(others) >= MOST,
        "texts": {
            "name": name,
            "row": _("row"),
            "column": _("column"),
            "place": _("place"),
            "value": _("value"),
            "learned": _("learned: {value}"),
            "undo": _("Undo"),
            "full": _("Up to {most} weights can be changed at a time: undo one first.").format(most=MOST)
            if len(others) >= MOST
            else "",
        },
    }

    def changed() -> None:
        if isinstance(text := st.session_state[key].edit, str):
            on_change(text)

    def moved() -> None:
        match st.session_state[key].cell:
            case list(index) if len(index) == len(places) and all(map(_is_there, index, places)):
                on_cell(index)

    _component(key=key, data=data, on_edit_change=changed, on_cell_change=moved)


def _is_there(place: Any, places: Sequence[int]) -> bool:
    return type(place) is int and place in places
