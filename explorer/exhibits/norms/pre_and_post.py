"""Pre-norm and post-norm side by side, and what they do to the length of a vector on its way up a deep stack."""

import numpy as np
import streamlit as st

from explorer.exhibits.norms.residual_depth import profiles
from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_choices
from explorer.ui import document
from explorer.ui.navigation import link
from transformer_core.analysis.gradient_depth import WIDTH
from transformer_core.model.layers import ResidualConnection

DEPTH = 12  # layers

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_choices()
def stream_lengths() -> np.ndarray:
    """The mean length of a word's vector after each layer of an encoder with random weights: pre-norm, and post-norm.
    Shape: (2, depth + 1)
    """
    measured = profiles(DEPTH, 0)
    return np.stack([measured["pre", True].lengths, measured["post", True].lengths])


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(stream_lengths)
def _draw_lengths(values: np.ndarray, _shown: ShownModel) -> Figure:
    pre, post = values
    return curves(
        np.arange(len(pre)),
        {_("pre-norm"): pre, _("post-norm"): post},
        x_title=_("layers passed"),
        y_title=_("length of a word's vector (mean)"),
        markers=True,
        height=300,
    )


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    own = _("The model on screen is **pre-norm**.") if shown.cfg.norm == "pre" else _("The model on screen is **post-norm**.")
    st.markdown(
        _("Does the norm stand before each part F of a layer (attention, feed-forward), or behind the sum? {own}").format(
            own=own
        )
    )
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        _lengths(shown)
    with right:
        _arrangement(
            _("**Post-norm**, the paper's: the norm stands behind the sum, on the only way up."),
            r"x'=\mathrm{Norm}\left(x+F(x)\right)",
        )
        _arrangement(
            _("**Pre-norm**: the norm stands before each part, and the way past the part is free of norms."),
            r"x'=x+F\left(\mathrm{Norm}(x)\right)",
        )
    document.details("pre_and_post", _details)


def _details() -> None:
    document.section(_("And in training?"))
    st.markdown(
        _(
            "The paper's model is post-norm, and its learning rate rises for 4,000 steps: the warm-up. *Break it* trains small "
            "models of both kinds, with a rate that rises within 10 steps."
        )
    )
    link("break_it", _("Train both, and see which of them learns"), experiment="norm")
    document.try_this(
        _("Raise **layers** in the sidebar and open the page *Layers*: does a word's vector grow in this model, too?"),
    )
    document.the_code(ResidualConnection, stream_lengths)


def _arrangement(words: str, tex: str) -> None:
    st.markdown(words)
    st.latex(tex)


def _lengths(shown: ShownModel) -> None:
    picture = stream_lengths.of(shown)
    pre, _post = picture.values
    document.picture(
        picture,
        _(
            "an encoder of {n} layers, width {width}, with random weights. With pre-norm every part adds to the vector: its "
            "length goes from {a:.1f} to {b:.1f}. One more norm, at the end of the stack, brings it back. With post-norm every "
            "norm sets the length anew, to √{width} = {root:.1f}."
        ).format(n=DEPTH, width=WIDTH, a=pre[0], b=pre[-1], root=WIDTH**0.5),
    )
