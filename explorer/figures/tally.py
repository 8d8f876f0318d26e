"""The frequency of each drawn answer, beside its expected one."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREEN, PINK, RED, Figure, figure
from explorer.i18n import _

_ROW = 46  # pixels of an answer: its text, and below it its bar
_BAR = 0.36  # share of the row
_MARKS = (("diamond", GREEN), ("circle-open", PINK))


def tally(
    labels: Sequence[str],
    drawn: np.ndarray,
    *,
    right: Sequence[bool] | None,
    expected: Mapping[str, np.ndarray],
    drawn_title: str,
    wrong_title: str,
) -> Figure:
    """Draws a bar for each answer, the first on top, below its text: a phone has no space beside it.

    Args:
        drawn: shares of all draws; expected: name -> probabilities, drawn as marks; NaN where there is none.
        right: whether each answer is right; wrong ones have their own colour, pattern and a ✗. None: unknown.
    """
    for name, values in {drawn_title: drawn, **expected}.items():
        if len(values) != len(labels):
            raise ValueError(f"{name}: {len(values)} values for {len(labels)} labels")
    places, known = np.arange(len(labels)), right is not None
    is_right = np.array(right if right is not None else [True] * len(labels), dtype=bool)
    top = 100 * float(np.nanmax([*drawn, *(value for values in expected.values() for value in values), 0.01]))
    data = [
        _bars(np.flatnonzero(of), 100 * drawn[of], name, colour, pattern)
        for of, name, colour, pattern in ((is_right, drawn_title, BLUE, ""), (~is_right, wrong_title, RED, "/"))
        if of.any()
    ]
    for (name, values), (symbol, colour) in zip(expected.items(), _MARKS, strict=False):
        there = np.isfinite(values)
        mark = {"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}}
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": np.asarray(100 * values[there], np.float32),
                "y": places[there] + _BAR / 2,
                "name": escape(name),
                "marker": mark,
                "cliponaxis": False,
                "hovertemplate": "%{x:.2f} %<extra>" + escape(name) + "</extra>",
            }
        )
    words = [(("✓ " if ok else "✗ ") if known else "") + label for label, ok in zip(labels, is_right, strict=True)]
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": _("%")}, "range": [0, 1.12 * top], "zeroline": False},
        "yaxis": {"visible": False, "range": [len(labels) - 0.4, -0.55], "fixedrange": True},
        "annotations": [
            {
                "text": escape(text),
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": place - _BAR / 2 + 0.02,
                "yanchor": "middle",
                "showarrow": False,
                "font": {"size": 13},
                "align": "left",
            }
            for place, text in enumerate(words)
        ],
        "barmode": "overlay",
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
        "uirevision": f"{len(labels)}",
    }
    narrow = {f"layout.annotations.{i}.font.size": 11 for i in range(len(labels))}
    alt = "; ".join(_words(i, words, drawn, expected) for i in range(len(labels)))
    return figure(data, layout, alt=alt, height=_ROW * len(labels) + 100, narrow=narrow)


def _bars(places: np.ndarray, values: np.ndarray, name: str, colour: str, pattern: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.asarray(values, np.float32),
        "y": places + _BAR / 2,
        "width": _BAR,
        "name": escape(name),
        "marker": {"color": colour, "opacity": 0.7, "pattern": {"shape": pattern}},
        "hovertemplate": "%{x:.2f} %<extra>" + escape(name) + "</extra>",
    }


def _words(i: int, words: Sequence[str], drawn: np.ndarray, expected: Mapping[str, np.ndarray]) -> str:
    marks = [f"{name} {100 * values[i]:.1f}" for name, values in expected.items() if np.isfinite(values[i])]
    return ", ".join([_("{answer}: drawn {share:.1f}%").format(answer=words[i], share=100 * drawn[i]), *marks])
