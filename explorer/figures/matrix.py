"""Matrices: one large, or many small ones side by side on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.i18n import _


@dataclass(frozen=True, eq=False)
class Matrices:
    """One matrix, or several of one shape side by side. `components.matrices` draws it.

    Attributes:
        values: (panel, row, column), float32; valid: of the same shape, False for cells that are masked.
        ends: (panel, 2): the values that the weakest and the strongest colour of each panel stand for.
        names: of the panels, or one template for any number of them, with their number as {i}; none for a single matrix.
        axes, title: the titles of rows and columns, and of the numbers.
        cell: the height of a cell in pixels; square: whether cells are no higher than they are wide.
        wide: panels in a row, at most two of them on a phone.
        narrowest: the least width of a cell in pixels; a picture that does not fit is scrolled.
        decimals: of the numbers that are written into cells with room for them; None for no numbers.
        scale: whether the colour scale is shown; not if each panel has its own.
        cut_rows, cut_columns: a line is drawn before each of these.
        framed: a cell of the first panel with a frame around it; (row, column).
        closed: the meaning of cells that are not `valid`, if it is not that they are masked.
        marks, notes: the text in each cell in place of its number, in one or two lines, and its tooltip; (row, column).
        overview: for many panels of shares from 0 to 1: close together, `wide` of them in a row on a phone as well, with square
            cells, and with labels only where each has room.
        chosen, crossed: in an overview, the name of the panel that is outlined, and the panels that are crossed out, since the
            model goes without them.
        cut_cells: True for cells that are cut out of the model; of the shape of the values.
        note: one template for all tooltips: {row}, {label} for the label whose index is the cell's value, and {n} for a number
            of the cell: `note_labels`, and `note_numbers` (row, column).
    """

    values: np.ndarray
    valid: np.ndarray
    ends: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    names: Sequence[str] | str
    axes: str
    alt: str
    title: str = ""
    signed: bool = False
    cell: float = 30
    square: bool = False
    wide: int = 1
    narrowest: float = 0
    decimals: int | None = None
    scale: bool = True
    cut_rows: Sequence[int] = ()
    cut_columns: Sequence[int] = ()
    framed: tuple[int, int] | None = None
    closed: str = ""
    marks: Sequence[Sequence[str]] | None = None
    notes: Sequence[Sequence[str]] | None = None
    overview: bool = False
    chosen: str = ""
    crossed: Sequence[int] = ()
    cut_cells: np.ndarray | None = None
    note: str = ""
    note_labels: Sequence[str] = ()
    note_numbers: np.ndarray | None = None


def matrix(
    values: np.ndarray | Sequence[Any],
    *,
    rows: Sequence[str] | int,
    columns: Sequence[str] | int,
    row_title: str = "",
    column_title: str = "",
    signed: bool = False,
    valid: np.ndarray | None = None,
    title: str = "",
    top: float = 1.0,
    least: float = 0.0,
    alt: str = "",
    cell: int = 30,
    square: bool = False,
    decimals: int = 2,
    scale: bool = True,
    closed: str = "",
) -> Matrices:
    """Draws one matrix as coloured cells, row 0 at the top, with the numbers written in where they fit.

    Args:
        values: (len(rows), len(columns)).
        rows, columns: labels, or their number for plain 0, 1, 2...
        signed: diverging about 0; otherwise the fixed scale from 0 to `top`.
        least: the least extent of a diverging scale, so that noise stays pale.
        valid: booleans of the same shape; False cells are drawn as masked, grey with a mark, never as a value.
        alt: the text alternative; by default, the size and the largest cell.
        closed: the meaning of cells that are not valid, if they are not masked.
    """
    values = np.asarray(values, dtype=np.float32)
    rows, columns = _labels(rows), _labels(columns)
    _check(values, rows, columns)
    valid = np.isfinite(values) if valid is None else valid & np.isfinite(values)
    ends, high = _ends(values[None], valid[None], signed, top, least), min(max(cell * len(rows), 110), 640) / len(rows)
    return Matrices(
        values[None], valid[None], ends, rows, columns, (), _axes(row_title, column_title),
        alt or describe(values, valid, rows, columns, closed), title=title, signed=signed, cell=high, square=square,
        decimals=decimals, scale=scale, closed=closed,
    )  # fmt: skip


def matrices(
    values: np.ndarray | Sequence[Any],
    *,
    names: Sequence[str] | str,
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
    closed: str = "",
) -> Matrices:
    """Draws small multiples: matrices of one shape, `wide` in a row (two on a phone).

    Args:
        values: (panel, len(rows), len(columns)).
        names: of the panels; or one template for any number of them, with their index as {i}.
        valid: (len(rows), len(columns)) or the full shape; see `matrix`.
        top: upper end of the scale: one for all, or one per matrix (then each has a scale of its own).
        size: the height of a matrix with its name, in pixels.
        closed: see `matrix`.
    """
    values = np.asarray(values, dtype=np.float32)
    rows, columns = _labels(rows), _labels(columns)
    for panel in values:
        _check(panel, rows, columns)
    if not isinstance(names, str) and len(names) != len(values):
        raise ValueError(f"{len(names)} names for {len(values)} matrices")
    valid = np.isfinite(values) if valid is None else np.broadcast_to(valid, values.shape) & np.isfinite(values)
    titles = [names.format(i=i) for i in range(len(values))] if isinstance(names, str) else names
    panels = zip(titles, values, valid, strict=True)
    described = "; ".join(f"{name}: {describe(cells, held, rows, columns, closed)}" for name, cells, held in panels)
    return Matrices(
        values, valid, _ends(values, valid, signed, top), rows, columns, names, _axes(row_title, column_title),
        alt or described, title=title, signed=signed, cell=min(max((size - 30) / len(rows), 3), 40), wide=wide,
        scale=isinstance(top, int | float), closed=closed,
    )  # fmt: skip


def describe(values: np.ndarray, valid: np.ndarray, rows: Sequence[str], columns: Sequence[str], closed: str = "") -> str:
    """Describes the picture in words: its size and its largest cell."""
    if not valid.any():
        return closed or _("all {n} cells are masked").format(n=values.size)
    row, column = map(
        int, np.unravel_index(np.where(valid, np.nan_to_num(values, nan=-np.inf), -np.inf).argmax(), values.shape)
    )
    return _("{r} by {c} cells; the largest is {v:.2f}, row “{row}”, column “{column}”").format(
        r=values.shape[0], c=values.shape[1], v=float(values[row, column]), row=rows[row], column=columns[column]
    )


def _ends(values: np.ndarray, valid: np.ndarray, signed: bool, top: float | Sequence[float], least: float = 0.0) -> np.ndarray:
    """Returns the ends of each panel's scale: centred on 0 and as wide as the valid cells need, or from 0 to `top`."""
    if signed:
        most = max(float(np.abs(values[valid]).max(initial=0.0)), least)
        return np.tile(np.array([-1, 1], dtype=np.float32) * (most or 1.0), (len(values), 1))
    tops = np.broadcast_to(np.asarray(top, dtype=np.float32), len(values))
    return np.stack([np.zeros_like(tops), tops], axis=1)


def _axes(rows: str, columns: str) -> str:
    if rows and columns:
        return _("rows: {rows} · columns: {columns}").format(rows=rows, columns=columns)
    if rows:
        return _("rows: {rows}").format(rows=rows)
    return _("columns: {columns}").format(columns=columns) if columns else ""


def _labels(labels: Sequence[str] | int) -> Sequence[str]:
    return [str(i) for i in range(labels)] if isinstance(labels, int) else labels


def _check(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"a matrix of shape {values.shape} does not fit {len(rows)} row and {len(columns)} column labels")
