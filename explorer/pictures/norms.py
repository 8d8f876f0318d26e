"""One word before and after a layer norm."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from explorer.figures.lines import curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.settings import RANGES
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import index
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.normalization import deviation_by_eps, difference_by_width, two_norms
from transformer_core.analysis.residual_stream import norms

LARGEST = 10.0  # ε
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
VECTORS = 8  # random ones, of each width
LAST_SEED = 50  # the largest seed of the random vectors
SHOWN = 12  # numbers of a vector that are written out
EPSILONS = 10.0 ** np.arange(-12, 1.5, 0.5)


@dataclass(frozen=True)
class EpsilonChoices:
    """The ε of both norms. `norm_eps_own` is that of the model when the page was drawn: while both are equal, the model's ε
    counts, also when it is changed."""

    norm_eps_tried: Annotated[float, Ends(RANGES["norm_eps"][0], LARGEST)]
    norm_eps_own: float


@dataclass(frozen=True)
class NormChoices(EpsilonChoices):
    """A norm of the model and one of its input words, each by its index."""

    norm_place: int
    token: int


@dataclass(frozen=True)
class WidthChoices(EpsilonChoices):
    """The seed of the random vectors."""

    norm_seed: Annotated[int, Ends(0, LAST_SEED)]


@picture("before-after")
def before_after(shown: ShownModel, choices: NormChoices) -> Figure:
    """Draws the word's vector before the standard norm and after it."""
    given, eps = given_of(shown, choices), eps_of(shown, choices)
    standard, _unbiased = two_norms(given, eps)
    axes: dict[str, Any] = {"x_title": _("dimension"), "y_title": _("value"), "markers": len(given) <= 64}
    return curves(np.arange(len(given)), {_("before"): given, _("after the norm"): standard}, **axes)


@picture("two-norms")
def both_norms(shown: ShownModel, choices: NormChoices) -> Matrices:
    """Draws the word's vector after each of the two norms, and the difference."""
    given = given_of(shown, choices)
    standard, unbiased = two_norms(given, eps_of(shown, choices))
    n = min(SHOWN, len(given))
    return matrix(
        np.stack([standard, unbiased, unbiased - standard])[:, :n], rows=[_("standard"), _("unbiased"), _("difference")],
        columns=n, column_title=_("dimension (first {n} of {all})").format(n=n, all=len(given)), signed=True, decimals=3,
        cell=44,
    )  # fmt: skip


@picture("by-width")
def by_width(shown: ShownModel, choices: WidthChoices) -> Figure:
    """Draws the difference between the two norms against the width of random vectors."""
    top, typical = difference_of(shown, choices)
    axes: dict[str, Any] = {"x_title": _("width d of the vector"), "y_title": _("difference"), "markers": True}
    return curves(WIDTHS, {_("largest"): top, _("typical"): typical}, log_x=True, log_y=True, **axes)


def difference_of(shown: ShownModel, choices: WidthChoices) -> tuple[np.ndarray, np.ndarray]:
    """The largest and the typical difference for each width."""
    return _difference(choices.norm_seed, eps_of(shown, choices))


@shared_cache(2**20)
def _difference(seed: int, eps: float) -> tuple[np.ndarray, np.ndarray]:
    return difference_by_width(WIDTHS, VECTORS, seed, eps)


@picture("by-eps")
def by_eps(shown: ShownModel, choices: NormChoices) -> Figure:
    """Draws the standard deviation after each norm against ε."""
    own, tried = shown.cfg.norm_eps, eps_of(shown, choices)
    epsilons = sorted({*EPSILONS.tolist(), own, tried})
    standard, unbiased = deviation_by_eps(given_of(shown, choices), epsilons)
    drawn = curves(
        epsilons, {_("standard"): standard, _("unbiased"): unbiased}, log_x=True, x_title="ε",
        y_title=_("standard deviation after the norm"),
        marks={_("this model"): own} | ({} if tried == own else {_("chosen"): tried}),
    )  # fmt: skip
    drawn["layout"]["xaxis"]["exponentformat"] = "power"
    return drawn


def given_of(shown: ShownModel, choices: NormChoices) -> np.ndarray:
    """The word's vector that the norm reads. Shape: (d_model,)"""
    given = _read_by(shown, choices)
    return given[index(choices.token, len(given))]


def place_of(shown: ShownModel, choices: NormChoices) -> dict[str, int]:
    """The index of the norm and that of the word, as they are drawn: 0 where the model has no such."""
    places = norms(shown.forward().values, shown.cfg)
    token = index(choices.token, len(_read_by(shown, choices)))
    return {"norm_place": index(choices.norm_place, len(places)), "token": token}


def _read_by(shown: ShownModel, choices: NormChoices) -> np.ndarray:
    """Returns the vectors that the norm reads. Shape: (token, d_model)"""
    places = norms(shown.forward().values, shown.cfg)
    given, _gave = list(places.values())[index(choices.norm_place, len(places))]
    return given


def eps_of(shown: ShownModel, choices: EpsilonChoices) -> float:
    return shown.cfg.norm_eps if choices.norm_eps_tried == choices.norm_eps_own else choices.norm_eps_tried
