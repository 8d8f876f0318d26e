"""Pictures of dropout in a step of training, on numbers that the encoder computes."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from explorer.figures.lines import curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.forward import ForwardPass, ModelChoice, forward_pass
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.dropout_effect import distance_of_mean, dropped
from transformer_core.model.stages import FEED_FORWARD, SublayerPath, attention_path, embedding_stage

MOST_SHARE, LAST_SEED = 0.9, 50  # the ends of the knobs
COLUMNS = 12  # columns that are drawn, with their numbers
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # steps that are averaged

Place = Literal["sum", "weights", "active", "output"]


@dataclass(frozen=True)
class DropoutChoices:
    """The numbers of the first layer that are dropped, the probability, and the seed of the step."""

    dropout_place: Place
    dropout_share: Annotated[float, Ends(0.0, MOST_SHARE)]
    dropout_seed: Annotated[int, Ends(0, LAST_SEED)]


@picture("dropout-before")
def before(shown: ShownModel, choices: DropoutChoices) -> Matrices:
    """Draws the numbers that go in."""
    return _drawn(shown, choices, 0)


@picture("dropout-after")
def after(shown: ShownModel, choices: DropoutChoices) -> Matrices:
    """Draws the numbers that come out."""
    return _drawn(shown, choices, 1)


@picture("dropout-mean")
def mean(shown: ShownModel, choices: DropoutChoices) -> Figure:
    """Draws how far the average over some steps is from the numbers that go in."""
    return curves(
        COUNTS, {_("distance"): distances_of(shown, choices)}, x_title=_("steps averaged"),
        y_title=_("distance from the numbers before"), log_x=True, markers=True,
    )  # fmt: skip


def distances_of(shown: ShownModel, choices: DropoutChoices) -> np.ndarray:
    """The distances, for each of COUNTS."""
    return _distances(shown.choice, shown.src, shown.tgt, choices)


@shared_cache(2**20)
def _distances(choice: ModelChoice, src: tuple[int, ...], tgt: tuple[int, ...], choices: DropoutChoices) -> np.ndarray:
    numbers = _numbers(forward_pass(choice, src, tgt), choices.dropout_place)
    return distance_of_mean(numbers, choices.dropout_share, COUNTS, choices.dropout_seed)


def before_and_after(shown: ShownModel, choices: DropoutChoices) -> tuple[np.ndarray, np.ndarray]:
    """The numbers that go in, and those that come out. Shape: -> both (token, columns)"""
    numbers = _numbers(shown.forward(), choices.dropout_place)
    return numbers, dropped(numbers, choices.dropout_share, choices.dropout_seed)


def _drawn(shown: ShownModel, choices: DropoutChoices, which: int) -> Matrices:
    both, place = before_and_after(shown, choices), choices.dropout_place
    values, all_columns = both[which], both[0].shape[1]
    n = min(COLUMNS, all_columns)
    columns = shown.src_labels[:n] if place == "weights" else n
    title = _("key (encoder)") if place == "weights" else _("first {n} of {all}").format(n=n, all=all_columns)
    top = float(np.abs([each[:, :n] for each in both]).max())
    return matrix(
        values[:, :n], rows=shown.src_labels, columns=columns, column_title=title, signed=place != "weights", top=top,
        least=top, cell=26, decimals=2 if place == "weights" else 1,
    )  # fmt: skip


def stage_of(place: Place) -> str:
    """The stage that holds the numbers; those of the weights are of all heads."""
    path = attention_path("encoder", 0)
    if place == "sum":
        return embedding_stage("encoder", "sum")
    return SublayerPath("encoder", 0, FEED_FORWARD).stage("active") if place == "active" else path.stage(place)


def _numbers(passed: ForwardPass, place: Place) -> np.ndarray:
    """The numbers that dropout is given. Shape: -> (token, columns)"""
    found = passed[stage_of(place)]
    return found[0] if place == "weights" else found
