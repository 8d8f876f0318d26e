"""The differences between two computations of the same numbers, stage by stage."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREEN, GREY, RED, Figure, figure
from explorer.i18n import _

_NONE = 1e-18  # stands for 0, which a logarithmic scale lacks
_TICKS = [_NONE, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0]
_LOOKS = (("circle", BLUE), ("diamond", GREEN))


def differences(
    names: Sequence[str],
    series: Mapping[str, np.ndarray],
    tolerances: Mapping[str, float],
    *,
    groups: Mapping[str, int],
    y_title: str,
    written: Callable[[float], str],
) -> Figure:
    """Draws dots on a logarithmic scale, from left to right in the order of computation; a cross where a tolerance is exceeded.

    Args:
        series: at most two: name -> relative differences, one for each of `names`; NaN counts as infinite.
        tolerances: of each series, drawn as a dotted line.
        written: formats a difference.
        groups: title -> the index of its first stage; a thin line is drawn before it.
    """
    data: list[dict[str, Any]] = []
    places = np.arange(len(names))
    notes: list[dict[str, Any]] = []
    for (name, values), (symbol, colour) in zip(series.items(), _LOOKS, strict=False):
        values = np.nan_to_num(np.asarray(values, np.float64), nan=np.inf)
        if len(values) != len(names):
            raise ValueError(f"{name}: {len(values)} values for {len(names)} stages")
        beyond = ~(values <= tolerances[name])
        said = [f"{escape(stage)}: {written(value)}" for stage, value in zip(names, values, strict=True)]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": escape(name),
                "x": places,
                "y": np.clip(values, _NONE, 1e3),
                "hovertext": said,
                "hovertemplate": "%{hovertext}<extra>" + escape(name) + "</extra>",
                "cliponaxis": False,
                "marker": {
                    "symbol": ["x" if each else symbol for each in beyond],
                    "size": [10 if each else 7 for each in beyond],
                    "color": [RED if each else colour for each in beyond],
                },
            }
        )
        notes.append(
            {
                "text": escape(_("tolerance of {name}: {value}").format(name=name, value=written(tolerances[name]))),
                "xref": "paper",
                "x": 1,
                "xanchor": "right",
                "y": float(np.log10(tolerances[name])),
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12},
            }
        )
    starts = [*groups.values(), len(names)]
    lines = [_line({"yref": "y", "y0": level, "y1": level, "xref": "paper", "x0": 0, "x1": 1}) for level in tolerances.values()]
    lines += [_line({"yref": "paper", "y0": 0, "y1": 1, "x0": at - 0.5, "x1": at - 0.5}) for at in starts[1:-1]]
    middles = [(low + high - 1) / 2 for low, high in pairwise(starts)]
    layout = {
        "xaxis": {
            "tickvals": middles,
            "ticktext": [escape(title) for title in groups],
            "range": [-0.7, len(names) - 0.3],
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {
            "type": "log",
            "title": {"text": y_title, "standoff": 12},
            "range": [-18.7, 1.5],
            "tickvals": _TICKS,
            "ticktext": ["0", *map(written, _TICKS[1:])],
        },
        "shapes": lines,
        "annotations": notes,
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
        "uirevision": f"{len(names)}",
    }
    narrow = {"layout.xaxis.tickangle": 90, "layout.yaxis.title.text": ""}
    return figure(data, layout, alt=_in_words(names, series, tolerances, written), height=330, narrow=narrow)


def _line(ends: dict[str, Any]) -> dict[str, Any]:
    return {"type": "line", "layer": "below", "line": {"color": GREY, "dash": "dot", "width": 1}} | ends


def _in_words(
    names: Sequence[str], series: Mapping[str, np.ndarray], tolerances: Mapping[str, float], written: Callable[[float], str]
) -> str:
    return "; ".join(
        _("{name}: {n} of {all} stages within the tolerance, the largest difference {most}, in {stage}").format(
            name=name,
            n=int(np.sum(values <= tolerances[name])),
            all=len(names),
            most=written(float(np.max(values))),
            stage=names[int(np.argmax(values))],
        )
        for name, values in series.items()
    )
