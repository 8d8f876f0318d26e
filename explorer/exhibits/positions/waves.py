"""Positions as waves: each dimension followed along the sentence, how long its waves are, and which positions are alike."""

from typing import Annotated, Any, Literal

import numpy as np
import streamlit as st

from explorer.exhibits.positions import wave_base
from explorer.exhibits.positions.wave_base import PAPER, Base
from explorer.figures.lines import curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_sizes
from explorer.pictures.registry import Ends
from explorer.ui import document
from explorer.ui.widgets import choose, slider
from transformer_core import sinusoidal_encoding
from transformer_core.model.config import TransformerConfig

FEWEST, MOST = 10, 200  # positions of the waves
CURVES = 4  # waves that are drawn
_PLACES: dict[str, Any] = {"signed": True, "cell": 4}

Positions = Annotated[int, Ends(FEWEST, MOST)]
Width = Literal[
    "model", "20"
]  # the model's, or that of the waves that textbooks draw: dimensions 4 to 7 of 20, over 100 positions

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def sines_and_cosines(length: int, d_model: int, base: int) -> np.ndarray:
    """The positions' vectors (section 3.5). Shape: (position, dimension)"""
    position = np.arange(length)[:, None]
    i = np.arange(d_model) // 2  # dimensions come in pairs
    angle = position / base ** (2 * i / d_model)  # (position, dimension)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))


@numbers_of_sizes(
    recorded=lambda cfg, wave_positions, width, base: sinusoidal_encoding(wave_positions, width_of(cfg, width), base).numpy()
)
def encoding(cfg: TransformerConfig, wave_positions: Positions, width: Width, base: Base) -> np.ndarray:
    """The positions' vectors: sines and cosines. Shape: (position, dimension)"""
    return sines_and_cosines(wave_positions, width_of(cfg, width), base)


@numbers_of_sizes()
def waves(cfg: TransformerConfig, wave_positions: Positions, width: Width, base: Base, dimension: int) -> np.ndarray:
    """Four dimensions of the positions' vectors, as curves. Shape: (dimension, position)"""
    first = first_of(cfg, width, dimension)
    return encoding(cfg, wave_positions, width, base)[:, first : first + CURVES].T


@numbers_of_sizes()
def wavelengths(cfg: TransformerConfig, wave_positions: Positions, width: Width, base: Base) -> np.ndarray:
    """After how many positions each wave repeats: 2π times base^(2i/d_model). Shape: (pair,)"""
    return waves_of(width_of(cfg, width), base)


@numbers_of_sizes()
def similarity(cfg: TransformerConfig, wave_positions: Positions, width: Width, base: Base) -> np.ndarray:
    """The cosine similarity of each two positions. Shape: (position, position)"""
    vectors = encoding(cfg, wave_positions, width, base)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def waves_of(d_model: int, base: int) -> np.ndarray:
    """The wavelengths of the pairs of dimensions. Shape: (pair,)"""
    return 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model)


def width_of(cfg: TransformerConfig, width: str) -> int:
    """Returns the dimensions of the vectors: the model's, or those of textbooks."""
    return cfg.d_model if width == "model" else int(width)


def first_of(cfg: TransformerConfig, width: str, dimension: int) -> int:
    """Returns the first dimension that is drawn: so many must follow."""
    return max(0, min(dimension, width_of(cfg, width) - CURVES))


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(waves)
def _draw_waves(values: np.ndarray, shown: ShownModel, *, width: str, dimension: int, **_chosen: int | str) -> Figure:
    names = _("sine, dimension {i}"), _("cosine, dimension {i}")
    first = first_of(shown.cfg, width, dimension)
    named = {names[i % 2].format(i=i): wave for i, wave in enumerate(values, first)}
    return curves(range(values.shape[1]), named, x_title=_("position"), y_title=_("value"))


@drawn(encoding)
def _draw_encoding(table: np.ndarray, _shown: ShownModel, **_chosen: int | str) -> Matrices:
    length, d = table.shape
    return matrix(table, rows=length, columns=d, row_title=_("position"), column_title=_("dimension"), **_PLACES)


@drawn(wavelengths)
def _draw_wavelengths(values: np.ndarray, _shown: ShownModel, **_chosen: int | str) -> Figure:
    first_of_pair, x_title, y_title = range(0, 2 * len(values), 2), _("dimension"), _("positions")
    return curves(first_of_pair, {_("wave"): values}, x_title=x_title, y_title=y_title, log_y=True, markers=True)


@drawn(similarity)
def _draw_similarity(values: np.ndarray, _shown: ShownModel, **_chosen: int | str) -> Matrices:
    n, title = len(values), _("position")
    return matrix(values, rows=n, columns=n, row_title=title, column_title=title, **_PLACES)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    own, kind = shown.cfg.d_model, shown.cfg.position
    if kind == "learned":
        st.caption(_("The model on screen has learned positions instead; these are the paper's."))
    elif kind != "sinusoidal":
        st.caption(_("The model on screen adds no positions; these are the paper's."))
    places = st.columns(4)
    with places[0]:
        base = wave_base.draw()
    length = slider("wave_positions", _("positions shown"), FEWEST, MOST, 100, step=10, place=places[1])
    with places[2]:
        titles: dict[Width, str] = {"model": _("same as the model ({d})").format(d=own), "20": "20"}
        width = choose(
            "width", _("d_model of the waves"), list(titles), titles, help=_("20 is the width of the figure in many textbooks.")
        )
    d = width_of(shown.cfg, width)
    first = slider("dimension", _("first dimension drawn"), 0, d - 4, 4, step=2, place=places[3]) if d > 4 else 0
    document.picture(
        waves.of(shown, wave_positions=length, width=width, base=base, dimension=first),
        _(
            "each curve is one of the {d} dimensions, followed along the sentence. They come in pairs: a sine, and the cosine "
            "of the same frequency."
        ).format(d=d),
    )
    document.details("waves", lambda: _details(shown, length, width, base))


def _details(shown: ShownModel, length: int, width: Width, base: int) -> None:
    document.picture(
        encoding.of(shown, length, width, base),
        _("one row per position: the vector that is added there. Values change fast on the left and slowly on the right."),
    )
    left, right = st.columns(2)
    with left:
        how = _(
            "the wavelength: after how many positions a wave repeats. It grows from 2π ≈ 6.3 towards 2π times the base "
            "({base:,})."
        )
        document.picture(wavelengths.of(shown, length, width, base), how.format(base=base))
    with right:
        how = _(
            "the cosine between two positions (1 = same direction). Only their distance matters, so each diagonal has one "
            "colour."
        )
        document.picture(similarity.of(shown, length, width, base), how)
    document.formula(
        r"\begin{gathered}PE_{(pos,2i)}=\sin\!\left(pos/10000^{2i/d_{model}}\right)\\"
        r"PE_{(pos,2i+1)}=\cos\!\left(pos/10000^{2i/d_{model}}\right)\end{gathered}",
        _("Section 3.5 of the paper; the factor √d_model is in section 3.4."),
    )
    with st.expander(_("The first four positions for d_model 6, to check by hand")):
        _by_hand()
    document.try_this(
        _(
            "Set the base to 10: all waves but the first pair become faster, even the slowest repeats within 63 positions, and "
            "neighbouring positions are less alike."
        )
    )
    document.the_code(sinusoidal_encoding, encoding, wavelengths, similarity)


def _by_hand() -> None:
    """Draws the table that lecture notes work out by hand, and the parts of its angles."""
    d, p, i = 6, 3, 2
    table, divisors = sines_and_cosines(4, d, PAPER), waves_of(d, PAPER) / (2 * np.pi)
    st.dataframe({_("pair"): range(len(divisors)), "10000^(2i/6)": [f"{divisor:.3f}" for divisor in divisors]}, hide_index=True)
    st.dataframe({_("position"): range(4)} | {str(k): column for k, column in enumerate(table.T.round(3))}, hide_index=True)
    document.caption(
        _(
            "dimensions 2i and 2i + 1 are the sine and the cosine of the position divided by 10000^(2i/6). Position {p}, "
            "dimension {k}: sin({p} / {divisor:.3f}) = {value:.4f}."
        ).format(p=p, k=2 * i, divisor=divisors[i], value=table[p, 2 * i])
    )
