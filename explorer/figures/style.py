"""Scales, colours and the frame that all figures share. The colours are those of the theme, in .streamlit/config.toml."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

# As plotly.js takes it: {"data": [...], "layout": {...}}, with numpy arrays. Plotly's Python objects would copy and check every
# property at each change of a setting, which takes longer than all the rest; instead, they check every figure in the tests.
Figure = dict[str, Any]

THEME = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
PAGE = {theme: THEME[theme]["backgroundColor"] for theme in ("light", "dark")}

# Q, K, V have the same colours everywhere, and always show their letter, too.
LINES = tuple(THEME["chartCategoricalColors"][:8])
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, GREY = LINES


def _even(colours: Sequence[str], low: float, high: float) -> list[list]:
    """Colours of a scale, at equal distances."""
    return [[low + (high - low) * i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def _centred(colours: Sequence[str], zero: str) -> list[list]:
    half = len(colours) // 2
    return [*_even([*colours[:half], zero], 0, 0.5), *_even([zero, *colours[half:]], 0.5, 1)[1:]]


PROBABILITY = {theme: _even(THEME[theme]["chartSequentialColors"], 0, 1) for theme in PAGE}
_SIGNED = {theme: _centred(THEME[theme]["chartDivergingColors"], PAGE[theme]) for theme in PAGE}
MASKED = {"light": "#d2d2d2", "dark": "#4c4c4c"}
_MARK = {"light": "#4a4a4a", "dark": "#d8d8d8"}
MASKED_MARK = "×"


def palette() -> dict[str, dict[str, Any]]:
    """The scales and the colour of masked cells, by theme, for views that Plotly does not draw."""
    return {
        theme: {
            "probability": PROBABILITY[theme],
            "signed": _SIGNED[theme],
            "masked": {"cell": MASKED[theme], "mark": _MARK[theme]},
        }
        for theme in PAGE
    }


def probability_axis(title: str = "", top: float = 1.0) -> dict[str, Any]:
    """The fixed scale from 0 to 1 (or to `top`, where weights are small and the figure says so)."""
    return {"cmin": 0, "cmax": top, "colorscale": PROBABILITY["light"], "colorbar": _colour_bar(title)}


def signed_axis(values: np.ndarray, title: str = "") -> dict[str, Any]:
    """A scale centred on 0 that just covers the finite values."""
    finite = values[np.isfinite(values)]
    limit = float(np.abs(finite).max()) if finite.size else 1.0
    return {"cmin": -(limit or 1.0), "cmax": limit or 1.0, "colorscale": _SIGNED["light"], "colorbar": _colour_bar(title)}


def masked_cells(valid: np.ndarray) -> dict[str, Any]:
    """A heatmap of the cells that are not valid: grey, with a mark where it fits."""
    trace = {"z": np.where(valid, np.nan, 0), "showscale": False, "colorscale": flat(MASKED["light"]), "name": MASKED_MARK}
    if max(valid.shape) <= 24:  # a fixed template would be written into the valid cells as well
        trace |= {"text": np.where(valid, "", MASKED_MARK), "texttemplate": "%{text}", "textfont": {"color": _MARK["light"]}}
    return trace


def flat(colour: str) -> list[list]:
    """A scale of one colour."""
    return [[0, colour], [1, colour]]


def _colour_bar(title: str) -> dict[str, Any]:
    return {"title": {"text": title, "side": "right"}, "thickness": 12, "outlinewidth": 0, "len": 0.9}


def figure(
    data: Sequence[dict],
    layout: dict[str, Any],
    *,
    alt: str,
    height: int,
    narrow: dict[str, Any] | None = None,
) -> Figure:
    """A figure in the common frame. `narrow` holds what differs on a phone, by path: {"layout.height": 300}."""
    dark: dict[str, Any] = {}
    for name, value in layout.items():
        if name.startswith("coloraxis"):
            scale = PROBABILITY if value["cmin"] == 0 else _SIGNED
            dark[f"layout.{name}.colorscale"] = scale["dark"]
    for i, trace in enumerate(data):
        if trace.get("name") == MASKED_MARK:
            dark |= {f"data.{i}.colorscale": flat(MASKED["dark"]), f"data.{i}.textfont.color": _MARK["dark"]}
    margin = {"l": 8, "r": 8, "t": 8, "b": 8} | layout.get("margin", {})
    base = {
        "height": height,
        "showlegend": False,
        "template": None,
        "meta": {"alt": alt, "dark": dark, "narrow": {"layout.margin.l": 2, "layout.margin.r": 2} | (narrow or {})},
    }
    return {"data": list(data), "layout": base | layout | {"margin": margin}}


def _plain(labels: Sequence[str]) -> bool:
    return all(label.isdigit() for label in labels)


def all_labelled(labels: Sequence[str], most: int) -> bool:
    """Whether plotly knows the label of every tick of a label_axis; plain numbers need none."""
    return len(labels) <= most or _plain(labels)


def label_axis(labels: Sequence[str], title: str, most: int) -> dict[str, Any]:
    """An axis with labels at 0, 1, 2...: numeric, because a category axis would merge equal words.

    Up to `most` words, or 16 plain numbers, are all written; of more, about a dozen at equal distances.
    """
    stride = 1 if len(labels) <= (min(most, 16) if _plain(labels) else most) else -(-len(labels) // 12)
    places = list(range(0, len(labels), stride))
    return {
        "tickvals": places,
        "ticktext": [labels[i] for i in places],
        "title": {"text": title, "standoff": 6},
        "showgrid": False,
        "zeroline": False,
        "range": [-0.5, len(labels) - 0.5],
        "ticks": "",
    }
