"""The values of several repetitions, a dot for each, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, Figure, figure
from explorer.i18n import _

_ROW = 46  # pixels of a row: its label, and below it its dots
_SPREAD = 0.3  # share of a row over which dots of equal values are spread
_BELOW = 0.2  # share of a row by which its dots are below its middle


@dataclass(frozen=True)
class DotRow:
    """One row of dots.

    Attributes:
        values: (dots,)
        dots: the names of the dots.
        middle: a line is drawn there.
    """

    label: str
    values: np.ndarray
    dots: Sequence[str]
    middle: float


def dots(rows: Sequence[DotRow], *, x_title: str, dots_title: str, middle_title: str) -> Figure:
    """Draws rows of dots, the first on top, each below its label, for a phone has no space beside it.

    Dots of a row are spread a little in their order, so that equal values can be told apart.
    """
    places = [_places(i, len(row.values)) for i, row in enumerate(rows)]
    line = {"symbol": "line-ns", "size": 22, "line": {"width": 2, "color": BLUE}}
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": escape(dots_title),
            "cliponaxis": False,
            "marker": {"symbol": "circle", "size": 9, "color": BLUE},
            "x": np.concatenate([row.values for row in rows]),
            "y": np.concatenate(places),
            "text": [escape(name) for row in rows for name in row.dots],
            "hovertemplate": "%{text}: %{x:,}<extra>" + escape(dots_title) + "</extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": escape(middle_title),
            "marker": line,
            "hoverinfo": "skip",
            "x": np.array([row.middle for row in rows]),
            "y": np.arange(len(rows)) + _BELOW,
        },
    ]
    annotations = [
        {
            "text": escape(row.label),
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": i - 0.25,
            "yanchor": "middle",
            "showarrow": False,
            "font": {"size": 13},
            "align": "left",
        }
        for i, row in enumerate(rows)
    ]
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
    alt = "; ".join(map(_words, rows))
    return figure(data, layout, alt=alt, height=_ROW * len(rows) + 100, narrow=narrow)


def _places(row: int, count: int) -> np.ndarray:
    """Returns the y positions of a row's dots, from top to bottom. Shape: -> (count,)"""
    steps = np.linspace(-0.5, 0.5, count) if count > 1 else np.zeros(count)
    return row + _BELOW + _SPREAD * steps


def _words(row: DotRow) -> str:
    return _("{name}: {values}").format(name=row.label, values=", ".join(f"{value:,}" for value in row.values.tolist()))
