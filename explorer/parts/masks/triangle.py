"""The triangle that the causal mask is made of."""

from typing import Any

import streamlit as st

from explorer.figures.matrix import matrix
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.ui import document
from explorer.ui.widgets import slider
from transformer_core import causal_mask
from transformer_core.analysis.mask_examples import counted_triangle, lower_triangle, upper_triangle

_ONES: dict[str, Any] = {"cell": 34, "decimals": 0, "scale": False}  # the numbers stand in the cells


def draw(_shown: ShownModel) -> None:
    """Draws the triangle; the model on screen is not used."""
    rows, columns, axes = _diagonals()
    document.details("triangle", lambda: _more(rows, columns, axes))


def _more(rows: int, columns: int, axes: dict[str, Any]) -> None:
    _counted(rows, columns, axes)
    _causal()
    document.formula(
        r"\begin{gathered}m_{ij}=\begin{cases}1&j\le i\\0&j>i\end{cases}\\m = 1-\mathrm{triu}(\mathbf 1,\,k=1)\end{gathered}",
        _("Section 3.2.3 of the paper: a position may attend to all positions up to and including itself."),
    )
    document.try_this(
        _("Set k to 0: now a word may not attend even to itself, and the first word to nothing at all. See “Blocked rows”."),
        _("Give rows, columns and the sentence the same length: with k = 1, `1 − triu(k)` is the causal mask below."),
    )
    document.the_code(upper_triangle, causal_mask)


def _diagonals() -> tuple[int, int, dict[str, Any]]:
    """Draws the triangle and its complement; returns their numbers of rows and columns, and how they are drawn."""
    st.markdown(_("`triu(k)` keeps everything on and above a diagonal; the causal mask is what it takes away."))
    places = st.columns(3)
    rows = slider("rows", _("rows"), 1, 8, 4, place=places[0])
    columns = slider("columns", _("columns"), 1, 8, 3, place=places[1])
    k = slider("k", _("offset k"), -3, 3, 1, place=places[2])
    upper = upper_triangle(rows, columns, k)
    axes: dict[str, Any] = {"rows": rows, "columns": columns, "row_title": "i", "column_title": "j"} | _ONES
    left, right = st.columns(2)
    with left:
        st.markdown("`triu(k)`")
        how_to_read = _("1 where a cell lies on or above the diagonal; k moves the diagonal.")
        document.picture(matrix(upper, **axes), how_to_read, "triangle")
    with right:
        st.markdown("`1 − triu(k)`")
        how_to_read = _("1 where triu(k) has 0. With k = 1 this is the causal mask: row i has ones in columns 0 to i.")
        document.picture(matrix(1 - upper, **axes), how_to_read, "triangle-rest")
    return rows, columns, axes


def _counted(rows: int, columns: int, axes: dict[str, Any]) -> None:
    """What the three offsets that lecture notes try leave of a matrix that counts its cells."""
    last = rows * columns
    for place, (offset, words) in zip(
        st.columns(3),
        {
            -1: _("the cells counted from 1 to {last}; the diagonal below the main one is kept as well."),
            0: _("the main diagonal and what lies above it; everything below has become 0."),
            1: _("the main diagonal has become 0, too: the offset 1 keeps only what lies above it."),
        }.items(),
        strict=True,
    ):
        with place:
            st.markdown(f"`triu({offset})`")
            drawn = matrix(counted_triangle(rows, columns, offset), top=float(last), **axes)
            document.picture(drawn, words.format(last=last), f"triangle-counted-{offset + 1}")


def _causal() -> None:
    document.section(_("The causal mask of a sentence"))
    size = slider("size", _("words in the sentence"), 1, 12, 5)
    lower = lower_triangle(size)
    document.picture(
        matrix(lower, rows=size, columns=size, row_title=_("query"), column_title=_("key"), **_ONES),
        _("1 = may attend, 0 = masked. {n} of {all} cells are open: each word sees itself and those before it.").format(
            n=int(lower.sum()), all=lower.size
        ),
        "causal-mask",
    )
