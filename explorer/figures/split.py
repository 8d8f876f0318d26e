"""The split of the width into heads: the borders, and the token that each number came from."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _

_TEXT_FITS = 8  # dimensions per head up to which a cell has space for token and dimension


def cut(values: np.ndarray, *, rows: Sequence[str], n_heads: int, row_title: str = "") -> Matrices:
    """Draws signed values (row, n_heads · d_k), with a line between the columns of one head and those of the next."""
    values = np.asarray(values)
    width = values.shape[1] // n_heads
    if width * n_heads != values.shape[1]:
        raise ValueError(f"{values.shape[1]} columns for {n_heads} equal heads")
    title = _("dimension (lines separate the heads)") if n_heads > 1 else _("dimension")
    drawn = matrix(values, rows=rows, columns=values.shape[1], row_title=row_title, column_title=title, signed=True, cell=22)
    return replace(drawn, cut_columns=range(width, width * n_heads, width))


def origin(token: np.ndarray, dimension: np.ndarray, *, labels: Sequence[str]) -> Matrices:
    """Draws the heads one below the other; the colour of a cell (and its number, if it fits) is the token that it came from.

    The same horizontal bands in every head mean that the split leaves each token its own row.

    Args:
        token, dimension: (head, token, d_k), counted from 0.
        labels: of the tokens.
    """
    heads, length, d_k = token.shape
    if len(labels) != length:
        raise ValueError(f"{len(labels)} labels for {length} tokens")
    flat, dims = token.reshape(heads * length, d_k), dimension.reshape(heads * length, d_k)
    rows = [_("head {i} · {token}").format(i=head, token=label) for head in range(heads) for label in labels]
    own = np.tile(np.arange(length), heads)[:, None]
    alt = _("{heads} heads of {length} tokens by {d} dimensions; {share:.0%} of the cells come from another token").format(
        heads=heads, length=length, d=d_k, share=float((flat != own).mean())
    )
    drawn = matrix(
        flat,
        rows=rows,
        columns=d_k,
        column_title=_("dimension of the head"),
        top=max(length - 1, 1),
        title=_("token"),
        decimals=0,
        alt=alt,
        cell=20,
    )
    pairs = (zip(*pair, strict=True) for pair in zip(flat.tolist(), dims.tolist(), strict=True))
    marks = [[f"{t}·{d}" for t, d in row] for row in pairs] if d_k <= _TEXT_FITS else None
    borders = range(length, heads * length, length)
    note = _("is in {row}; comes from {token}, dimension {d}").format(row="{row}", token="{label}", d="{n}")
    return replace(drawn, marks=marks, note=note, note_labels=labels, note_numbers=dims.astype(np.uint16), cut_rows=borders)
