"""Pairs of numbers as the hands of clocks, and beside each clock the waves that its hand draws."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREY, ORANGE, Figure, figure
from explorer.i18n import _

_APART = 2.75  # distance between two centres; a dial's radius is 1
_FIRST, _STEP = 1.9, 0.5  # where the waves begin, to the right of the dials' centre, and the width of a position
_TICKS = 5  # positions between two numbers below the waves
_TWIN = {"size": 11, "color": ORANGE, "symbol": "circle-open", "line": {"width": 2}}


def dials(tips: np.ndarray, at: int, *, names: Sequence[str], height: int = 400) -> Figure:
    """Draws a dial for each pair: a dot for every position, a hand to one of them, and where else its height is met. Beside it,
    position by position, the height of the tip, which is its sine, and the way to the right, its cosine.

    Shape: tips (dial, position, 2), to the right and up, each of length 1
    """
    if len(tips) != len(names):
        raise ValueError(f"{len(names)} names for {len(tips)} dials")
    data: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    positions = [_("position {p}").format(p=p) for p in range(tips.shape[1])]
    places = _FIRST + _STEP * np.arange(tips.shape[1])
    for i, points in enumerate(tips):
        middle = -_APART * i
        shapes.append({"type": "circle", "x0": -1, "x1": 1, "y0": middle - 1, "y1": middle + 1, "line": _thin(GREY)})
        x, y = map(float, points[at])
        shapes.append(_level(-abs(x), places[at], middle + y, _thin(ORANGE, 1.5, "dot")))
        shapes.append(_level(places[0], places[-1], middle, _thin(GREY)))
        data += [
            _marks(points[:, 0], middle + points[:, 1], {"size": 6, "color": GREY}, positions),
            _marks([-x], [middle + y], _TWIN, [_("the same sine")]),
            _line([0, x], [middle, middle + y], {"color": BLUE, "width": 4}),
            _marks([x], [middle + y], {"size": 12, "color": BLUE}, [positions[at]]),
            _wave(places, middle + points[:, 0], _("cosine: how far to the right"), {"color": ORANGE, "dash": "dot"}, i == 0),
            _wave(places, middle + points[:, 1], _("sine: the height of the tip"), {"color": BLUE}, i == 0),
            _marks([places[at]], [middle + x], {"size": 8, "color": ORANGE}, [_("cosine {x:.2f}").format(x=x)]),
            _marks([places[at]], [middle + y], {"size": 10, "color": BLUE}, [_("sine {y:.2f}").format(y=y)]),
        ]
    bottom = -_APART * (len(tips) - 1) - 1.75
    upright = {"type": "line", "x0": places[at], "x1": places[at], "y0": bottom + 0.35, "y1": 1.2, "line": _thin(GREY, 1.5)}
    hidden = {"visible": False, "fixedrange": True}
    layout: dict[str, Any] = {
        "xaxis": hidden | {"range": [-1.3, float(places[-1]) + 0.5]},
        "yaxis": hidden | {"range": [bottom - 0.25, 1.4], "scaleanchor": "x"},
        "shapes": [*shapes, upright],
        "annotations": [
            *(_text(name, _FIRST, -_APART * i + 1.3, "left") for i, name in enumerate(names)),
            *(_text(str(p), float(places[p]), bottom, "center") for p in range(0, tips.shape[1], _TICKS)),
            _text(_("position"), 0, bottom, "center"),
        ],
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom"},
        "hovermode": "closest",
        "dragmode": False,
        "uirevision": f"{len(tips)}",
    }
    narrow: dict[str, Any] = {f"layout.annotations.{i}.font.size": 11 for i in range(len(layout["annotations"]))}
    alt = "; ".join(
        _("{name}: the hand of position {p} has the sine {sine:.2f} and the cosine {cosine:.2f}").format(
            name=name, p=at, sine=points[at, 1], cosine=points[at, 0]
        )
        for name, points in zip(names, tips, strict=True)
    )
    return figure(data, layout, alt=alt, height=height, narrow=narrow | {"layout.height": 290})


def _thin(colour: str, width: float = 1, dash: str = "solid") -> dict[str, Any]:
    return {"color": colour, "width": width, "dash": dash}


def _level(left: float, right: float, y: float, line: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "line", "x0": float(left), "x1": float(right), "y0": y, "y1": y, "line": dict(line)}


def _text(text: str, x: float, y: float, anchor: str) -> dict[str, Any]:
    return {"text": escape(text), "x": x, "y": y, "xanchor": anchor, "showarrow": False, "font": {"size": 13}}


def _line(x: Any, y: Any, line: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "line": dict(line),
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _wave(x: np.ndarray, y: np.ndarray, name: str, line: Mapping[str, Any], in_legend: bool) -> dict[str, Any]:
    return _line(x, y, {**line, "width": 2.5, "shape": "spline"}) | {"name": name, "showlegend": in_legend}


def _marks(x: Any, y: Any, marker: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "marker": dict(marker),
        "text": list(texts),
        "cliponaxis": False,
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }
