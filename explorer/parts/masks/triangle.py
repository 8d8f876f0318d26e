"""The triangle that the causal mask is made of."""

import streamlit as st

from explorer import controls, document
from explorer.figures.matrix import matrix
from explorer.words import _
from transformer_core import causal_mask
from transformer_core.analysis.mask_examples import lower_triangle, upper_triangle


def triangle_part() -> None:
    """Draws the part."""
    document.section(_("1 · Everything on and above a diagonal"))
    knobs = st.columns(3)
    n_rows = controls.slider("rows", _("rows"), 1, 8, 4, place=knobs[0])
    n_columns = controls.slider("columns", _("columns"), 1, 8, 3, place=knobs[1])
    k = controls.slider("k", _("offset k"), -3, 3, 1, place=knobs[2])
    upper = upper_triangle(n_rows, n_columns, k)
    left, right = st.columns(2)
    for place, values, name, title, words in (
        (left, upper, "triangle", _("triu(k)"), _("`triu(k)` keeps what lies on and above a diagonal; k moves the diagonal.")),
        (
            right,
            1 - upper,
            "triangle-rest",
            _("what it does not keep"),
            _("the rest. With k = 1 this is the causal mask: row i keeps columns 0 to i."),
        ),
    ):
        with place:
            st.markdown(f"**{title}**")
            picture = matrix(values, rows=n_rows, columns=n_columns, row_title=_("row"), column_title=_("column"), cell=34,
                             decimals=0)  # fmt: skip
            picture["layout"]["coloraxis"]["showscale"] = False  # the numbers stand in the cells
            document.figure(picture, name, words)

    document.section(_("2 · The causal mask of a sentence"))
    size = controls.slider("size", _("words in the sentence"), 1, 12, 5)
    lower = lower_triangle(size)
    picture = matrix(lower, rows=size, columns=size, row_title=_("asks (query)"), column_title=_("is asked (key)"), cell=34,
                     decimals=0)  # fmt: skip
    picture["layout"]["coloraxis"]["showscale"] = False
    document.figure(
        picture,
        "causal-mask",
        _("1 = may look, 0 = may not. {n} of {all} cells are open: each word sees itself and all before it.").format(
            n=int(lower.sum()), all=lower.size
        ),
    )
    document.formula(
        r"m_{ij}=\begin{cases}1&j\le i\\0&j>i\end{cases}\qquad m = 1-\mathrm{triu}(\mathbf 1,\,k=1)",
        _("Section 3.2.3 of the paper: a position may attend to all positions up to and including itself."),
    )
    document.try_this(
        _("Set k to 0: now a word may not even see itself, and the first word sees nothing. See “Blocked rows”."),
        _("Set k to −1, 0 and 1 on 4 rows and 3 columns, and follow the diagonal."),
    )
    document.the_code(upper_triangle, causal_mask)
