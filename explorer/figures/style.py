"""The scales, colours and frame that all figures share. The colours are those of the theme, in .streamlit/config.toml."""

import tomllib
from collections.abc import Sequence
from typing import Any

from explorer.root import CONFIG

# A figure as plotly.js takes it: {"data": [...], "layout": {...}}, with numpy arrays. Plotly's Python objects would copy and
# check every property at each change of a setting, which takes longer than all the rest; the tests check figures with them.
Figure = dict[str, Any]

THEME = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]
PAGE = {theme: THEME[theme]["backgroundColor"] for theme in ("light", "dark")}

# Q, K and V have the same colours everywhere, and always show their letter too.
LINES = tuple(THEME["chartCategoricalColors"][:8])
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, GREY = LINES


def _even(colours: Sequence[str], low: float, high: float) -> list[list[Any]]:
    """Spaces the colours of a scale evenly."""
    return [[low + (high - low) * i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def _centred(colours: Sequence[str], zero: str) -> list[list[Any]]:
    half = len(colours) // 2
    return [*_even([*colours[:half], zero], 0, 0.5), *_even([zero, *colours[half:]], 0.5, 1)[1:]]


_PROBABILITY = {theme: _even(THEME[theme]["chartSequentialColors"], 0, 1) for theme in PAGE}
_SIGNED = {theme: _centred(THEME[theme]["chartDivergingColors"], PAGE[theme]) for theme in PAGE}
_MASKED = {"light": "#d2d2d2", "dark": "#4c4c4c"}
_MARK = {"light": "#4a4a4a", "dark": "#d8d8d8"}


def palette() -> dict[str, dict[str, Any]]:
    """Returns the scales and the colour of masked cells, by theme, for views that Plotly does not draw."""
    return {
        theme: {
            "probability": _PROBABILITY[theme],
            "signed": _SIGNED[theme],
            "masked": {"cell": _MASKED[theme], "mark": _MARK[theme]},
        }
        for theme in PAGE
    }


def figure(
    data: Sequence[dict[str, Any]],
    layout: dict[str, Any],
    *,
    alt: str,
    height: int,
    narrow: dict[str, Any] | None = None,
) -> Figure:
    """Builds a figure in the common frame. `narrow` holds what differs on a phone, by path: {"layout.height": 300}."""
    margin = {"l": 8, "r": 8, "t": 8, "b": 8} | layout.get("margin", {})
    base = {
        "height": height,
        "showlegend": False,
        "template": None,
        "meta": {"alt": alt, "dark": {}, "narrow": {"layout.margin.l": 2, "layout.margin.r": 2} | (narrow or {})},
    }
    return {"data": list(data), "layout": base | layout | {"margin": margin}}
