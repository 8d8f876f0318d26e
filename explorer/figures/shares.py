"""The parts of a whole."""

from collections.abc import Sequence
from html import escape
from typing import Any

from explorer.figures.style import BLUE, Figure, figure
from explorer.i18n import _

_ROW = 32  # pixels of a part: its label, and below it its bar
_ABOVE, _BELOW = 0.22, 0.2  # share of a row between its middle and its label above, and its bar below
_THICK = 0.34  # share of a row that its bar fills


def shares(labels: Sequence[str], amounts: Sequence[int], *, title: str) -> Figure:
    """Draws a bar for each part of a whole, the first on top, below its label: a phone has no space beside it.

    Raises:
        ValueError: for amounts that do not fit the labels, or add up to nothing.
    """
    whole = sum(amounts)
    if len(amounts) != len(labels) or whole <= 0:
        raise ValueError(f"{len(amounts)} amounts that add up to {whole} for {len(labels)} labels")
    percent = [100 * amount / whole for amount in amounts]
    words = [f"{label} · {amount:,}" for label, amount in zip(labels, amounts, strict=True)]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": percent,
        "y": [i + _BELOW for i in range(len(labels))],
        "width": _THICK,
        "marker": {"color": BLUE},
        "hovertemplate": "%{x:.1f} %<extra></extra>",
    }
    names = [
        {
            "text": escape(each),
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": i - _ABOVE,
            "yanchor": "middle",
            "showarrow": False,
            "font": {"size": 12},
        }
        for i, each in enumerate(words)
    ]
    layout = {
        "xaxis": {"title": {"text": title}, "range": [0, 100], "ticksuffix": " %", "fixedrange": True},
        "yaxis": {"visible": False, "range": [len(labels) - 0.5, -0.5], "fixedrange": True},
        "annotations": names,
        "margin": {"t": 8},
        "showlegend": False,
        "uirevision": f"{len(labels)}",
    }
    said = zip(words, percent, strict=True)
    alt = "; ".join(_("{part}: {share:.1f}%").format(part=each, share=share) for each, share in said)
    return figure([bars], layout, alt=alt, height=_ROW * len(labels) + 60)
