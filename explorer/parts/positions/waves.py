"""Positions as waves: each dimension followed along the sentence, how long its waves are, and which positions are alike."""

import math

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.parts.positions import wave_base
from explorer.pictures import positions as pictures
from explorer.pictures.positions import FEWEST, MOST, NOTES_WIDTH, OWN_WIDTH, waves_of
from explorer.ui import document
from explorer.ui.widgets import choose, slider
from transformer_core import sinusoidal_encoding
from transformer_core.analysis.embedding_metrics import encoding, wave_lengths


def draw(shown: ShownModel) -> None:
    own, kind = shown.cfg.d_model, shown.cfg.position
    if kind == "learned":
        st.caption(_("The model on screen has learned positions instead; these are the paper's."))
    elif kind == "none":
        st.caption(_("The model on screen adds no positions; these are the paper's."))
    places = st.columns(4)
    with places[0]:
        base = wave_base.draw()
    length = slider("wave_positions", _("positions shown"), FEWEST, MOST, 100, step=10, place=places[1])
    with places[2]:
        titles = {OWN_WIDTH: _("same as the model ({d})").format(d=own), str(NOTES_WIDTH): str(NOTES_WIDTH)}
        width = choose(
            "width", _("d_model of the waves"), list(titles), titles, help=_("20 is the width of the figure in many textbooks.")
        )
    choices = pictures.WaveChoices(length, base, width)
    _length, d, _base = waves_of(shown, choices)
    first = slider("dimension", _("first dimension drawn"), 0, d - 4, 4, step=2, place=places[3]) if d > 4 else 0
    document.picture(
        pictures.curves_of_waves(shown, pictures.CurveChoices(length, base, width, dimension=first)),
        _(
            "each curve is one of the {d} dimensions, followed along the sentence. They come in pairs: a sine, and the cosine "
            "of the same frequency."
        ).format(d=d),
    )
    document.details("waves", lambda: _more(shown, choices))


def _more(shown: ShownModel, choices: pictures.WaveChoices) -> None:
    base = choices.base
    document.picture(
        pictures.table_of_waves(shown, choices),
        _("one row per position: the vector that is added there. Values change fast on the left and slowly on the right."),
    )
    left, right = st.columns(2)
    with left:
        how = _(
            "the wavelength: after how many positions a wave repeats. It grows from 2π ≈ 6.3 towards 2π times the base "
            "({base:,})."
        )
        document.picture(pictures.wavelengths(shown, choices), how.format(base=base))
    with right:
        how = _(
            "the cosine between two positions (1 = same direction). Only their distance matters, so each diagonal has one "
            "colour."
        )
        document.picture(pictures.likeness(shown, choices), how)
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
    document.the_code(sinusoidal_encoding)


def _by_hand() -> None:
    """Draws the table that lecture notes work out by hand, and the parts of its angles."""
    d, p, i = 6, 3, 2
    table, divisors = encoding(4, d), [wave / (2 * math.pi) for wave in wave_lengths(d).tolist()]
    st.dataframe({_("pair"): range(len(divisors)), "10000^(2i/6)": [f"{divisor:.3f}" for divisor in divisors]}, hide_index=True)
    st.dataframe({_("position"): range(4)} | {str(k): column for k, column in enumerate(table.T.round(3))}, hide_index=True)
    document.reading(
        _(
            "dimensions 2i and 2i + 1 are the sine and the cosine of the position divided by 10000^(2i/6). Position {p}, "
            "dimension {k}: sin({p} / {divisor:.3f}) = {value:.4f}."
        ).format(p=p, k=2 * i, divisor=divisors[i], value=table[p, 2 * i])
    )
