"""Pictures of a deep encoder with random weights: the gradient on its way down, and a word's vector on its way up. The model on
screen is not used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.gradient_depth import Arrangement, GradientProfile, gradient_profiles

DEEPEST, LAST_SEED = 24, 50  # the ends of the knobs
DEPTH = 12  # layers, where nobody chooses
Profiles = Mapping[tuple[Arrangement, bool], GradientProfile]
_NAMES = {
    ("pre", True): N_("pre-norm, with residuals"),
    ("pre", False): N_("pre-norm, no residuals"),
    ("post", True): N_("post-norm, with residuals"),
    ("post", False): N_("post-norm, no residuals"),
    ("none", True): N_("no norm, with residuals"),
    ("none", False): N_("no norm, no residuals"),
}


@dataclass(frozen=True)
class DepthChoices:
    """The number of layers, and the seed of their weights."""

    depth: Annotated[int, Ends(1, DEEPEST)]
    depth_seed: Annotated[int, Ends(0, LAST_SEED)]


@picture("bare", needs_weights=False)
def without_norms(_shown: ShownModel, choices: DepthChoices) -> Figure:
    """Draws the length of the gradient at each layer of stacks without norms."""
    return _drawn(choices, "norms", ["none"], _("length of the gradient"))


@picture("normed", needs_weights=False)
def with_norms(_shown: ShownModel, choices: DepthChoices) -> Figure:
    """Draws the same of stacks with norms."""
    return _drawn(choices, "norms", ["pre", "post"], _("length of the gradient"))


@picture("aligned", needs_weights=False)
def aligned(_shown: ShownModel, choices: DepthChoices) -> Figure:
    """Draws how much of the direction is left in which the gradient left the top."""
    return _drawn(choices, "aligned", ["pre", "post"], _("cosine with the gradient at the top"))


@picture("stream-lengths", needs_weights=False)
def stream_lengths(_shown: ShownModel) -> Figure:
    """Draws the mean length of a word's vector after each layer, pre-norm and post-norm."""
    pre, post = (profiles_of(DepthChoices(DEPTH, 0))[norm, True].lengths for norm in ("pre", "post"))
    return curves(
        np.arange(len(pre)), {_("pre-norm"): pre, _("post-norm"): post}, x_title=_("layers passed"),
        y_title=_("length of a word's vector (mean)"), markers=True, height=300,
    )  # fmt: skip


def profiles_of(choices: DepthChoices) -> Profiles:
    """The stacks, by the place of their norms, with residual connections (True) and without (False)."""
    return _profiles(choices.depth, choices.depth_seed)


@shared_cache(2**20)
def _profiles(depth: int, seed: int) -> Profiles:
    return gradient_profiles(depth, seed=seed)


def _drawn(
    choices: DepthChoices, what: Literal["norms", "aligned"], arrangements: Sequence[Arrangement], y_title: str
) -> Figure:
    found = profiles_of(choices)
    series = {_(_NAMES[norm, on]): getattr(found[norm, on], what) for norm in arrangements for on in (True, False)}
    layers = np.arange(len(next(iter(series.values()))))
    axes: dict[str, Any] = {"x_title": _("layer (0 = bottom, {n} = top)").format(n=layers[-1]), "y_title": y_title}
    drawn = curves(layers, series, log_y=what == "norms", markers=True, **axes)
    drawn["layout"]["yaxis"]["exponentformat"] = "power"
    return drawn
