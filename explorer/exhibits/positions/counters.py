"""Positions as counters: angles, digits beside waves, and a step along the sentence as a rotation."""

import math
from typing import Annotated

import numpy as np
import streamlit as st

from explorer.exhibits.positions import wave_base
from explorer.exhibits.positions.wave_base import Base
from explorer.exhibits.positions.waves import sines_and_cosines
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import Fit, drawn, numbers_of_choices, numbers_of_sizes
from explorer.pictures.registry import Ends, OneOf
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.widgets import slider
from transformer_core import sinusoidal_encoding
from transformer_core.model.config import TransformerConfig
from transformer_core.model.embedding import frequencies

SHOWN = 16  # positions, pairs and dimensions in the tables whose cells hold their numbers
ROTATED = 100  # positions that are rotated
DRAWN = 12  # of them
FARTHEST = 50


def _most(d_model: int) -> int:
    """The dimensions that can be drawn: whole pairs."""
    return min(SHOWN, d_model // 2 * 2)


Steps = Annotated[int, Ends(0, FARTHEST)]
Block = Annotated[int, OneOf(range(2, SHOWN + 1, 2)), Fit(lambda n, run, _said: min(n, _most(run.cfg.d_model)))]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_sizes(recorded=lambda cfg, base: np.outer(np.arange(SHOWN), frequencies(cfg.d_model, base)[:SHOWN]))
def angles(cfg: TransformerConfig, base: Base) -> np.ndarray:
    """The angle of each pair of dimensions at each position, in radians (section 3.5). Shape: (position, pair)"""
    position = np.arange(SHOWN)[:, None]
    i = np.arange((cfg.d_model + 1) // 2)[:SHOWN]
    return position / base ** (2 * i / cfg.d_model)  # (position, pair)


@numbers_of_choices()
def binary() -> np.ndarray:
    """The numbers from 0 in binary, the ones first. Shape: (number, digit)"""
    return np.arange(16)[:, None] >> np.arange(4) & 1


@numbers_of_choices(recorded=lambda base: sinusoidal_encoding(16, 8, base)[:, ::2].numpy())
def counter(base: Base) -> np.ndarray:
    """The sines for a width of 8, which switch like the digits of a counter. Shape: (position, sine)"""
    return sines_and_cosines(16, 8, base)[:, ::2]


def rotation_matrix(d_model: int, k: int, base: int) -> np.ndarray:
    """The matrix that shifts a position's vector by k positions: for each pair of dimensions, a block that turns it (section
    3.5). The last dimension of an odd d_model is a sine without its cosine, and is left out. Shape: (dimension, dimension)
    """
    turn = k / base ** (np.arange(0, d_model - 1, 2) / d_model)  # (pair,)
    m_k = np.zeros((2 * len(turn), 2 * len(turn)))
    sine = np.arange(0, len(m_k), 2)
    m_k[sine, sine] = m_k[sine + 1, sine + 1] = np.cos(turn)
    m_k[sine, sine + 1] = np.sin(turn)
    m_k[sine + 1, sine] = -np.sin(turn)
    return m_k


@numbers_of_sizes()
def rotated(cfg: TransformerConfig, base: Base, steps_on: Steps) -> np.ndarray:
    """The vectors of the first positions, the same rotated, and those of the formula for the shifted positions.
    Shape: (3, position, dimension)
    """
    m_k = rotation_matrix(cfg.d_model, steps_on, base)
    table = sinusoidal_encoding(ROTATED + steps_on, cfg.d_model, base).numpy()[:, : len(m_k)]  # as the model has it
    here, there = table[:ROTATED], table[steps_on:]
    return np.stack([here, here @ m_k.T, there])


@numbers_of_sizes()
def rotation(cfg: TransformerConfig, base: Base, steps_on: Steps, block: Block) -> np.ndarray:
    """The matrix that shifts a position's vector by so many positions. Shape: (dimension, dimension)"""
    return rotation_matrix(cfg.d_model, steps_on, base)[:block, :block]


def _of_the_model(cfg: TransformerConfig, base: int, steps_on: int, block: int) -> np.ndarray:
    table = sinusoidal_encoding(DRAWN + steps_on, cfg.d_model, base)[:, :block].numpy()
    return np.stack([table[:DRAWN], table[steps_on:], table[steps_on:]])


@numbers_of_sizes(recorded=_of_the_model)
def turned(cfg: TransformerConfig, base: Base, steps_on: Steps, block: Block) -> np.ndarray:
    """The vectors of the first positions, the same rotated, and those of the formula for the shifted positions.
    Shape: (3, position, dimension)
    """
    return rotated(cfg, base, steps_on)[:, :DRAWN, :block]


@turned.formula
def turned_by_formula(cfg: TransformerConfig, base: Base, steps_on: Steps, block: Block) -> np.ndarray:
    """The first vectors, the same times the matrix, and those so many positions on. Shape: (3, position, dimension)"""
    m_k = rotation_matrix(cfg.d_model, steps_on, base)
    table = sines_and_cosines(DRAWN + steps_on, cfg.d_model, base)[:, : len(m_k)]
    here, there = table[:DRAWN], table[steps_on:]
    return np.stack([here, here @ m_k.T, there])[..., :block]


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(angles)
def _draw_angles(table: np.ndarray, _shown: ShownModel, **_chosen: int) -> Matrices:
    return matrix(
        table,
        rows=SHOWN,
        columns=table.shape[1],
        row_title=_("position"),
        column_title=_("pair of dimensions"),
        top=float(table.max()),
        title=_("radians"),
        cell=24,
    )


@drawn(binary)
def _draw_binary(digits: np.ndarray, _shown: ShownModel) -> Matrices:
    counted = [_("ones"), _("twos"), _("fours"), _("eights")]
    return matrix(digits, rows=len(digits), columns=counted, row_title=_("number"), cell=18, decimals=0)


@drawn(counter)
def _draw_counter(sines: np.ndarray, _shown: ShownModel, **_chosen: int) -> Matrices:
    names = [_("dimension {i}").format(i=i) for i in (0, 2, 4, 6)]
    return matrix(sines, rows=len(sines), columns=names, row_title=_("position"), signed=True, cell=18)


@drawn(rotation)
def _draw_rotation(found: np.ndarray, _shown: ShownModel, **_chosen: int) -> Matrices:
    n, title = len(found), _("dimension")
    return matrix(found, rows=n, columns=n, row_title=title, column_title=title, signed=True, cell=30)


@drawn(turned)
def _draw_turned(vectors: np.ndarray, _shown: ShownModel, *, steps_on: int, **_chosen: int) -> Matrices:
    names = [_("position p"), _("p, rotated"), _("position p + {k}").format(k=steps_on)]
    return matrices(
        vectors,
        names=names,
        rows=vectors.shape[1],
        columns=vectors.shape[2],
        row_title=_("p"),
        column_title=_("dimension"),
        signed=True,
        wide=3,
        size=330,
    )


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    with st.columns(2)[0]:
        base = wave_base.draw()
    _angles(shown, base)
    document.details("counters", lambda: _details(shown, base))


def _details(shown: ShownModel, base: int) -> None:
    document.the_code(frequencies, angles)
    _digits(shown, base)
    if shown.cfg.d_model > 1:
        _rotation(shown, base)
    document.try_this(
        _("Set **k** to 0: nothing rotates, and the matrix is the identity."),
        _("Raise **k**: pair 0 turns by k radians, and each pair to its right by less."),
        _("Set the base to 10: the angles in the right-hand columns now grow much faster from row to row."),
    )
    document.the_code(rotation_matrix, rotated)


def _angles(shown: ShownModel, base: int) -> None:
    table = angles.of(shown, base)
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        document.picture(
            table,
            _("a multiplication table: each angle is the position (row) times the frequency of the pair (column)."),
        )
    with right:
        d, p, i = shown.cfg.d_model, 3, table.values.shape[1] // 2
        angle = table.values[p, i]
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
            binary.of(shown),
            _("each row is a number in binary. The ones change in every row, each further digit half as often."),
        )
    with right:
        how_to_read = _(
            "each row is a position, here for d_model 8. Each sine is slower than the one to its left, here {factor:.3g} "
            "times; a binary digit is 2 times slower."
        ).format(factor=base ** (2 / 8))
        document.picture(counter.of(shown, base), how_to_read)


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
    k = slider("steps_on", _("k, places further on"), 0, FARTHEST, 1, place=left)
    most = _most(shown.cfg.d_model)
    n = slider("block", _("dimensions shown"), 2, most, 8, step=2, place=right) if most > 2 else most
    left, right = st.columns([2, 3])
    with left:
        document.picture(
            rotation.of(shown, base, k, n),
            _("the matrix for k = {k}: 2 × 2 blocks on the diagonal, each the rotation of one pair; zeros elsewhere.").format(
                k=k
            ),
        )
    with right:
        document.picture(
            turned.of(shown, base, k, n),
            _(
                "one row per position p. “p, rotated” is “position p” times the matrix; “position p + {k}” is what the formula "
                "gives."
            ).format(k=k),
        )
    _here, moved, there = rotated(shown.cfg, base, k)
    st.metric(_("largest difference"), small(float(np.abs(moved - there).max())))
    document.caption(
        _(
            "between the rotated vectors and those of the formula, over {length} positions and {d} dimensions. What is left is "
            "rounding: these numbers have about seven digits."
        ).format(length=len(there), d=there.shape[1])
    )
    document.formula(
        r"\begin{gathered}PE_{pos+k}=M_k\,PE_{pos}\\M_k=\mathrm{diag}_i\begin{pmatrix}\cos k\omega_i&\sin k\omega_i\\"
        r"-\sin k\omega_i&\cos k\omega_i\end{pmatrix}\end{gathered}",
        _("Section 3.5 of the paper: “for any fixed offset k, PE(pos+k) can be represented as a linear function of PE(pos)”."),
    )
