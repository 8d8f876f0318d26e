"""The values of several repetitions, a dot for each, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, RED, Figure, figure
from explorer.i18n import _

_ROW = 46  # pixels of a row: its label, and below it its dots
_SPREAD = 0.3  # share of a row over which dots of equal values are spread
_BELOW = 0.2  # share of a row by which its dots are below its middle


@dataclass(frozen=True)
class DotRow:
    """One row of dots.

    Attributes:
        values: (dots,); reached: (dots,), whether each value is that of reaching the goal, or of ending without it.
        dots: the names of the dots.
        middle: a line is drawn there; None for no line.
    """

    label: str
    values: np.ndarray
    reached: np.ndarray
    dots: Sequence[str]
    middle: float | None


def dots(rows: Sequence[DotRow], *, x_title: str, reached_title: str, missed_title: str, middle_title: str) -> Figure:
    """Draws rows of dots, the first on top, each below its label, for a phone has no space beside it.

    Dots of a row are spread a little in their order, so that equal values can be told apart. Misses have their own shape
    and colour.
    """
    places = [_places(i, len(row.values)) for i, row in enumerate(rows)]
    kinds = ((True, reached_title, "circle", BLUE), (False, missed_title, "x-thin", RED))
    data: list[dict[str, Any]] = []
    for kind, title, symbol, colour in kinds:
        of = [row.reached == kind for row in rows]
        if not any(each.any() for each in of):
            continue
        marker = {"symbol": symbol, "size": 9, "color": colour, "line": {"width": 2 * (not kind), "color": colour}}
        data.append({
            "type": "scatter", "mode": "markers", "name": escape(title), "marker": marker, "cliponaxis": False,
            "x": np.concatenate([row.values[there] for row, there in zip(rows, of, strict=True)]),
            "y": np.concatenate([place[there] for place, there in zip(places, of, strict=True)]),
            "text": [escape(name) for row in rows for name, at in zip(row.dots, row.reached, strict=True) if at == kind],
            "hovertemplate": "%{text}: %{x:,}<extra>" + escape(title) + "</extra>",
        })  # fmt: skip
    there = [(i, row.middle) for i, row in enumerate(rows) if row.middle is not None]
    if there:
        line = {"symbol": "line-ns", "size": 22, "line": {"width": 2, "color": BLUE}}
        data.append({
            "type": "scatter", "mode": "markers", "name": escape(middle_title), "marker": line, "hoverinfo": "skip",
            "x": np.array([middle for _i, middle in there]), "y": np.array([i + _BELOW for i, _middle in there]),
        })  # fmt: skip
    annotations = [
        {
            "text": escape(row.label), "x": 0, "xref": "paper", "xanchor": "left", "y": i - 0.25, "yanchor": "middle",
            "showarrow": False, "font": {"size": 13}, "align": "left",
        }
        for i, row in enumerate(rows)
    ]  # fmt: skip
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": x_title}, "rangemode": "tozero", "zeroline": False},
        "yaxis": {
            "range": [len(rows) - 0.45, -0.5],
            "fixedrange": True,
            "zeroline": False,
            "showticklabels": False,
            "ticks": "",
            "tickvals": [i + _BELOW for i in range(len(rows))],
        },
        "annotations": annotations,
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
        "uirevision": f"{len(rows)}",
    }
    narrow = {f"layout.annotations.{i}.font.size": 11 for i in range(len(rows))}
    alt = "; ".join(_words(row, missed_title) for row in rows)
    return figure(data, layout, alt=alt, height=_ROW * len(rows) + 100, narrow=narrow)


def _places(row: int, count: int) -> np.ndarray:
    """Returns the y positions of a row's dots, from top to bottom. Shape: -> (count,)"""
    steps = np.linspace(-0.5, 0.5, count) if count > 1 else np.zeros(count)
    return row + _BELOW + _SPREAD * steps


def _words(row: DotRow, missed: str) -> str:
    found = [f"{value:,}" for value in row.values[row.reached].tolist()]
    found += [f"{value:,} ({missed})" for value in row.values[~row.reached].tolist()]
    return _("{name}: {values}").format(name=row.label, values=", ".join(found))
