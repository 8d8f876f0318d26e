"""Tokens in columns, one row per position, with arrows that show where each token is used."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREEN, GREY, ORANGE, RED, Figure, figure
from explorer.i18n import _

_ROW = 36  # pixels from one position to the next


def lane(
    columns: Mapping[str, Sequence[str]],
    *,
    feeds: tuple[str, str],
    reads: tuple[str, str],
    marks: Mapping[str, Sequence[bool]] | None = None,
    teacher: bool = False,
) -> Figure:
    """Draws how tokens reach a decoder, position by position, from top to bottom.

    Args:
        columns: heading -> words, all of one length.
        feeds: (from, to): each word of the first column goes into the next row of the second, by a slanted arrow.
        reads: (from, to): each word of the first column leads to the word of the second in its row, by a level arrow.
        marks: heading -> whether each word is right: framed with ✓, or dashed with ✗.
        teacher: whether the words come from the target (orange), not from the model itself (blue).
    """
    headings = list(columns)
    count = len(columns[headings[0]])
    for heading, words in columns.items():
        if len(words) != count:
            raise ValueError(f"{heading}: {len(words)} words for {count} positions")
    at = {heading: i for i, heading in enumerate(headings)}
    colour = ORANGE if teacher else BLUE
    data, shapes, arrows = [], [], []
    for heading, words in columns.items():
        right = (marks or {}).get(heading)
        signs = ["" if right is None else "✓ " if right[i] else "✗ " for i in range(count)]
        data.append(
            {
                "type": "scatter",
                "mode": "text",
                "name": escape(heading),
                "x": np.full(count, at[heading], np.float32),
                "y": np.arange(count, dtype=np.float32),
                "text": [sign + escape(word) for sign, word in zip(signs, words, strict=True)],
                "hovertemplate": "%{y}: %{text}<extra></extra>",
            }
        )
        for i in range(count):
            line: dict[str, Any] = {"color": GREY, "width": 1, "dash": "solid"}
            if right is not None:
                line = {"color": GREEN if right[i] else RED, "width": 2, "dash": "solid" if right[i] else "dot"}
            elif heading in feeds:
                line = {"color": colour, "width": 1.5, "dash": "solid"}
            x = at[heading]
            shapes.append({"type": "rect", "x0": x - 0.36, "x1": x + 0.36, "y0": i - 0.33, "y1": i + 0.33, "line": line})
    for i in range(count):
        arrows.append(_arrow(at[reads[0]], i, at[reads[1]], i, GREY, 1))
        if i + 1 < count:
            arrows.append(_arrow(at[feeds[0]], i, at[feeds[1]], i + 1, colour, 2))
    layout = {
        "xaxis": {
            "tickvals": list(at.values()),
            "ticktext": [escape(heading) for heading in headings],
            "range": [-0.5, len(headings) - 0.5],
            "side": "top",
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
            "fixedrange": True,
        },
        "yaxis": {
            "tickvals": list(range(count)),
            "ticktext": [str(i) for i in range(count)],
            "range": [count - 0.5, -0.5],
            "title": {"text": _("position"), "standoff": 18},
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
            "fixedrange": True,
        },
        "shapes": shapes,
        "annotations": arrows,
        "uirevision": f"{count} {len(headings)}",
        "dragmode": False,
    }
    described = "; ".join(f"{heading}: {' '.join(words)}" for heading, words in columns.items())
    return figure(data, layout, alt=described, height=_ROW * count + 60)


def _arrow(x0: int, y0: int, x1: int, y1: int, colour: str, width: float) -> dict[str, Any]:
    """Returns an arrow from the edge of one box to the edge of another."""
    side = 0.37 if x1 > x0 else -0.37
    return {
        "x": x1 - side, "y": y1, "ax": x0 + side, "ay": y0, "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "",
        "showarrow": True, "arrowhead": 2, "arrowsize": 1, "arrowwidth": width, "arrowcolor": colour,
    }  # fmt: skip
