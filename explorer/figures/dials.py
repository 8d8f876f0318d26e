"""Pairs of numbers as the hands of clocks: beside a clock the waves that its hand draws, or two hands and what lies between."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREEN, GREY, ORANGE, Figure, figure
from explorer.i18n import _

_APART = 2.75  # distance between two centres; a dial's radius is 1
_FIRST, _STEP = 1.9, 0.5  # where the waves begin, to the right of the dials' centre, and the width of a position
_TICKS = 5  # positions between two numbers below the waves
_BESIDE = 2.9  # distance between the centres of two dials that stand side by side
_ROW = 2.3  # height of the row of positions above them
_LINE = 0.35  # height of a line of words below them
_SECTOR = 0.45  # radius of what lies between two hands
_QUERY, _KEY = (BLUE, 5.5), (ORANGE, 3.5)  # colours and widths: also one upon the other, both are seen
_CLEAR = 11.0  # degrees from the middle of two hands at which the letters at their tips stand clear of each other
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


def turned_pairs(
    tips: np.ndarray,
    start: np.ndarray,
    *,
    query: int,
    key: int,
    last: int,
    names: Sequence[str],
    foot: Sequence[str],
    height: int = 415,
) -> Figure:
    """Draws a dial for each pair of dimensions: the hands of a query and a key, the angle between them and their product.
    Above, where both words stand in a row of positions; dotted, the hands with both words moved to the start of the row.

    Shape: tips and start (dial, 2, 2): query and key, each to the right and up, of length 1

    Args:
        query, key, last: positions of the two words, and the last one of the row.
        foot: lines below the dials.
    """
    if len(tips) != len(names):
        raise ValueError(f"{len(names)} names for {len(tips)} dials")
    right = _BESIDE * (len(tips) - 1) + 1.15
    row = np.linspace(-1.15, right, last + 1)
    shapes = [_level(row[0], row[-1], _ROW, _thin(GREY))]
    data = [_marks(row, np.full(last + 1, _ROW), {"size": 4, "color": GREY}, [*map(str, range(last + 1))])]
    notes, angles, told = [], [], [_("query at position {query}, key at position {key}").format(query=query, key=key)]
    for letter, colour, place, up, word in (
        (_("q"), _QUERY[0], query, 0.3, _("query at {query}").format(query=query)),
        (_("k"), _KEY[0], key, -0.3, _("key at {key}").format(key=key)),
    ):
        side = 1 if place <= last / 2 else -1  # where there is room for the word
        data.append(_letter(letter, row[place], _ROW + up, colour))
        notes.append(_text(word, row[place] + 0.22 * side, _ROW + up, "left" if side == 1 else "right"))
    for i, (hands, before, name) in enumerate(zip(tips, start, names, strict=True)):
        x, between = _BESIDE * i, abs(_between(hands))
        product = f"{hands[0] @ hands[1]:.2f}".replace("-", "−")
        shapes.append({"type": "circle", "x0": x - 1, "x1": x + 1, "y0": -1, "y1": 1, "line": _thin(GREY)})
        data += [
            *(_hand(x, tip, _thin(colour, 1.5, "dot")) for tip, (colour, _wide) in zip(before, (_QUERY, _KEY), strict=True)),
            _sector(x, before, _thin(GREEN, 1.5, "dot")),
            _sector(x, hands, _thin(GREEN, 2)) | {"fill": "toself"},
            *(_hand(x, tip, _thin(colour, wide)) for tip, (colour, wide) in zip(hands, (_QUERY, _KEY), strict=True)),
        ]
        notes += [_text(name, x, 1.5, "center"), _text(_("product {product}").format(product=product), x, -1.85, "center")]
        letters = zip((_("q"), _("k")), _clear(hands), strict=True)
        notes += [_text(letter, x + 1.2 * at[0], 1.2 * at[1], "center") for letter, at in letters]
        angles.append(_text(_("angle {angle:.0f}°").format(angle=between), x, -1.5, "center"))
        told.append(_("{name}, {angle:.0f}° between them, product {product}").format(name=name, angle=between, product=product))
    middle, bottom = _BESIDE * (len(tips) - 1) / 2, -2.4 - _LINE * (len(foot) - 1)
    notes += [_text(line, middle, -2.4 - _LINE * i, "center") for i, line in enumerate(foot)]
    hidden = {"visible": False, "fixedrange": True}
    layout: dict[str, Any] = {
        "xaxis": hidden | {"range": [-1.4, right + 0.25]},
        "yaxis": hidden | {"range": [bottom - 0.2, _ROW + 0.55], "scaleanchor": "x"},
        "shapes": shapes,
        "annotations": [*notes, *({**each, "font": {"size": 17}} for each in angles)],
        "hovermode": "closest",
        "dragmode": False,
        "uirevision": f"{len(tips)}",
    }
    sizes = [11] * len(notes) + [13] * len(angles)
    narrow: dict[str, Any] = {f"layout.annotations.{i}.font.size": size for i, size in enumerate(sizes)}
    narrow |= {"layout.height": 312, "layout.margin.b": 28}  # below: the arrow in the corner
    return figure(data, layout, alt="; ".join([*told, *foot]), height=height, narrow=narrow)


def _directions(hands: np.ndarray) -> tuple[float, float]:
    """The angles of two hands from the right, in degrees."""
    first, second = np.degrees(np.arctan2(hands[:, 1], hands[:, 0]))
    return float(first), float(second)


def _between(hands: np.ndarray) -> float:
    """The shorter way from the second hand to the first, in degrees, counter-clockwise."""
    first, second = _directions(hands)
    return (first - second + 180) % 360 - 180


def _clear(hands: np.ndarray) -> np.ndarray:
    """The directions of two hands, kept apart so far that a letter fits at each. Shape: -> (2, 2)"""
    turn = _between(hands)
    middle, half = _directions(hands)[1] + turn / 2, np.copysign(max(abs(turn) / 2, _CLEAR), turn)
    angles = np.radians([middle + half, middle - half])
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _sector(x: float, hands: np.ndarray, line: Mapping[str, Any]) -> dict[str, Any]:
    """The sector between two hands, the shorter way."""
    angles = np.radians(_directions(hands)[1] + np.linspace(0, _between(hands), 40))
    across, up = _SECTOR * np.cos(angles), _SECTOR * np.sin(angles)
    return _line(np.r_[x, x + across, x], np.r_[0, up, 0], line)


def _hand(x: float, tip: np.ndarray, line: Mapping[str, Any]) -> dict[str, Any]:
    """An arrow from the centre of a dial."""
    head = {"symbol": "arrow", "angleref": "previous", "size": [0, 5 + 2.5 * line["width"]], "opacity": 1, "line": {"width": 0}}
    return _line([x, x + tip[0]], [0, tip[1]], line) | {"mode": "lines+markers", "marker": {**head, "color": line["color"]}}


def _letter(letter: str, x: float, y: float, colour: str) -> dict[str, Any]:
    marker = {"size": 18, "color": colour}
    return _marks([x], [y], marker, [letter]) | {"mode": "markers+text", "textfont": {"size": 13, "color": "#ffffff"}}


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
