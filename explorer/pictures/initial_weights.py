"""A picture of how the weights of a matrix are spread before the first step, and now."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.forward import ModelChoice, Random, model_of
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import index
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.initial_weights import WeightSpread, matrix_names, weight_spread

BINS = 40  # bins of the histogram between its bounds
LAST_SEED = 2**31 - 1  # the largest seed of the sidebar


@dataclass(frozen=True)
class WeightChoices:
    """A matrix, by its place among those of the model; and the seed of what it begins with, where only its end is known."""

    weight_matrix: int
    weight_seed: Annotated[int, Ends(0, LAST_SEED)]


@picture("initial-weights")
def histogram(shown: ShownModel, choices: WeightChoices) -> Figure:
    """Draws which share of the weights lies where, at step 0 and at the step on screen."""
    start, now = start_of(shown.model, choices), now_of(shown, choices)
    edges = edges_of(start, now)
    series = {_("step 0"): start.shares(edges)}
    if now is not None:
        series[_("step {n:,}").format(n=shown.learning.step)] = now.shares(edges)
    return curves(
        (edges[:-1] + edges[1:]) / 2,
        series,
        x_title=_("weight"),
        y_title=_("share of the weights"),
        markers=False,
        marks={"−b": -start.bound, "b": start.bound},
    )


def edges_of(start: WeightSpread, now: WeightSpread | None) -> np.ndarray:
    """The edges of the bins: between the bounds, and as far beyond them as the largest weight. Shape: (bins + 1,)"""
    width = 2 * start.bound / BINS
    most = max(start.largest, 0.0 if now is None else now.largest, start.bound)
    reach = min(math.ceil((most - start.bound) / width) + 1, 2 * BINS)  # bins beyond each bound
    return (np.arange(-reach, BINS + reach + 1) - BINS / 2) * width


def name_of(model: ModelAtStep, choices: WeightChoices) -> str:
    names = matrix_names(model.cfg)
    return names[index(choices.weight_matrix, len(names))]


def begun(model: ModelAtStep, seed: int) -> ModelChoice:
    """The model before its first step. A file holds only the end of its training: then what a seed would draw."""
    choice = model.initial or model.choice
    return choice if isinstance(choice.weights, Random) else ModelChoice(model.cfg, Random(seed))


def start_of(model: ModelAtStep, choices: WeightChoices) -> WeightSpread:
    return spread(begun(model, choices.weight_seed), name_of(model, choices))


def now_of(shown: ShownModel, choices: WeightChoices) -> WeightSpread | None:
    """The same after the steps on screen, with the weights changed by hand; None at step 0."""
    return spread(shown.choice.whole, name_of(shown.model, choices)) if shown.learning.step else None


@shared_cache(64 * 2**20)
def spread(choice: ModelChoice, name: str) -> WeightSpread:
    return weight_spread(model_of(choice), name)
