"""One head under four scoring functions: for the part, and while one of its knobs is moved. The choice "score_seed" is that of
the matrices that are drawn at random, the others say which head."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import N_, _
from explorer.inference import attention_again
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, attention, place, whole
from transformer_core.analysis.score_functions import SCORES, Scoring

LAST_SEED = 20
TITLES = {
    "scaled_dot": N_("scaled dot product"),
    "dot": N_("dot product"),
    "additive": N_("additive"),
    "concat_linear": N_("concat-linear"),
}


def scorings_of(shown: ShownModel, choices: Choices) -> dict[str, Scoring]:
    """By the names of the scoring functions; the model's own has the model's matrices. Raises ValueError for choices that there
    are not."""
    head, seed = place(choices, "head", shown.cfg.n_heads), whole(choices, "score_seed", 0, LAST_SEED)
    return attention_again.scorings_of(attention(shown, choices), head, seed)


def weights_of(shown: ShownModel, choices: Choices) -> np.ndarray:
    """Shape: (scoring function, query, key)"""
    return np.stack([each.weights for each in scorings_of(shown, choices).values()])


def weights(shown: ShownModel, choices: Choices) -> Matrices:
    """Those of all four on one scale."""
    map, values = attention(shown, choices).map, weights_of(shown, choices)
    return matrices(
        values, names=[_(TITLES[name]) for name in SCORES], top=float(values.max()), wide=4, size=250, valid=map.allowed,
        **axes_of(map),
    )  # fmt: skip


def scores(shown: ShownModel, choices: Choices, name: str) -> Matrices:
    """Those of one, before the mask."""
    map = attention(shown, choices).map
    return matrix(scorings_of(shown, choices)[name].scores, signed=True, valid=map.allowed, **axes_of(map))


PICTURES: Mapping[str, Callable[[ShownModel, Choices], Matrices]] = {
    "score-weights": weights,
    **{f"score-{name}": partial(scores, name=name) for name in SCORES},
}
