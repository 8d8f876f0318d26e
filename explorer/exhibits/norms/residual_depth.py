"""The gradient on its way down through a deep stack, with and without the residual connections."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import depth as pictures
from explorer.pictures.depth import DEEPEST, LAST_SEED, DepthChoices, Profiles
from explorer.ui import document
from explorer.ui.format import true_minus
from explorer.ui.widgets import slider
from transformer_core.analysis.gradient_depth import HEADS, TOKENS, WIDTH, GradientProfile, gradient_profile
from transformer_core.model.layers import ResidualConnection


def draw(shown: ShownModel) -> None:
    """Draws a stack of its own; the model on screen is not used."""
    left, right = st.columns(2)
    depth = slider("depth", _("layers in the stack"), 1, DEEPEST, 12, place=left)
    seed = slider("depth_seed", _("seed of the weights"), 0, LAST_SEED, 0, place=right)
    choices = DepthChoices(depth, seed)
    found = pictures.profiles_of(choices)
    words = _(
        "In short: how much of the direction in which the gradient leaves the top is left at the bottom? As a cosine (1: all "
        "of it; 0: nothing), with residual connections, **{pre:z.2f}** in pre-norm and **{post:z.2f}** in post-norm."
    )
    st.markdown(true_minus(words.format(pre=found["pre", True].aligned[0], post=found["post", True].aligned[0])))
    _without_norms(shown, choices, found)
    document.details("residual_depth", lambda: _more(shown, choices, found))


def _more(shown: ShownModel, choices: DepthChoices, found: Profiles) -> None:
    st.markdown(
        _(
            "In training, the **gradient** travels down through the layers and tells each how to change. Here is what arrives "
            "at each layer of an encoder of width {width} with {heads} heads, {tokens} random tokens and random weights."
        ).format(width=WIDTH, heads=HEADS, tokens=TOKENS)
    )
    _why_without(found)
    _with_norms(shown, choices, found)
    document.formula(
        r"y=x+F(x)\quad\Rightarrow\quad\frac{\partial L}{\partial x}=\frac{\partial L}{\partial y}\left(1+"
        r"\frac{\partial F}{\partial x}\right)",
        _("Section 3.1 of the paper: a residual connection around each sub-layer."),
    )
    document.try_this(
        _("Set the layers to 24, then to 2: how much of the gradient is left without norms and residual connections?"),
        _("Try other seeds: which curves stay where they are, and which ones wander?"),
    )
    document.the_code(gradient_profile, ResidualConnection)


def _without_norms(shown: ShownModel, choices: DepthChoices, found: Profiles) -> None:
    with_residuals, without = found["none", True], found["none", False]
    document.picture(
        pictures.without_norms(shown, choices),
        _(
            "from right to left, as the gradient travels. From top to bottom its length is multiplied by {without} without "
            "residual connections, and by {with_residuals} with them."
        ).format(without=_factor(without), with_residuals=_factor(with_residuals)),
    )  # fmt: skip


def _why_without(found: Profiles) -> None:
    with_residuals, without = found["none", True], found["none", False]
    st.markdown(
        _(
            "A layer multiplies the gradient by its derivative J. Over many layers that is J · J · J ···, and the gradient "
            "vanishes or explodes unless each factor is close to 1: here the length changes by a factor of {without:.2f} per "
            "layer, on average. With a **residual connection**, x + layer(x), the derivative is 1 + J: the 1 lets the gradient "
            "past the layer, and what the layer adds comes on top. Here the length grows by a factor of {with_residuals:.2f} "
            "per layer, {alone} times from top to bottom: alone, the connections make it **explode** in a deep stack. The "
            "norms tame that: with pre-norm as well, it is {tamed} times."
        ).format(
            without=_per_layer(without),
            with_residuals=_per_layer(with_residuals),
            alone=_factor(with_residuals),
            tamed=_factor(found["pre", True]),
        )
    )


def _with_norms(shown: ShownModel, choices: DepthChoices, found: Profiles) -> None:
    document.section(_("With norms"))
    document.picture(
        pictures.with_norms(shown, choices),
        _(
            "from top to bottom, the length is multiplied by {pre} (pre-norm) and {post} (post-norm) with residual "
            "connections, and by {pre_without} and {post_without} without. The length alone does not tell how much of the "
            "signal is left: see the next picture."
        ).format(
            pre=_factor(found["pre", True]), post=_factor(found["post", True]),
            pre_without=_factor(found["pre", False]), post_without=_factor(found["post", False]),
        ),
    )  # fmt: skip
    document.picture(
        pictures.aligned(shown, choices),
        _(
            "1: the direction in which the gradient left the top; 0: nothing of that direction is left. At the bottom "
            "{pre:.2f} (pre-norm) and {post:.2f} (post-norm) with residual connections, {pre_without:.2f} and "
            "{post_without:.2f} without. In post-norm, the residual path itself passes through every norm."
        ).format(
            pre=found["pre", True].aligned[0], post=found["post", True].aligned[0],
            pre_without=found["pre", False].aligned[0], post_without=found["post", False].aligned[0],
        ),
    )  # fmt: skip
    best = found["pre", True]
    st.markdown(
        _(
            "The **1 +** in numbers, for pre-norm: at the top layer, a gradient of length {one:.2f} comes from above and "
            "passes on unchanged, and the layer itself adds one of length {j:.2f}. At the bottom layer the two are "
            "{one_low:.2f} and {j_low:.2f}."
        ).format(one=best.norms[-1], j=best.through[-1], one_low=best.norms[1], j_low=best.through[0])
    )


def _factor(found: GradientProfile) -> str:
    """Writes the factor from top to bottom with two digits; a small one as a fraction."""
    factor = float(found.norms[0] / found.norms[-1])
    if factor < 0.01:
        return f"1/{_rounded(1 / factor):,.0f}"
    return f"{factor:.2g}" if factor < 100 else f"{_rounded(factor):,.0f}"


def _rounded(value: float) -> float:
    """Rounds to two digits: 3,644,866 -> 3,600,000."""
    return float(f"{value:.1e}")


def _per_layer(found: GradientProfile) -> float:
    """The factor per layer that leads from the top to the bottom."""
    return float(found.norms[0] / found.norms[-1]) ** (1 / (len(found.norms) - 1))
