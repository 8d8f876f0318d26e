"""Pairs of numbers as the hands of clocks."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREY, ORANGE, Figure, figure
from explorer.i18n import _

_APART = 2.7  # distance between two centres; a dial's radius is 1
_TWIN = {"size": 11, "color": ORANGE, "symbol": "circle-open", "line": {"width": 2}}


def dials(tips: np.ndarray, at: int, *, names: Sequence[str], height: int = 250) -> Figure:
    """Draws a dial for each pair: a dot for every position, a hand to one of them, and where else its height is met.

    Shape: tips (dial, position, 2), to the right and up, each of length 1
    """
    if len(tips) != len(names):
        raise ValueError(f"{len(names)} names for {len(tips)} dials")
    data: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    positions = [_("position {p}").format(p=p) for p in range(tips.shape[1])]
    for i, points in enumerate(tips):
        centre = _APART * i
        shapes.append(
            {"type": "circle", "x0": centre - 1, "x1": centre + 1, "y0": -1, "y1": 1, "line": {"color": GREY, "width": 1}}
        )
        x, y = map(float, points[at])
        level = {"type": "line", "x0": centre - abs(x), "x1": centre + abs(x), "y0": y, "y1": y}
        shapes.append(level | {"line": {"color": ORANGE, "width": 1.5, "dash": "dot"}})
        data += [
            _marks(centre + points[:, 0], points[:, 1], {"size": 6, "color": GREY}, positions),
            _marks([centre - x], [y], _TWIN, [_("the same sine")]),
            {
                "type": "scatter",
                "mode": "lines",
                "x": np.array([centre, centre + x], np.float32),
                "y": np.array([0, y], np.float32),
                "line": {"color": BLUE, "width": 4},
                "hoverinfo": "skip",
            },
            _marks([centre + x], [y], {"size": 12, "color": BLUE}, [positions[at]]),
        ]
    hidden = {"visible": False, "fixedrange": True}
    layout: dict[str, Any] = {
        "xaxis": hidden | {"range": [-1.3, _APART * (len(tips) - 1) + 1.3]},
        "yaxis": hidden | {"range": [-1.6, 1.2], "scaleanchor": "x"},
        "shapes": shapes,
        "annotations": [
            {"text": escape(name), "x": _APART * i, "y": -1.35, "showarrow": False, "font": {"size": 13}}
            for i, name in enumerate(names)
        ],
        "hovermode": "closest",
        "dragmode": False,
        "uirevision": f"{len(tips)}",
    }
    narrow: dict[str, Any] = {f"layout.annotations.{i}.font.size": 11 for i in range(len(names))}
    alt = "; ".join(
        _("{name}: the hand of position {p} has the sine {sine:.2f} and the cosine {cosine:.2f}").format(
            name=name, p=at, sine=points[at, 1], cosine=points[at, 0]
        )
        for name, points in zip(names, tips, strict=True)
    )
    return figure(data, layout, alt=alt, height=height, narrow=narrow | {"layout.height": 190})


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
    }
