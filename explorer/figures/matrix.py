"""Matrices: one large, or many small ones side by side on one scale."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import Figure, all_labelled, figure, label_axis, masked_cells, probability_axis, signed_axis
from explorer.i18n import _

_VALUES_FIT = 16  # up to so many columns, a number fits into a cell of a large matrix
_LABELS_FIT, _LABELS_FIT_SMALL = 40, 14  # up to so many, every row or column is labelled, of a large matrix and of a small one


def matrix(
    values: np.ndarray | Sequence,
    *,
    rows: Sequence[str] | int,
    columns: Sequence[str] | int,
    row_title: str = "",
    column_title: str = "",
    signed: bool = False,
    valid: np.ndarray | None = None,
    title: str = "",
    top: float = 1.0,
    alt: str = "",
    cell: int = 30,
    decimals: int = 2,
) -> Figure:
    """One matrix as coloured cells, row 0 at the top, with the numbers written in where they fit.

    Args:
        values: (len(rows), len(columns)).
        rows, columns: labels, or their number for plain 0, 1, 2...
        signed: diverging about 0; otherwise the fixed scale from 0 to `top`.
        valid: booleans of the same shape; False cells are drawn as masked, grey with a mark, never as a value.
        alt: what the picture shows; by default, its size and its largest cell.
    """
    values = np.asarray(values, dtype=np.float32)
    rows, columns = _labels(rows), _labels(columns)
    _check(values, rows, columns)
    valid = np.isfinite(values) if valid is None else valid & np.isfinite(values)
    with_text = len(columns) <= _VALUES_FIT and len(rows) <= 2 * _VALUES_FIT
    text = _written(values, decimals) if with_text else None
    data = _cells(values, valid, rows, columns, "", text, most=_LABELS_FIT)
    height = int(np.clip(cell * len(rows), 110, 640)) + 90
    layout = {
        "xaxis": label_axis(_escaped(columns), column_title, _LABELS_FIT) | {"side": "top"},
        "yaxis": _downwards(_escaped(rows), row_title, _LABELS_FIT),
        "coloraxis": signed_axis(np.where(valid, values, np.nan), title) if signed else probability_axis(title, top),
        "uirevision": f"{values.shape}",
        "dragmode": False,
    }
    narrow: dict[str, Any] = {"layout.coloraxis.showscale": False}
    if len(columns) * (decimals + 3) > 45:  # more than fits on a phone
        narrow["data.0.texttemplate"] = ""
    return figure(data, layout, alt=alt or describe(values, valid, rows, columns), height=height, narrow=narrow)


def matrices(
    values: np.ndarray | Sequence,
    *,
    names: Sequence[str],
    rows: Sequence[str] | int,
    columns: Sequence[str] | int,
    row_title: str = "",
    column_title: str = "",
    signed: bool = False,
    valid: np.ndarray | None = None,
    title: str = "",
    top: float | Sequence[float] = 1.0,
    alt: str = "",
    wide: int = 4,
    size: int = 210,
) -> Figure:
    """Small multiples: matrices of one shape, `wide` in a row (two on a phone).

    Args:
        values: (len(names), len(rows), len(columns)).
        valid: (len(rows), len(columns)) or the full shape; see `matrix`.
        top: upper end of the scale: one for all, or one per matrix (then each has a scale of its own).
    """
    values = np.asarray(values, dtype=np.float32)
    rows, columns = _labels(rows), _labels(columns)
    for panel in values:
        _check(panel, rows, columns)
    if len(names) != len(values):
        raise ValueError(f"{len(names)} names for {len(values)} matrices")
    valid = np.isfinite(values) if valid is None else np.broadcast_to(valid, values.shape) & np.isfinite(values)
    own_tops = None if isinstance(top, int | float) else top
    grids = [(across := min(most, len(values)), -(-len(values) // across)) for most in (wide, 2)]
    data: list[dict] = []
    layout: dict[str, Any] = {
        "annotations": [],
        "uirevision": f"{values.shape}",
        "dragmode": False,
        "margin": {"t": 62, "b": 8},
    }
    narrow: dict[str, Any] = {}
    fits = len(columns) <= 12, len(rows) <= 12
    x_axis = label_axis(_escaped(columns), "", _LABELS_FIT_SMALL) | {"tickfont": {"size": 10}, "tickangle": -60}
    y_axis = _downwards(_escaped(rows), "", _LABELS_FIT_SMALL) | {"tickfont": {"size": 10}}
    for i, panel in enumerate(values):
        suffix = "" if i == 0 else str(i + 1)
        axis = f"coloraxis{suffix}" if own_tops else "coloraxis"
        for trace in _cells(panel, valid[i], rows, columns, suffix, None, axis, most=_LABELS_FIT_SMALL):
            trace["hovertemplate"] = f"{escape(names[i])}<br>" + trace["hovertemplate"]
            data.append(trace)
        if own_tops:
            layout[axis] = probability_axis(title, own_tops[i]) | {"showscale": False}
        wide_place, narrow_place = (_place(i, suffix, len(values), grid, fits) for grid in grids)
        name = {"text": escape(names[i]), "xanchor": "left", "yanchor": "bottom", "showarrow": False}
        layout["annotations"].append(name | {"xref": "paper", "yref": "paper"} | wide_place[f"annotations.{i}"])
        layout[f"xaxis{suffix}"] = x_axis | {"anchor": f"y{suffix}"} | wide_place[f"xaxis{suffix}"]
        layout[f"yaxis{suffix}"] = y_axis | {"anchor": f"x{suffix}"} | wide_place[f"yaxis{suffix}"]
        narrow |= {f"layout.{part}.{key}": value for part, own in narrow_place.items() for key, value in own.items()}
    if isinstance(top, int | float):
        layout["coloraxis"] = signed_axis(values[valid], title) if signed else probability_axis(title, top)
        narrow["layout.coloraxis.showscale"] = False
    axes = _("rows: {rows} · columns: {columns}").format(rows=row_title, columns=column_title)
    layout["title"] = {"text": axes, "x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"t": 6}, "font": {"size": 13}}
    narrow["layout.title.font.size"] = 11
    narrow["layout.height"] = grids[1][1] * (size - 20) + 60
    described = alt or "; ".join(f"{name}: {describe(values[i], valid[i], rows, columns)}" for i, name in enumerate(names))
    return figure(data, layout, alt=described, height=grids[0][1] * size + 60, narrow=narrow)


def describe(values: np.ndarray, valid: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    """The picture in words: its size and its largest cell."""
    if not valid.any():
        return _("all {n} cells are masked").format(n=values.size)
    row, column = map(
        int, np.unravel_index(np.where(valid, np.nan_to_num(values, nan=-np.inf), -np.inf).argmax(), values.shape)
    )
    return _("{r} by {c} cells; the largest is {v:.2f}, row “{row}”, column “{column}”").format(
        r=values.shape[0], c=values.shape[1], v=float(values[row, column]), row=rows[row], column=columns[column]
    )


def _cells(
    values: np.ndarray,
    valid: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    suffix: str,
    text: np.ndarray | None,
    axis: str = "coloraxis",
    *,
    most: int,
) -> list[dict]:
    """The heatmap of the valid cells and, if there are any, one of the masked cells."""
    place = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "type": "heatmap", "xgap": 1, "ygap": 1, "hoverongaps": False}
    if values.size > 4096 or values.shape[1] >= 100:  # otherwise, on a phone, the gaps are as wide as the cells
        place |= {"xgap": 0, "ygap": 0}
    # Both words in the hover box: plotly finds them on the axes if every row and column has its label; otherwise they are sent.
    hover: dict[str, Any] = {"hovertemplate": "%{y} → %{x}: %{z:.4f}<extra></extra>"}
    if not (all_labelled(rows, most) and all_labelled(columns, most)) and values.size <= 4096:
        names = np.array([[f"{escape(row)} → {escape(column)}" for column in columns] for row in rows])
        hover = {"hovertext": names, "hovertemplate": "%{hovertext}: %{z:.4f}<extra></extra>"}
    traces = [place | {"z": np.where(valid, values, np.nan), "coloraxis": axis} | hover]
    if text is not None:
        traces[0] |= {"text": np.where(valid, text, ""), "texttemplate": "%{text}"}
    if not valid.all():
        traces.append(place | masked_cells(valid) | {"meta": _("masked"), "hovertemplate": "%{meta}<extra></extra>"})
    return traces


def _place(i: int, suffix: str, count: int, grid: tuple[int, int], fits: tuple[bool, bool]) -> dict[str, dict[str, Any]]:
    """The layout of panel i in a grid of (across, down): its position, its name above it, and labels only where no neighbour
    has them already: below the lowest panels, and left of the leftmost."""
    x, y = _panel(i, *grid)
    return {
        f"xaxis{suffix}": {"domain": x, "showticklabels": fits[0] and i + grid[0] >= count},
        f"yaxis{suffix}": {"domain": y, "showticklabels": fits[1] and i % grid[0] == 0},
        f"annotations.{i}": {"x": x[0], "y": y[1]},
    }


def _panel(i: int, across: int, down: int) -> tuple[list[float], list[float]]:
    """Where panel i is in a grid, as fractions of the figure: (x from, to), (y from, to)."""
    row, column = divmod(i, across)
    gap_x, gap_y = 0.06, 0.16  # of a panel's own width and height
    width, height = 1 / (across + (across - 1) * gap_x), 1 / (down + (down - 1) * gap_y)
    x, y = column * (1 + gap_x) * width, 1 - row * (1 + gap_y) * height
    return [round(x, 4), round(min(x + width, 1), 4)], [round(max(y - height, 0), 4), round(y, 4)]


def _downwards(labels: Sequence[str], title: str, most: int) -> dict[str, Any]:
    return label_axis(labels, title, most) | {"range": [len(labels) - 0.5, -0.5]}


def _written(values: np.ndarray, decimals: int) -> np.ndarray:
    """The numbers as written in the cells; those that would read 0.00 are left out, so that the others stand out."""
    tiny = 0.5 * 10.0**-decimals

    def word(value: float) -> str:
        return "0" if value == 0 else "" if abs(value) < tiny else f"{value:.{decimals}f}"

    return np.array([[word(value) for value in row] for row in values.tolist()])


def _labels(labels: Sequence[str] | int) -> Sequence[str]:
    return [str(i) for i in range(labels)] if isinstance(labels, int) else labels


def _escaped(labels: Sequence[str]) -> list[str]:
    return [escape(label) for label in labels]  # plotly would read <start> as a tag


def _check(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"a matrix of shape {values.shape} does not fit {len(rows)} row and {len(columns)} column labels")
