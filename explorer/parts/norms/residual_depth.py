"""The gradient's way down through a deep stack, with and without the residual sums."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.lines import curves
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.gradient_depth import (
    HEADS,
    TOKENS,
    WIDTH,
    Arrangement,
    GradientProfile,
    gradient_profile,
    gradient_profiles,
)
from transformer_core.model.layers import ResidualConnection


@st.cache_data(max_entries=64, show_spinner=False)
def _descents(depth: int, seed: int) -> dict[tuple[Arrangement, bool], GradientProfile]:
    return gradient_profiles(depth, seed=seed)


def residual_depth_part(view: View) -> None:
    """Draws the part; the stack is its own, so nothing of the model on screen enters."""
    st.markdown(
        _(
            "To learn, a model sends a message down through its layers: the **gradient**, which says how every number should "
            "change. Here is what arrives at each layer of an encoder {width} wide ({heads} heads, {tokens} random tokens, "
            "random weights)."
        ).format(width=WIDTH, heads=HEADS, tokens=TOKENS)
    )
    left, right = st.columns(2)
    with left:
        depth = controls.slider("depth", _("layers in the stack"), 1, 24, 12)
    with right:
        seed = controls.slider("depth_seed", _("seed of the weights"), 0, 50, 0)
    found = _descents(depth, seed)
    layers = np.arange(depth + 1)
    axis = _("layer (0 = bottom, {n} = top)").format(n=depth)

    def draw(what: str, arrangements: Sequence[Arrangement], key: str, y_title: str, words: str) -> None:
        series = {_name(norm, on): getattr(found[norm, on], what) for norm in arrangements for on in (True, False)}
        picture = curves(layers, series, x_title=axis, y_title=y_title, log_y=what == "norms", markers=True)
        picture["layout"]["yaxis"]["exponentformat"] = "power"
        document.figure(picture, key, words)

    document.section(_("The 1 + alone: no norms"))
    with_sums, without = found["none", True].norms, found["none", False].norms
    draw(
        "norms",
        ["none"],
        "bare",
        _("length of the gradient"),
        _(
            "read from right to left, as the gradient travels. Without the sums about {a} of its length is left at the "
            "bottom; with them it is about {b} times as long as at the top."
        ).format(a=_fraction(without[0] / without[-1]), b=_times(with_sums[0] / with_sums[-1])),
    )
    st.markdown(
        _(
            "A layer multiplies the gradient by its own derivative J. Over many layers that is J · J · J ···, and small "
            "numbers multiplied die out: here by {shrink:.2f} per layer, on average. A **residual sum**, x + layer(x), makes "
            "it 1 + J: the 1 is a way round the layer on which the message passes unchanged. It survives, but grows "
            "({grow:.2f} per layer). Norms keep that within bounds."
        ).format(shrink=_per_layer(without), grow=_per_layer(with_sums))
    )

    document.section(_("With norms"))
    draw(
        "norms",
        ["pre", "post"],
        "normed",
        _("length of the gradient"),
        _(
            "norms divide by the spread, so that lengths stay within bounds even without the sums. Bottom against top: "
            "{pre:.2g} × (pre-norm), {post:.2g} × (post-norm), without sums {pre_off:.2g} × and {post_off:.2g} ×. Length "
            "alone no longer tells: look below."
        ).format(
            pre=_ratio(found["pre", True]),
            post=_ratio(found["post", True]),
            pre_off=_ratio(found["pre", False]),
            post_off=_ratio(found["post", False]),
        ),
    )
    best = found["pre", True]
    draw(
        "aligned",
        ["pre", "post"],
        "aligned",
        _("same direction as at the top (cosine)"),
        _(
            "1: the very message that left the top; 0: nothing left of it. At the bottom {pre:.2f} with pre-norm and sums, "
            "{pre_off:.2f} without sums. In post-norm a norm stands on the way round as well: {post:.2f}."
        ).format(pre=best.aligned[0], pre_off=found["pre", False].aligned[0], post=found["post", True].aligned[0]),
    )
    st.markdown(
        _(
            "The **1 +** in numbers (pre-norm, top layer): a gradient of length {one:.2f} comes from above and takes the way "
            "round unchanged; the layer itself adds {j:.2f}. At the bottom layer the two are {one_low:.2f} and {j_low:.2f}."
        ).format(one=best.norms[-1], j=best.through[-1], one_low=best.norms[1], j_low=best.through[0])
    )
    document.formula(
        r"y=x+F(x)\quad\Rightarrow\quad\frac{\partial L}{\partial x}=\frac{\partial L}{\partial y}\left(1+"
        r"\frac{\partial F}{\partial x}\right)",
        _("Section 3.1 of the paper: a residual connection around each sub-layer."),
    )
    document.try_this(
        _("Turn the layers up to 24: without sums and norms almost nothing arrives."),
        _("Try other seeds: lengths with norms wander, the order of the directions stays."),
    )
    document.the_code(gradient_profile, ResidualConnection)


def _name(norm: str, residual: bool) -> str:
    place = {"pre": _("pre-norm"), "post": _("post-norm"), "none": _("no norm")}[norm]
    return f"{place}, {_('with sums') if residual else _('without sums')}"


def _fraction(share: float) -> str:
    return f"{share:.2f}" if share >= 0.1 else f"1/{_rounded(1 / share):,.0f}"


def _times(factor: float) -> str:
    return f"{factor:.2g}" if factor < 100 else f"{_rounded(factor):,.0f}"


def _rounded(value: float) -> float:
    """To two digits: 3,644,866 -> 3,600,000."""
    return float(f"{value:.1e}")


def _ratio(found: GradientProfile) -> float:
    return found.norms[0] / found.norms[-1]


def _per_layer(norms: np.ndarray) -> float:
    """The factor per layer that leads from the top to the bottom."""
    return (norms[0] / norms[-1]) ** (1 / (len(norms) - 1))
