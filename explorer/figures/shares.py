"""What a whole is made of."""

from collections.abc import Sequence
from html import escape
from typing import Any

from explorer.figures.style import BLUE, Figure, figure
from explorer.i18n import _

_ROW = 26  # pixels of a part
_WIDE = 0.5  # share from which on there is no room for words beside a bar
_WHITE = "#ffffff"  # words within a bar


def shares(labels: Sequence[str], amounts: Sequence[int], *, title: str) -> Figure:
    """A bar for each part of a whole, the first on top, with its name and amount beside it: on a phone there is no room for
    names on the left of bars.

    Raises:
        ValueError: for amounts that do not fit the labels, or add up to nothing.
    """
    whole = sum(amounts)
    if len(amounts) != len(labels) or whole <= 0:
        raise ValueError(f"{len(amounts)} amounts that add up to {whole} for {len(labels)} labels")
    percent = [100 * amount / whole for amount in amounts]
    words = [f"{label} · {amount:,}" for label, amount in zip(labels, amounts, strict=True)]
    bars: dict[str, Any] = {
        "type": "bar", "orientation": "h", "x": percent, "y": [*range(len(labels))], "marker": {"color": BLUE},
        "text": [escape(each) for each in words], "textposition": ["inside" if p > 100 * _WIDE else "outside" for p in percent],
        "insidetextanchor": "start", "insidetextfont": {"color": _WHITE}, "textangle": 0, "cliponaxis": False,
        "constraintext": "none", "hovertemplate": "%{x:.1f} %<extra></extra>",
    }  # fmt: skip
    layout = {
        "xaxis": {"title": {"text": title}, "range": [0, 100], "ticksuffix": " %", "fixedrange": True},
        "yaxis": {"visible": False, "range": [len(labels) - 0.5, -0.5], "fixedrange": True},
        "margin": {"t": 8},
        "showlegend": False,
        "uirevision": f"{len(labels)}",
    }
    said = zip(words, percent, strict=True)
    alt = "; ".join(_("{part}: {share:.1f} %").format(part=each, share=share) for each, share in said)
    return figure([bars], layout, alt=alt, height=_ROW * len(labels) + 60)
