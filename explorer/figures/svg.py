"""A curve and a matrix as drawings of their own, in light colours, for a file that is read without the app."""

import math
from collections.abc import Sequence
from html import escape
from unicodedata import east_asian_width

import numpy as np

from explorer.figures.style import GREY, palette

_WIDE, _HIGH = 620, 190  # of a curve's frame
_LEFT, _TOP, _BELOW = 52, 12, 36
_CELL, _LETTER = 30, 12
_INK = "#31333f"


def curve(
    x: np.ndarray, y: np.ndarray, *, x_title: str, alt: str, colour: str, level: tuple[float, str], percent: bool = False
) -> str:
    """Draws y over x, from 0 up, and a dotted line at a level with its name. What is not finite interrupts the curve."""
    there = y[np.isfinite(y)]
    top = 1.0 if percent else max(float(there.max(initial=0)), level[0]) or 1.0
    right = max(float(x.max(initial=0)), 1.0)

    def across(at: float) -> float:
        return _LEFT + _WIDE * at / right

    def up(value: float) -> float:
        return _TOP + _HIGH * (1 - value / top)

    parts = [_line(_LEFT, up(tick), _LEFT + _WIDE, up(tick), "#e3e5ea") for tick in ticks(top)]
    parts += [_text(_LEFT - 6, up(tick) + 4, f"{tick:.0%}" if percent else f"{tick:g}", "end") for tick in ticks(top)]
    parts += [_text(across(tick), _TOP + _HIGH + 16, f"{tick:,g}", "middle") for tick in ticks(right)]
    parts.append(_line(_LEFT, up(level[0]), _LEFT + _WIDE, up(level[0]), GREY, ' stroke-dasharray="2 3"'))
    parts.append(
        _text(_LEFT + _WIDE, up(level[0]) - 4 if up(level[0]) > _TOP + _LETTER else up(level[0]) + 13, level[1], "end")
    )
    points, command = [], "M"
    for at, value in zip(x.tolist(), y.tolist(), strict=True):
        if math.isfinite(value):
            points.append(f"{command}{across(at):.1f} {up(value):.1f}")
        command = "L" if math.isfinite(value) else "M"
    parts.append(f'<path d="{"".join(points)}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>')
    parts.append(_text(_LEFT + _WIDE / 2, _TOP + _HIGH + _BELOW - 3, x_title, "middle"))
    return _drawing(_LEFT + _WIDE + 14, _TOP + _HIGH + _BELOW, alt, parts)


def heatmap(weights: np.ndarray, allowed: np.ndarray, rows: Sequence[str], columns: Sequence[str], *, alt: str) -> str:
    """Draws weights from 0 to 1, (row, column), each with its number; what is not allowed is grey, with a ×."""
    left, slanted = (8 + _LETTER * max(map(width, labels), default=0) for labels in (rows, columns))
    top = 10 + slanted * math.sin(math.pi / 4)
    masked = palette()["light"]["masked"]
    parts = []
    for i, row in enumerate(rows):
        y = top + i * _CELL
        parts.append(_text(left - 6, y + _CELL / 2 + 4, row, "end"))
        for j in range(len(columns)):
            weight, x = float(weights[i, j]), left + j * _CELL
            fill = colour_of(weight) if allowed[i, j] else masked["cell"]
            ink = masked["mark"] if not allowed[i, j] else "#fff" if weight > 0.5 else _INK
            text = "×" if not allowed[i, j] else f"{weight:.2f}" if weight >= 0.005 else ""
            parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{_CELL - 1}" height="{_CELL - 1}" fill="{fill}"/>')
            parts.append(_text(x + _CELL / 2, y + _CELL / 2 + 4, text, "middle", ink, 10) if text else "")
    for j, column in enumerate(columns):
        x = left + (j + 0.5) * _CELL
        parts.append(_text(x, top - 6, column, "start", more=f' transform="rotate(-45 {x:.1f} {top - 6:.1f})"'))
    across = left + len(columns) * _CELL + slanted * math.cos(math.pi / 4)
    return _drawing(across, top + len(rows) * _CELL, alt, parts)


def ticks(top: float) -> list[float]:
    """Returns round numbers from 0 to `top`, three to six of them."""
    raw = top / 4
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(scale * each for each in (1, 2, 2.5, 5, 10) if scale * each >= raw)
    return [float(f"{i * step:.6g}") for i in range(int(top / step + 1e-9) + 1)]


def colour_of(weight: float) -> str:
    """Returns the colour of a weight on the light scale."""
    stops = palette()["light"]["probability"]
    place = min(max(weight, 0.0), 1.0) * (len(stops) - 1)
    at = min(int(place), len(stops) - 2)
    low, high = ([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for _at, colour in stops[at : at + 2])
    return "#" + "".join(f"{round(a + (place - at) * (b - a)):02x}" for a, b in zip(low, high, strict=True))


def width(label: str) -> float:
    """Estimates how wide a label is, in letters as wide as they are high."""
    return sum(1.0 if east_asian_width(letter) in "WF" else 0.58 for letter in label)


def _drawing(wide: float, high: float, alt: str, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {math.ceil(wide)} {math.ceil(high)}" width="{math.ceil(wide)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(alt)}</title>{"".join(parts)}</svg>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def _text(x: float, y: float, text: str, anchor: str, ink: str = _INK, size: int = _LETTER, more: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{ink}"'
    return f"<text {place}{more}>{escape(text)}</text>"
