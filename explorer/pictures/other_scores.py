"""Pictures of one head under four scoring functions."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import N_, _
from explorer.inference import recomputed_attention
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import HeadChoices, attention, head
from explorer.pictures.registry import Ends, OneOf, picture
from transformer_core.analysis.score_functions import SCORES, Scoring

LAST_SEED = 20
TITLES = {
    "scaled_dot": N_("scaled dot product"),
    "dot": N_("dot product"),
    "additive": N_("additive"),
    "concat_linear": N_("concat-linear"),
}


@dataclass(frozen=True)
class ScoreChoices(HeadChoices):
    """A head, and the seed of the matrices that are drawn at random."""

    score_seed: Annotated[int, Ends(0, LAST_SEED)]


@dataclass(frozen=True)
class OneScoreChoices(ScoreChoices):
    """A head, the seed, and one of the scoring functions."""

    score: Annotated[str, OneOf(SCORES)]


def scorings_of(shown: ShownModel, choices: ScoreChoices) -> dict[str, Scoring]:
    """The head's scores and weights by the name of the scoring function; the model's own function uses the model's matrices."""
    return recomputed_attention.scorings_of(attention(shown, choices), head(shown, choices), choices.score_seed)


def weights_of(shown: ShownModel, choices: ScoreChoices) -> np.ndarray:
    """The head's weights under each function. Shape: (scoring function, query, key)"""
    return np.stack([each.weights for each in scorings_of(shown, choices).values()])


@picture("score-weights")
def weights(shown: ShownModel, choices: ScoreChoices) -> Matrices:
    """Draws the weights under all four functions on one scale."""
    map, values = attention(shown, choices).map, weights_of(shown, choices)
    return matrices(
        values, names=[_(TITLES[name]) for name in SCORES], top=float(values.max()), wide=4, size=250, valid=map.allowed,
        **axes_of(map),
    )  # fmt: skip


@picture("scores")
def scores(shown: ShownModel, choices: OneScoreChoices) -> Matrices:
    """Draws the scores under one function, before the mask."""
    map = attention(shown, choices).map
    return matrix(scorings_of(shown, choices)[choices.score].scores, signed=True, valid=map.allowed, **axes_of(map))
