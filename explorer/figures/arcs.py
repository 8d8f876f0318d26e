"""A row of tokens, and arcs from a token to those that it looks at."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREY, ORANGE, Figure, figure
from explorer.i18n import _

_POINTS = 40  # of an arc
_HIGH, _LOW = 2.1, 0.9  # of the highest arc above the row, and of the lowest below
_GAP = 0.35  # between a token and its arcs


@dataclass(frozen=True)
class Arc:
    """A look of one token at another, by their places; is_below: the row."""

    query: int
    key: int
    share: float
    is_below: bool = False


def arcs(tokens: Sequence[str], looks: Sequence[Arc], *, marked: Collection[int], at: int, says: str) -> Figure:
    """Draws looks as arcs with their shares, and what is said behind a token: those that come after it are faint.

    Args:
        marked: places that stand out.
        at: the place of the last token that is read.
        says: what is said next.
    """
    places = np.arange(len(tokens), dtype=np.float32)
    far = max([abs(each.query - each.key) for each in looks if not each.is_below], default=1)
    data: list[dict[str, Any]] = []
    arrows: list[dict[str, Any]] = []
    for each in looks:
        colour, tall = (ORANGE, -_LOW) if each.is_below else (BLUE, _HIGH * (0.4 + 0.6 * abs(each.query - each.key) / far))
        angle = np.linspace(0, np.pi, _POINTS, dtype=np.float32)
        middle, half = (each.query + each.key) / 2, (each.query - each.key) / 2
        base = -_GAP if each.is_below else _GAP
        x, y = middle + half * np.cos(angle), base + (tall - base) * np.sin(angle)
        line = {"color": colour, "width": 1 + 5 * each.share}
        data.append({"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"})
        arrows.append(_head(x[-4:], y[-4:], colour))
        label = {"x": middle, "y": tall, "text": f"<b>{each.share:.0%}</b>", "font": {"size": 14}}
        arrows.append(label | {"showarrow": False, "yshift": 11 if tall > 0 else -11})
    for shown, colour in ((places <= at, None), (places > at, GREY)):
        here = [int(place) for place in places[shown]]
        texts = [f"<b>{escape(tokens[place])}</b>" if place in marked else escape(tokens[place]) for place in here]
        font: dict[str, Any] = {"size": 16} | ({"color": colour} if colour else {})
        data.append(
            {
                "type": "scatter", "mode": "text", "x": places[shown], "y": np.zeros(len(here), np.float32), "text": texts,
                "textfont": font, "hoverinfo": "skip",
            }
        )  # fmt: skip
    boxes = [
        {"type": "rect", "x0": place - 0.42, "x1": place + 0.42, "y0": -0.3, "y1": 0.3, "line": {"color": GREY, "width": 1}}
        for place in sorted(marked)
    ]
    arrows.append(
        {
            "x": at + 1, "y": -0.3, "text": _("says <b>{word}</b>").format(word=escape(says)), "showarrow": True, "ax": 0,
            "ay": 34, "arrowhead": 2, "arrowcolor": GREY, "font": {"size": 14}, "standoff": 0,
        }
    )  # fmt: skip
    axis = {"visible": False, "fixedrange": True}
    layout = {
        "xaxis": axis | {"range": [-0.7, len(tokens) - 0.3]},
        "yaxis": axis | {"range": [-_LOW - 0.75, _HIGH + 0.6]},
        "shapes": boxes,
        "annotations": arrows,
        "dragmode": False,
    }
    return figure(data, layout, alt=_in_words(tokens, looks, at, says), height=230)


def _head(x: np.ndarray, y: np.ndarray, colour: str) -> dict[str, Any]:
    """Returns the head of an arrow at the end of a line."""
    end, start = (float(x[-1]), float(y[-1])), (float(x[0]), float(y[0]))
    return {
        "x": end[0], "y": end[1], "ax": start[0], "ay": start[1], "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
        "text": "", "showarrow": True, "arrowhead": 2, "arrowsize": 1.2, "arrowwidth": 2, "arrowcolor": colour,
    }  # fmt: skip


def _in_words(tokens: Sequence[str], looks: Sequence[Arc], at: int, says: str) -> str:
    told = [
        _("{query} (place {i}) looks at {key} (place {j}) with {share}").format(
            query=tokens[each.query], i=each.query, key=tokens[each.key], j=each.key, share=f"{each.share:.0%}"
        )
        for each in looks
    ]
    row = _("Read so far: {tokens}; it says {word}.").format(tokens=" ".join(tokens[: at + 1]), word=says)
    return f"{'; '.join(told)}. {row}"


__all__ = ["Arc", "arcs"]
