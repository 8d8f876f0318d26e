"""Positions as counters: angles, digits beside waves, and a step along the sentence as a rotation."""

import math

import streamlit as st

from explorer.exhibits.positions import wave_base
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import rotation as pictures
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.widgets import slider
from transformer_core.analysis.rotation import angles, rotate, rotation_matrix
from transformer_core.model.embedding import frequencies


def draw(shown: ShownModel) -> None:
    with st.columns(2)[0]:
        base = wave_base.draw()
    _angles(shown, base)
    document.details("counters", lambda: _more(shown, base))


def _more(shown: ShownModel, base: int) -> None:
    document.the_code(frequencies, angles)
    _digits(shown, base)
    if shown.cfg.d_model > 1:
        _rotation(shown, base)
    document.try_this(
        _("Set **k** to 0: nothing rotates, and the matrix is the identity."),
        _("Raise **k**: pair 0 turns by k radians, and each pair to its right by less."),
        _("Set the base to 10: the angles in the right-hand columns now grow much faster from row to row."),
    )
    document.the_code(rotation_matrix, rotate)


def _angles(shown: ShownModel, base: int) -> None:
    d, pairs = shown.cfg.d_model, pictures.pairs_of(shown)
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        document.picture(
            pictures.table_of_angles(shown, pictures.BaseChoices(base)),
            _("a multiplication table: each angle is the position (row) times the frequency of the pair (column)."),
        )  # fmt: skip
    with right:
        p, i = 3, pairs // 2
        angle = angles(p + 1, d, base)[p, i]
        document.formula(
            r"\begin{gathered}\theta=<positions>\otimes<frequencies>\\"
            r"\theta_{pos,i}=pos\cdot e^{-2i\,\ln(b)/d_{model}}=pos/b^{2i/d_{model}}\end{gathered}",
            _(
                "Section 3.5 of the paper, with base b = {base:,} and d_model = {d}. Even dimensions are the sines of these "
                "angles, odd dimensions the cosines."
            ).format(base=base, d=d),
            positions=_("positions"),
            frequencies=_("frequencies"),
        )
        st.code(
            f"{p} * exp(-2 * {i} * ln({base}) / {d}) = {angle:.6f}\nsin = {math.sin(angle):.6f}\ncos = {math.cos(angle):.6f}",
            language=None,
            wrap_lines=True,
        )
        st.caption(
            _("Position {p}, pair {i}: dimensions {even} and {odd} of its vector.").format(p=p, i=i, even=2 * i, odd=2 * i + 1)
        )


def _digits(shown: ShownModel, base: int) -> None:
    document.section(_("Two counters: binary digits and waves"))
    left, right = st.columns(2)
    with left:
        document.picture(
            pictures.binary(shown),
            _("each row is a number in binary. The ones change in every row, each further digit half as often."),
        )
    with right:
        how_to_read = _(
            "each row is a position, here for d_model 8. Each sine is slower than the one to its left, here {factor:.3g} "
            "times; a binary digit is 2 times slower."
        ).format(factor=base ** (2 / 8))
        document.picture(pictures.counter(shown, pictures.BaseChoices(base)), how_to_read)


def _rotation(shown: ShownModel, base: int) -> None:
    document.section(_("A step along the sentence is a rotation"))
    st.markdown(
        _(
            "Take the vector of any position and rotate each of its pairs by a fixed angle: the result is the vector of the "
            "position **k** places further on. The angles depend on k alone, so one matrix serves every position. This is why "
            "the paper chose sinusoids: the authors expected that a model could easily learn to attend by relative positions."
        )
    )
    left, right = st.columns(2)
    k = slider("steps_on", _("k, places further on"), 0, pictures.FARTHEST, 1, place=left)
    most = pictures.most_dimensions(shown.cfg.d_model)
    n = slider("block", _("dimensions shown"), 2, most, 8, step=2, place=right) if most > 2 else most
    choices = pictures.RotationChoices(base, k, n)
    found = pictures.rotation_of(shown, choices)
    left, right = st.columns([2, 3])
    with left:
        document.picture(
            pictures.turning(shown, choices),
            _("the matrix for k = {k}: 2 × 2 blocks on the diagonal, each the rotation of one pair; zeros elsewhere.").format(
                k=k
            ),
        )  # fmt: skip
    with right:
        document.picture(
            pictures.turned(shown, choices),
            _(
                "one row per position p. “p, rotated” is “position p” times the matrix; “position p + {k}” is what the formula "
                "gives."
            ).format(k=k),
        )  # fmt: skip
    st.metric(_("largest difference"), small(found.difference))
    document.reading(
        _(
            "between the rotated vectors and those of the formula, over {length} positions and {d} dimensions. What is left is "
            "rounding: these numbers have about seven digits."
        ).format(length=pictures.LENGTH, d=len(found.matrix))
    )
    document.formula(
        r"\begin{gathered}PE_{pos+k}=M_k\,PE_{pos}\\M_k=\mathrm{diag}_i\begin{pmatrix}\cos k\omega_i&\sin k\omega_i\\"
        r"-\sin k\omega_i&\cos k\omega_i\end{pmatrix}\end{gathered}",
        _("Section 3.5 of the paper: “for any fixed offset k, PE(pos+k) can be represented as a linear function of PE(pos)”."),
    )
