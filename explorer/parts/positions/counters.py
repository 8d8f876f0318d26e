"""Positions as counters: angles, digits beside waves, and a step along the sentence as a rotation."""

import math

import streamlit as st

from explorer.figures.matrix import matrices, matrix
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.parts.positions import wave_base
from explorer.ui import document
from explorer.ui.widgets import slider
from transformer_core.analysis.embedding_metrics import binary_digits, encoding
from transformer_core.analysis.rotation import angles, rotate, rotation_matrix
from transformer_core.model.embedding import frequencies

_SHOWN = 16  # positions and pairs in the tables whose cells hold their numbers
_LENGTH = 100  # positions that are rotated


def draw(shown: ShownModel) -> None:
    d = shown.cfg.d_model
    with st.columns(2)[0]:
        base = wave_base.draw()
    _angles(d, base)
    _digits(base)
    if d > 1:
        _rotation(d, base)
    document.try_this(
        _("Set **k** to 0: nothing rotates, and the matrix is the identity."),
        _("Raise **k**: the fast pairs on the left turn round and round, the slow ones on the right hardly move."),
        _("Set the base to 10: the angles in the right-hand columns now grow much faster from row to row."),
    )
    document.the_code(rotation_matrix, rotate)


def _angles(d: int, base: int) -> None:
    document.section(_("1 · Every position is a set of angles"))
    pairs = min(_SHOWN, math.ceil(d / 2))
    table = angles(_SHOWN, d, base)[:, :pairs]
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        document.figure(
            matrix(table, rows=_SHOWN, columns=pairs, row_title=_("position"), column_title=_("pair of dimensions"),
                   top=float(table.max()), title=_("radians"), cell=24),
            "angles",
            _("a multiplication table: each angle is the position (row) times the frequency of the pair (column)."),
        )  # fmt: skip
    with right:
        p, i = 3, pairs // 2
        document.formula(
            r"\begin{gathered}\theta=\mathrm{positions}\otimes\mathrm{frequencies}\\"
            r"\theta_{pos,i}=pos\cdot e^{-2i\,\ln(b)/d_{model}}=pos/b^{2i/d_{model}}\end{gathered}",
            _(
                "Section 3.5 of the paper, with base b = {base:,} and d_model = {d}. Even dimensions are the sines of these "
                "angles, odd dimensions the cosines."
            ).format(base=base, d=d),
        )
        st.code(
            f"{p} * exp(-2 * {i} * ln({base}) / {d}) = {table[p, i]:.6f}\nsin = {math.sin(table[p, i]):.6f}"
            f"\ncos = {math.cos(table[p, i]):.6f}",
            language=None,
            wrap_lines=True,
        )
        st.caption(
            _("Position {p}, pair {i}: dimensions {even} and {odd} of its vector.").format(p=p, i=i, even=2 * i, odd=2 * i + 1)
        )
        document.the_code(frequencies, angles)


def _digits(base: int) -> None:
    document.section(_("2 · Two counters: binary digits and waves"))
    left, right = st.columns(2)
    counted = [_("ones"), _("twos"), _("fours"), _("eights")]
    with left:
        document.figure(
            matrix(binary_digits(16, 4)[:, ::-1], rows=16, columns=counted, row_title=_("number"), cell=18, decimals=0),
            "binary",
            _("each row is a number in binary. The ones change in every row, each further digit half as often."),
        )
    with right:
        drawn = [_("dimension {i}").format(i=i) for i in (0, 2, 4, 6)]
        document.figure(
            matrix(encoding(16, 8, base)[:, ::2], rows=16, columns=drawn, row_title=_("position"), signed=True, cell=18),
            "counter",
            _("each row is a position, here for d_model 8. The sines count in the same way, but smoothly."),
        )


def _rotation(d: int, base: int) -> None:
    document.section(_("3 · A step along the sentence is a rotation"))
    st.markdown(
        _(
            "Take the vector of any position and rotate each of its pairs by a fixed angle: the result is the vector of the "
            "position **k** places further on. The angles depend on k alone, so one matrix serves every position. This is why "
            "the paper chose sinusoids: the authors expected that a model could easily learn to attend by relative positions."
        )
    )
    left, right = st.columns(2)
    k = slider("steps_on", _("k, places further on"), 0, 50, 1, place=left)
    most = min(_SHOWN, d // 2 * 2)
    n = slider("block", _("dimensions shown"), 2, most, 8, step=2, place=right) if most > 2 else most
    found = rotate(_LENGTH, d, k, base)
    left, right = st.columns([2, 3])
    with left:
        document.figure(
            matrix(found.matrix[:n, :n], rows=n, columns=n, row_title=_("dimension"), column_title=_("dimension"), signed=True,
                   cell=30),
            "rotation",
            _("the matrix for k = {k}: 2 × 2 blocks on the diagonal, each the rotation of one pair; zeros elsewhere.").format(
                k=k
            ),
        )  # fmt: skip
    with right:
        names = [_("position p"), _("p, rotated"), _("position p + {k}").format(k=k)]
        document.figure(
            matrices([x[:12, :n] for x in (found.here, found.turned, found.there)], names=names, rows=12, columns=n,
                     row_title=_("p"), column_title=_("dimension"), signed=True, wide=3, size=330),
            "turned",
            _("one row per position p. The middle is the left one times the matrix; on the right is what the formula gives."),
        )  # fmt: skip
    st.metric(_("largest difference"), f"{found.difference:.2g}")
    document.reading(
        _(
            "between the rotated vectors and those of the formula, over {length} positions and {d} dimensions. What is left is "
            "rounding: these numbers have about seven digits."
        ).format(length=_LENGTH, d=len(found.matrix))
    )
    document.formula(
        r"\begin{gathered}PE_{pos+k}=M_k\,PE_{pos}\\M_k=\mathrm{diag}_i\begin{pmatrix}\cos k\omega_i&\sin k\omega_i\\"
        r"-\sin k\omega_i&\cos k\omega_i\end{pmatrix}\end{gathered}",
        _("Section 3.5 of the paper: “for any fixed offset k, PE(pos+k) can be represented as a linear function of PE(pos)”."),
    )
