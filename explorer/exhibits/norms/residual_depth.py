"""The gradient on its way down through a deep stack, with and without the residual connections. The model on screen is not
used."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import streamlit as st

from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_choices
from explorer.pictures.registry import Ends
from explorer.ui import document
from explorer.ui.format import true_minus
from explorer.ui.widgets import slider
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

DEEPEST, LAST_SEED = 24, 50  # the ends of the knobs
NORMS: tuple[Arrangement, ...] = ("pre", "post")

Profiles = Mapping[tuple[Arrangement, bool], GradientProfile]
Depth = Annotated[int, Ends(1, DEEPEST)]
Seed = Annotated[int, Ends(0, LAST_SEED)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_choices()
def profiles(depth: Depth, depth_seed: Seed) -> Profiles:
    """Encoders with random weights, by the place of their norms, and with residual connections (True) or without (False)."""
    return gradient_profiles(depth, seed=depth_seed)


@numbers_of_choices()
def bare(depth: Depth, depth_seed: Seed) -> np.ndarray:
    """The length of the gradient at each layer of an encoder without norms, with random weights: with residual connections,
    and without. Shape: (2, depth + 1)
    """
    measured = profiles(depth, depth_seed)
    return np.stack([measured["none", residual].norms for residual in (True, False)])


@numbers_of_choices()
def normed(depth: Depth, depth_seed: Seed) -> np.ndarray:
    """The length of the gradient at each layer of an encoder with random weights: pre-norm and post-norm, each with residual
    connections and without. Shape: (4, depth + 1)
    """
    measured = profiles(depth, depth_seed)
    return np.stack([measured[norm, residual].norms for norm in NORMS for residual in (True, False)])


@numbers_of_choices()
def aligned(depth: Depth, depth_seed: Seed) -> np.ndarray:
    """The cosine of the gradient at each layer with that at the top: pre-norm and post-norm, each with residual connections
    and without. Shape: (4, depth + 1)
    """
    measured = profiles(depth, depth_seed)
    return np.stack([measured[norm, residual].aligned for norm in NORMS for residual in (True, False)])


# --- Drawing. ---------------------------------------------------------------------------------------------------------

_BARE = N_("no norm, with residuals"), N_("no norm, no residuals")
_NORMED = (
    N_("pre-norm, with residuals"),
    N_("pre-norm, no residuals"),
    N_("post-norm, with residuals"),
    N_("post-norm, no residuals"),
)


@drawn(bare, normed)
def _draw_lengths(values: np.ndarray, _shown: ShownModel, **_chosen: int) -> Figure:
    return _draw(values, _("length of the gradient"), log_y=True)


@drawn(aligned)
def _draw_aligned(values: np.ndarray, _shown: ShownModel, **_chosen: int) -> Figure:
    return _draw(values, _("cosine with the gradient at the top"), log_y=False)


def _draw(values: np.ndarray, y_title: str, log_y: bool) -> Figure:
    layers, names = np.arange(values.shape[1]), _BARE if len(values) == len(_BARE) else _NORMED
    series = {_(name): row for name, row in zip(names, values, strict=True)}
    x_title = _("layer (0 = bottom, {n} = top)").format(n=layers[-1])
    figure = curves(layers, series, x_title=x_title, y_title=y_title, log_y=log_y, markers=True)
    figure["layout"]["yaxis"]["exponentformat"] = "power"
    return figure


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws a stack of its own; the model on screen is not used."""
    left, right = st.columns(2)
    depth = slider("depth", _("layers in the stack"), 1, DEEPEST, 12, place=left)
    seed = slider("depth_seed", _("seed of the weights"), 0, LAST_SEED, 0, place=right)
    by_variant = profiles(depth, seed)
    words = _(
        "In short: how much of the direction in which the gradient leaves the top is left at the bottom? As a cosine (1: all "
        "of it; 0: nothing), with residual connections, **{pre:z.2f}** in pre-norm and **{post:z.2f}** in post-norm."
    )
    st.markdown(true_minus(words.format(pre=by_variant["pre", True].aligned[0], post=by_variant["post", True].aligned[0])))
    _without_norms(shown, depth, seed, by_variant)
    document.details("residual_depth", lambda: _details(shown, depth, seed, by_variant))


def _details(shown: ShownModel, depth: int, seed: int, by_variant: Profiles) -> None:
    st.markdown(
        _(
            "The **gradient** tells each layer how to change. Here is what arrives at each layer of an encoder of width "
            "{width} with {heads} heads, {tokens} random tokens and random weights."
        ).format(width=WIDTH, heads=HEADS, tokens=TOKENS)
    )
    _why_without(by_variant)
    _with_norms(shown, depth, seed, by_variant)
    document.formula(
        r"y=x+F(x)\quad\Rightarrow\quad\frac{\partial L}{\partial x}=\frac{\partial L}{\partial y}\left(1+"
        r"\frac{\partial F}{\partial x}\right)",
        _("Section 3.1 of the paper: a residual connection around each sub-layer."),
    )
    document.try_this(
        _("Set the layers to 24, then to 2: how much of the gradient is left without norms and residual connections?"),
        _("Try other seeds: which curves stay where they are, and which ones wander?"),
    )
    document.the_code(gradient_profile, ResidualConnection, bare, normed, aligned)


def _without_norms(shown: ShownModel, depth: int, seed: int, by_variant: Profiles) -> None:
    with_residuals, without = by_variant["none", True], by_variant["none", False]
    document.picture(
        bare.of(shown, depth, seed),
        _(
            "from right to left, as the gradient travels. From top to bottom its length is multiplied by {without} without "
            "residual connections, and by {with_residuals} with them."
        ).format(without=_factor(without), with_residuals=_factor(with_residuals)),
    )


def _why_without(by_variant: Profiles) -> None:
    with_residuals, without = by_variant["none", True], by_variant["none", False]
    st.markdown(
        _(
            "Each layer multiplies the gradient by its derivative J: its length changes by a factor of {without:.2f} per "
            "layer. With a **residual connection**, x + layer(x), the derivative is 1 + J: the length grows by a factor of "
            "{with_residuals:.2f} per layer, {alone} times from top to bottom. With pre-norm as well, it is {tamed} times."
        ).format(
            without=_per_layer(without),
            with_residuals=_per_layer(with_residuals),
            alone=_factor(with_residuals),
            tamed=_factor(by_variant["pre", True]),
        )
    )


def _with_norms(shown: ShownModel, depth: int, seed: int, by_variant: Profiles) -> None:
    document.section(_("With norms"))
    document.picture(
        normed.of(shown, depth, seed),
        _(
            "from top to bottom, the length is multiplied by {pre} (pre-norm) and {post} (post-norm) with residual "
            "connections, and by {pre_without} and {post_without} without."
        ).format(
            pre=_factor(by_variant["pre", True]),
            post=_factor(by_variant["post", True]),
            pre_without=_factor(by_variant["pre", False]),
            post_without=_factor(by_variant["post", False]),
        ),
    )
    document.picture(
        aligned.of(shown, depth, seed),
        _(
            "1: the direction in which the gradient left the top; 0: nothing of it is left. At the bottom {pre:.2f} (pre-norm) "
            "and {post:.2f} (post-norm) with residual connections, {pre_without:.2f} and {post_without:.2f} without."
        ).format(
            pre=by_variant["pre", True].aligned[0],
            post=by_variant["post", True].aligned[0],
            pre_without=by_variant["pre", False].aligned[0],
            post_without=by_variant["post", False].aligned[0],
        ),
    )
    best = by_variant["pre", True]
    st.markdown(
        _(
            "The **1 +** in numbers, for pre-norm: at the top layer, a gradient of length {one:.2f} comes from above and "
            "passes on, and the layer itself adds one of length {j:.2f}; at the bottom layer {one_low:.2f} and {j_low:.2f}."
        ).format(one=best.norms[-1], j=best.through[-1], one_low=best.norms[1], j_low=best.through[0])
    )


def _factor(profile: GradientProfile) -> str:
    """Writes the factor from top to bottom with two digits; a small one as a fraction."""
    factor = float(profile.norms[0] / profile.norms[-1])
    if factor < 0.01:
        return f"1/{_rounded(1 / factor):,.0f}"
    return f"{factor:.2g}" if factor < 100 else f"{_rounded(factor):,.0f}"


def _rounded(value: float) -> float:
    """Rounds to two digits: 3,644,866 -> 3,600,000."""
    return float(f"{value:.1e}")


def _per_layer(profile: GradientProfile) -> float:
    """The factor per layer that leads from the top to the bottom."""
    return float(profile.norms[0] / profile.norms[-1]) ** (1 / (len(profile.norms) - 1))
