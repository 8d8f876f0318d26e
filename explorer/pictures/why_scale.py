"""Pictures of scores and softmax by a head's width: why scores are divided by √d_k."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import HeadChoices, attention, head
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.score_scaling import DIVISORS, HeadScale, Scaling, head_scale, scaling

KEYS = (2, 64)  # the ends of the knob
LAST_SEED = 20
_SCORES = 2**13  # the most scores of the experiment: drawing vectors for them takes most of its time
_WIDTHS = tuple(2**i for i in range(10))
PAPER_WIDTH = 64  # of a head in the paper, 3.2.2


@dataclass(frozen=True)
class ScalingChoices(HeadChoices):
    """The number of keys and the seed of the experiment on random vectors, and a head to compare it with."""

    scale_keys: Annotated[int, Ends(*KEYS)]
    scale_seed: Annotated[int, Ends(0, LAST_SEED)]


def measured(shown: ShownModel, choices: ScalingChoices) -> Scaling:
    """Runs the experiment on random vectors; the width of the model's heads is one of its widths."""
    widths = tuple(sorted({*_WIDTHS, shown.cfg.d_k}))
    return _scaling(widths, choices.scale_keys, queries_of(choices), choices.scale_seed)


def queries_of(choices: ScalingChoices) -> int:
    """The number of random queries, each with keys of its own."""
    return min(512, _SCORES // choices.scale_keys)


def own_of(shown: ShownModel, choices: HeadChoices) -> HeadScale:
    """Measures the same of the head on screen."""
    found, chosen = attention(shown, choices), head(shown, choices)
    return head_scale(found.stage("q")[chosen], found.stage("k")[chosen], found.map.allowed)


@picture("scale-variance")
def variance(shown: ShownModel, choices: ScalingChoices) -> Figure:
    """Draws the variance of q · k against the width: in theory, measured, and in the head on screen."""
    found, own, d_k = measured(shown, choices), own_of(shown, choices), shown.cfg.d_k
    series = {
        _("theory: d_k"): found.widths.astype(np.float64),
        _("measured, random q and k"): found.variance,
        _("this model's head"): np.where(found.widths == d_k, own.products, np.nan),
    }
    drawn = _over_widths(found, series, _("variance of q · k"))
    if own.products > 0:
        drawn["layout"]["yaxis"] |= {"type": "log", "dtick": 1}
    drawn["layout"]["meta"]["alt"] = _(
        "variance of q · k: {a:.2f} at d_k {b}, {c:.0f} at d_k {d}; this model's head: {own:.3g} at d_k {e}"
    ).format(a=found.variance[0], b=found.widths[0], c=found.variance[-1], d=found.widths[-1], own=own.products, e=d_k)
    drawn["data"][-1]["marker"] = {"size": 13, "symbol": "diamond"}  # one point alone
    return drawn


@picture("scale-entropy")
def entropy(shown: ShownModel, choices: ScalingChoices) -> Figure:
    """Draws the entropy of the softmax against the width, for each divisor."""
    found = measured(shown, choices)
    return _over_widths(found, _by_divisor(found.entropy), _("entropy (bits)"))


@picture("scale-gradient")
def gradient(shown: ShownModel, choices: ScalingChoices) -> Figure:
    """Draws the size of the softmax's gradient at the query against the width, for each divisor."""
    found = measured(shown, choices)
    return _over_widths(found, _by_divisor(found.gradient), _("size of the gradient at q"))


def _by_divisor(readings: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"÷ {name}": readings[name] for name in DIVISORS}


def _over_widths(found: Scaling, series: dict[str, np.ndarray], y_title: str) -> Figure:
    """Draws curves over the width of a head, with a tick at each doubling."""
    drawn = curves(
        found.widths, series, x_title=_("d_k, dimensions of the head"), y_title=y_title, log_x=True, markers=True,
        alt="; ".join(f"{name}: {values[0]:.3g} → {values[-1]:.3g}" for name, values in series.items()),
    )  # fmt: skip
    drawn["layout"]["xaxis"] |= {"tickvals": _WIDTHS, "ticktext": [str(width) for width in _WIDTHS]}
    drawn["layout"]["yaxis"]["rangemode"] = "tozero"
    return drawn


@shared_cache(2**20)
def _scaling(widths: tuple[int, ...], keys: int, queries: int, seed: int) -> Scaling:
    return scaling(widths, keys, queries, seed)
