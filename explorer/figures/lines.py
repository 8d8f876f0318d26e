"""Curves and bars."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREEN, GREY, LINES, Figure, figure
from explorer.i18n import _

_DASHES = ("solid", "dash", "dot", "dashdot")
_FEW = 12  # values of an axis that all get a tick
_BAR = {"thickness": 1, "width": 3}
_MANY = 10  # bars from which on their numbers get fewer digits


def curves(
    x: Sequence[float] | np.ndarray,
    series: Mapping[str, np.ndarray],
    *,
    x_title: str,
    y_title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    markers: bool = False,
    height: int = 320,
    alt: str = "",
    marks: Mapping[str, float] | None = None,
    gaps: bool = True,
    grows: bool = False,
    ranges: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> Figure:
    """Draws named curves over one x, distinguished by colour and by dash.

    Args:
        series: name -> values of the length of x.
        gaps: whether a NaN interrupts its curve, or is skipped.
        marks: positions on the x axis, each with a name and a dotted line.
        grows: whether the curves came point by point, as those of a run do, and are filmed so (take_home/film.js).
        ranges: name of a curve -> the lowest and the highest values around it, drawn as bars.
    """
    data = []
    x = np.asarray(x)
    for i, (name, y) in enumerate(series.items()):
        if len(y) != len(x):
            raise ValueError(f"{name}: {len(y)} values for {len(x)} places")
        line = {"color": LINES[i % len(LINES)], "width": 2, "dash": _DASHES[(i // 2 + i // len(LINES)) % len(_DASHES)]}
        mode = "lines+markers" if markers else "lines"
        trace = {"type": "scatter", "x": x, "y": np.asarray(y, np.float32), "name": escape(name), "mode": mode, "line": line}
        if ranges and name in ranges:
            low, high = ranges[name]
            trace["error_y"] = {"symmetric": False, "array": high - y, "arrayminus": y - low, **_BAR}
        data.append(trace if gaps else trace | {"connectgaps": True})
    x_axis: dict[str, Any] = {"title": {"text": x_title}} | (_log_axis(x, _FEW) if log_x else {"type": "linear"})
    y_axis = _log_axis(np.concatenate([*series.values()])) if log_y and series else {"type": "linear"}
    layout: dict[str, Any] = {
        "xaxis": x_axis,
        "yaxis": {"title": {"text": y_title, "standoff": 12}} | y_axis,
        "showlegend": len(series) > 1,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "x unified",
        "uirevision": f"{x_title} {len(x)}",
    }
    if np.issubdtype(x.dtype, np.integer) and x.size and np.ptp(x) <= 12 and not log_x:
        x_axis["dtick"] = 1  # ticks only at whole numbers
    if marks:
        layout["shapes"] = [
            {"type": "line", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": GREY, "dash": "dot"}}
            for at in marks.values()
        ]
        layout["annotations"] = [
            {
                "text": escape(name),
                "x": float(np.log10(at)) if log_x else at,
                "xanchor": "left",
                "yref": "paper",
                "y": 0.02 + 0.09 * i,
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12},
            }
            for i, (name, at) in enumerate(marks.items())
        ]
    described = alt or "; ".join(
        [
            _("{name}: from {low:.3g} to {high:.3g}").format(name=name, low=np.min(y), high=np.max(y))
            for name, y in series.items()
            if len(y)
        ]
        + [_("{name} at {at:,}").format(name=name, at=at) for name, at in (marks or {}).items()]
    )
    drawn = figure(data, layout, alt=described, height=height)
    return _growing(drawn) if grows else drawn


def _growing(drawn: Figure) -> Figure:
    drawn["layout"]["meta"]["film"] = True
    return drawn


def _log_axis(values: np.ndarray, few: int = 0) -> dict[str, Any]:
    """Returns a logarithmic axis. Its ticks are the values if they are few; over a short range 1, 2, 5 of each power of ten,
    because Plotly itself writes bare small digits between the powers.
    """
    if (own := np.unique(values)).size <= few:
        return {"type": "log", "tickvals": own.tolist(), "ticktext": [f"{value:,g}" for value in own]}
    there = values[np.isfinite(values) & (values > 0)]
    low, high = np.log10([there.min(), there.max()]) if there.size else (0.0, 0.0)
    if high - low > 8:
        return {"type": "log"}
    if high - low >= 2:
        return {"type": "log", "dtick": 1}
    ticks = [digit * 10.0**power for power in range(int(np.floor(low)), int(np.ceil(high)) + 1) for digit in (1, 2, 5)]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def overlaid(
    series: Mapping[str, tuple[np.ndarray, np.ndarray]],
    *,
    x_title: str,
    y_title: str,
    alt: str = "",
    log_x: bool = False,
    grows: bool = False,
) -> Figure:
    """Draws curves, each over its own whole numbers; the longest determines the axis. `grows`: as for `curves`.

    Args:
        series: name -> (x, values), both of one length.
    """
    places = np.unique(np.concatenate([at for at, _values in series.values()]).astype(int))
    filled = {name: np.full(len(places), np.nan, dtype=np.float32) for name in series}
    for name, (at, values) in series.items():
        filled[name][np.searchsorted(places, at.astype(int))] = values
    return curves(places, filled, x_title=x_title, y_title=y_title, alt=alt, log_x=log_x, gaps=False, grows=grows)


def several_runs(
    runs: Mapping[str, Sequence[tuple[np.ndarray, np.ndarray]]],
    middle: Mapping[str, int],
    *,
    x_title: str,
    y_title: str,
    alt: str,
    target: float,
    height: int = 340,
) -> Figure:
    """Draws shares right of several runs of a few kinds: a thin line for each run, and a thick one for that in the middle.

    The axis is logarithmic, and begins behind the first point of a run. A kind that has not begun is only named.

    Args:
        runs: name of the kind -> of each run (x, shares), both of one length, with x = 0 first; none of what has not begun.
        middle: name of the kind -> which of its runs is drawn thick.
        target: a share to mark with a dotted line.
    """
    data: list[dict[str, Any]] = []
    for i, (name, of_kind) in enumerate(runs.items()):
        line = {"color": LINES[i], "dash": _DASHES[i % len(_DASHES)]}
        for at, (x, shares) in enumerate(of_kind or [(np.zeros(1), np.zeros(1))]):
            is_thick = at == middle.get(name, 0)
            trace: dict[str, Any] = {
                "type": "scatter",
                "mode": "lines" if len(x) > 2 else "lines+markers",  # a single point has no line
                "name": escape(name),
                "x": np.asarray(x)[1:],
                "y": np.asarray(shares, np.float32)[1:],
                "showlegend": is_thick,
                "legendgroup": name,
                "line": line | {"width": 4 if is_thick else 1.5},
            }
            data.append(trace | ({"hovertemplate": "%{y:.0%}"} if is_thick else {"opacity": 0.5, "hoverinfo": "skip"}))
    data.sort(key=lambda trace: bool(trace["showlegend"]))  # thick lines lie on top
    places = np.concatenate([np.empty(0), *(np.asarray(x)[1:] for of_kind in runs.values() for x, _shares in of_kind)])
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": target, "y1": target}
    layout = {
        "xaxis": {"title": {"text": x_title}} | (_log_axis(places) if places.size else {"showticklabels": False}),
        "yaxis": {"title": {"text": y_title, "standoff": 12}, "range": [-0.03, 1.05], "tickformat": ".0%", "nticks": 6},
        "shapes": [{"type": "line", "line": {"color": GREY, "dash": "dot"}} | ends],
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "x",
        "uirevision": f"{x_title} {len(data)}",
    }
    return figure(data, layout, alt=alt, height=height)


def bars(
    labels: Sequence[str], series: Mapping[str, np.ndarray], *, y_title: str, x_title: str = "", height: int = 300
) -> Figure:
    """Draws groups of bars, one group per label, one bar per series, each with its number unless it is too short to be seen.

    Numbers are as large as all other text. Many bars have fewer digits; narrow pictures show whole numbers, from 10 on.
    """
    data = []
    many = len(labels) * len(series) > _MANY
    few = len(labels) * len(series) <= 30
    top = max([1.0, *(np.nanmax(np.abs(values), initial=0) for values in series.values())])
    least = 0.005 * top
    for i, (name, values) in enumerate(series.items()):
        values = np.asarray(values, np.float32)
        if len(values) != len(labels):
            raise ValueError(f"{name}: {len(values)} values for {len(labels)} labels")
        text: dict[str, Any] = {}
        if few:
            numbers = [_number(value, many) if abs(value) >= least else "" for value in values]
            text = {"text": numbers, "texttemplate": "%{text}", "textposition": "outside", "cliponaxis": False}
            text["constraintext"] = "none"  # Plotly would make them as small as the bars are thin
        colour = {"color": LINES[i % len(LINES)], "pattern": {"shape": ("", "/", ".")[i % 3]}}
        data.append({"type": "bar", "x": list(range(len(labels))), "y": values, "name": escape(name), "marker": colour} | text)
    layout = {
        "xaxis": {"tickvals": list(range(len(labels))), "ticktext": [escape(label) for label in labels]}
        | ({"title": {"text": escape(x_title)}} if x_title else {}),
        "yaxis": {"title": {"text": y_title, "standoff": 12}, "rangemode": "tozero"},
        "barmode": "group",
        "showlegend": len(series) > 1,
        "legend": {"orientation": "h", "y": 1.05, "yanchor": "bottom", "x": 0},
        "uirevision": f"{len(labels)}",
    }
    alt = "; ".join(
        f"{name}: " + ", ".join(f"{label} {value:.2f}" for label, value in zip(labels, values, strict=True))
        for name, values in series.items()
    )
    narrow: dict[str, Any] = {}
    if many and few:
        room = top >= 10 and len(labels) * len(series) <= 20
        for i, trace in enumerate(data):
            whole = [f"{value:.0f}".replace("-", "−") if room and abs(value) >= 0.5 else "" for value in trace["y"]]
            narrow[f"data.{i}.text"] = whole
    return figure(data, layout, alt=alt, height=height, narrow=narrow)


def _number(value: float, short: bool) -> str:
    """Formats the number above a bar; `short`: with at most three digits."""
    digits = 2 if not short or abs(value) < 1 else 1 if abs(value) < 10 else 0
    return f"{value:.{digits}f}".replace("-", "−")


def training_curves(
    steps: np.ndarray,
    loss: np.ndarray,
    evaluations: np.ndarray,
    *,
    target: float,
    guessing: float,
    at: int | None = None,
    right: str = "",
) -> Figure:
    """Draws the share of right answers over the steps, and the loss below it.

    Args:
        loss: one value per step.
        evaluations: (n, 2), step and exact match.
        target: the exact match to reach; guessing: the loss of a uniform guess.
        at: a step to mark.
        right: what the share is called; "" for right answers.
    """

    def line(x: np.ndarray, y: np.ndarray, colour: str, panel: str, name: str, **more: Any) -> dict[str, Any]:
        place = {"xaxis": "x", "yaxis": f"y{panel}", "type": "scatter", "mode": "lines", "name": name}
        return place | {"x": x, "y": y, "line": {"color": colour, "width": 2}} | more

    def level(y: float, panel: str) -> dict[str, Any]:
        return {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "yref": f"y{panel}",
            "y0": y,
            "y1": y,
            "line": {"color": GREY, "dash": "dot", "width": 1.5},
        }

    upright = {
        "type": "line",
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": GREY, "width": 2},
    }
    course = _course(steps, loss, evaluations, right or _("exact match"))
    right = right or _("right answers")
    data = [
        line(steps, loss, BLUE, "", _("loss")),
        line(evaluations[:, 0], evaluations[:, 1], GREEN, "2", right, mode="lines+markers", hovertemplate="%{y:.1%}"),
    ]
    titles = ((right, 1.0), (_("loss (nats per token)"), 0.37))
    notes = [
        {
            "text": text,
            "xref": "paper",
            "yref": "paper",
            "x": 0,
            "y": y,
            "xanchor": "left",
            "yanchor": "bottom",
            "showarrow": False,
        }
        for text, y in titles
    ]
    notes.append(_note(_("guessing"), guessing, ""))
    notes.append(_note(_("target {target:.0%}").format(target=target), target, "2"))
    layout = {
        "xaxis": {"title": {"text": _("step")}, "anchor": "y", "rangemode": "tozero"},
        "yaxis": {"domain": [0, 0.37], "rangemode": "tozero", "nticks": 4},
        "yaxis2": {"domain": [0.52, 1], "range": [-0.03, 1.15], "tickformat": ".0%", "nticks": 4},
        "annotations": notes,
        "shapes": [level(guessing, ""), level(target, "2"), *([] if at is None else [upright])],
        "hovermode": "x",
        "margin": {"t": 24},
        "uirevision": "training",
    }
    return _growing(figure(data, layout, alt=course, height=320))


def _course(steps: np.ndarray, loss: np.ndarray, evaluations: np.ndarray, right: str) -> str:
    """Describes the curves in words."""
    if not len(loss):
        return _("no step taken yet")
    course = _("loss at step {first:,}: {a:.3f}; at step {last:,}: {b:.3f}").format(
        first=int(steps[0]), a=float(loss[0]), last=int(steps[-1]), b=float(loss[-1])
    )
    if not len(evaluations):
        return course
    return _("{course}; {measure}: {share:.1%}").format(course=course, measure=right, share=float(evaluations[-1, 1]))


def _note(text: str, y: float, panel: str) -> dict[str, Any]:
    return {
        "text": text,
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "yref": f"y{panel}",
        "y": y,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }
