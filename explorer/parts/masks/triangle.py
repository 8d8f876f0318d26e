"""The triangle that the causal mask is made of."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import triangles
from explorer.pictures.triangles import FARTHEST, MOST_SIDE, MOST_WORDS, CountedChoices, TriangleChoices, WordsChoices
from explorer.ui import document
from explorer.ui.widgets import slider
from transformer_core import causal_mask
from transformer_core.analysis.mask_examples import lower_triangle, upper_triangle


def draw(shown: ShownModel) -> None:
    """Draws the triangle; the model on screen is not used."""
    rows, columns = _diagonals(shown)
    document.details("triangle", lambda: _more(shown, rows, columns))


def _more(shown: ShownModel, rows: int, columns: int) -> None:
    _counted(shown, rows, columns)
    _causal(shown)
    document.formula(
        r"\begin{gathered}m_{ij}=\begin{cases}1&j\le i\\0&j>i\end{cases}\\m = 1-\mathrm{triu}(\mathbf 1,\,k=1)\end{gathered}",
        _("Section 3.2.3 of the paper: a position may attend to all positions up to and including itself."),
    )
    document.try_this(
        _("Set k to 0: now a word may not attend even to itself, and the first word to nothing at all. See “Blocked rows”."),
        _("Give rows, columns and the sentence the same length: with k = 1, `1 − triu(k)` is the causal mask below."),
    )
    document.the_code(upper_triangle, causal_mask)


def _diagonals(shown: ShownModel) -> tuple[int, int]:
    """Draws the triangle and its complement; returns their numbers of rows and columns."""
    st.markdown(_("`triu(k)` keeps everything on and above a diagonal; the causal mask is what it takes away."))
    places = st.columns(3)
    rows = slider("rows", _("rows"), 1, MOST_SIDE, 4, place=places[0])
    columns = slider("columns", _("columns"), 1, MOST_SIDE, 3, place=places[1])
    k = slider("k", _("offset k"), -FARTHEST, FARTHEST, 1, place=places[2])
    choices = TriangleChoices(rows, columns, k)
    left, right = st.columns(2)
    with left:
        st.markdown("`triu(k)`")
        how_to_read = _("1 where a cell lies on or above the diagonal; k moves the diagonal.")
        document.picture(triangles.triangle(shown, choices), how_to_read)
    with right:
        st.markdown("`1 − triu(k)`")
        how_to_read = _("1 where triu(k) has 0. With k = 1 this is the causal mask: row i has ones in columns 0 to i.")
        document.picture(triangles.rest(shown, choices), how_to_read)
    return rows, columns


def _counted(shown: ShownModel, rows: int, columns: int) -> None:
    """Draws what three offsets of the triangle leave of a matrix whose cells are numbered."""
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
            drawn = triangles.counted(shown, CountedChoices(rows, columns, offset))
            document.picture(drawn, words.format(last=last), f"triangle-counted-{offset + 1}")


def _causal(shown: ShownModel) -> None:
    document.section(_("The causal mask of a sentence"))
    size = slider("size", _("words in the sentence"), 1, MOST_WORDS, 5)
    lower = lower_triangle(size)
    document.picture(
        triangles.causal(shown, WordsChoices(size)),
        _("1 = may attend, 0 = masked. {n} of {all} cells are open: each word sees itself and those before it.").format(
            n=int(lower.sum()), all=lower.size
        ),
    )
