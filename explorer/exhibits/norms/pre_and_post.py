"""Pre-norm and post-norm side by side, and what they do to the length of a vector on its way up a deep stack."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.depth import DEPTH, DepthChoices, profiles_of, stream_lengths
from explorer.ui import document
from explorer.ui.navigation import link
from transformer_core.analysis.gradient_depth import WIDTH
from transformer_core.model.layers import ResidualConnection


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
    document.details("pre_and_post", _more)


def _more() -> None:
    document.section(_("And in training?"))
    st.markdown(
        _(
            "How the gradient comes down such a stack is measured under *Residuals and depth*. The paper's model is post-norm, "
            "and its learning rate rises slowly, for 4,000 steps: the warm-up. *Break it* trains both, small ones, with a rate "
            "that rises within 10 steps."
        )
    )
    link("break_it", _("Train both, and see which of them learns"), experiment="norm")
    document.try_this(
        _("Raise **layers** in the sidebar and open the page *Layers*: does a word's vector grow in this model, too?"),
    )
    document.the_code(ResidualConnection)


def _arrangement(words: str, tex: str) -> None:
    st.markdown(words)
    st.latex(tex)


def _lengths(shown: ShownModel) -> None:
    pre = profiles_of(DepthChoices(DEPTH, 0))["pre", True].lengths
    document.picture(
        stream_lengths(shown),
        _(
            "an encoder of {n} layers, width {width}, with random weights. With pre-norm every part adds to the vector: its "
            "length goes from {a:.1f} to {b:.1f}. One more norm, at the end of the stack, brings it back. With post-norm every "
            "norm sets the length anew, to √{width} = {root:.1f}."
        ).format(n=DEPTH, width=WIDTH, a=pre[0], b=pre[-1], root=WIDTH**0.5),
    )
