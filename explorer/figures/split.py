"""The split of the width into heads: where the borders are, and which token each number came from."""

from collections.abc import Sequence
from html import escape

import numpy as np

from explorer.figures.matrix import matrix
from explorer.figures.style import PINK, Figure
from explorer.i18n import _

_TEXT_FITS = 8  # up to so many dimensions per head, a cell has room for token and dimension


def cut(values: np.ndarray, *, rows: Sequence[str], n_heads: int, row_title: str = "", alt: str = "", cell: int = 22) -> Figure:
    """Signed values (row, n_heads · d_k), with a line between the columns of one head and those of the next."""
    values = np.asarray(values)
    width = values.shape[1] // n_heads
    if width * n_heads != values.shape[1]:
        raise ValueError(f"{values.shape[1]} columns for {n_heads} equal heads")
    title = _("dimension (lines separate the heads)") if n_heads > 1 else _("dimension")
    drawn = matrix(
        values, rows=rows, columns=values.shape[1], row_title=row_title, column_title=title, signed=True, alt=alt, cell=cell
    )
    drawn["layout"]["shapes"] = [
        {
            "type": "line", "xref": "x", "x0": head * width - 0.5, "x1": head * width - 0.5, "yref": "paper", "y0": 0, "y1": 1,
            "line": {"color": PINK, "width": 3},
        }
        for head in range(1, n_heads)
    ]  # fmt: skip
    return drawn


def origin(token: np.ndarray, dimension: np.ndarray, *, labels: Sequence[str]) -> Figure:
    """The heads one below the other; the colour of a cell (and its number, where it fits) is the token that it came from.

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
        flat, rows=rows, columns=d_k, column_title=_("dimension of the head"), top=max(length - 1, 1), title=_("token"),
        decimals=0, alt=alt, cell=20,
    )  # fmt: skip
    cells = drawn["data"][0]
    if "text" in cells and d_k <= _TEXT_FITS:
        cells["text"] = np.array([[f"{t}·{d}" for t, d in zip(*pair, strict=True)] for pair in zip(flat, dims, strict=True)])
    if flat.size <= 4096:
        words = _("is in {row}; comes from {token}, dimension {d}")
        cells["hovertext"] = np.array(
            [
                [words.format(row=escape(row), token=escape(labels[t]), d=d) for t, d in zip(*pair, strict=True)]
                for row, pair in zip(rows, zip(flat, dims, strict=True), strict=True)
            ]
        )
        cells["hovertemplate"] = "%{hovertext}<extra></extra>"
    drawn["layout"]["meta"]["narrow"].pop("data.0.texttemplate", None)  # a position is short enough for a phone
    drawn["layout"]["yaxis"]["tickfont"] = {"size": 10}
    drawn["layout"]["shapes"] = [
        {
            "type": "line", "xref": "paper", "x0": 0, "x1": 1,
            "yref": "y", "y0": head * length - 0.5, "y1": head * length - 0.5,
            "line": {"color": PINK, "width": 3},
        }
        for head in range(1, heads)
    ]  # fmt: skip
    return drawn
