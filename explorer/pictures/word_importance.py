"""Pictures of the worth of each source word to each word of the answer, beside the attention that it gets."""

from dataclasses import dataclass

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.inference.cut_costs import worth_of_words
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import index
from explorer.pictures.registry import picture
from transformer_core.analysis.attention_map import token_labels

ALL_LAYERS = -1


@dataclass(frozen=True)
class ErasureChoices:
    """The layer whose attention is shown; ALL_LAYERS for their mean."""

    erasure_layer: int


@picture("erasure")
def worth(shown: ShownModel) -> Matrices:
    """Draws by how much the log-probability of a word falls when nothing may attend to a word of the source."""
    return _drawn(shown, _worth(shown), signed=True)


@picture("erasure-attention")
def attention(shown: ShownModel, choices: ErasureChoices) -> Matrices:
    return _drawn(shown, attention_of(shown, choices), signed=False)


def attention_of(shown: ShownModel, choices: ErasureChoices) -> np.ndarray:
    """Cross-attention, averaged over the heads. Shape: -> (tgt, src)"""
    _refuse_without_cross(shown)
    n = shown.cfg.n_layers
    layers = range(n) if choices.erasure_layer == ALL_LAYERS else [index(choices.erasure_layer, n)]
    return np.mean([shown.attention("cross", each).map.mean() for each in layers], axis=0)


def labels_of(shown: ShownModel) -> list[str]:
    """The words to be written."""
    return list(token_labels(shown.vocabulary.decode(shown.batch(0, 0)[2])))


def _worth(shown: ShownModel) -> np.ndarray:
    _refuse_without_cross(shown)
    return worth_of_words(shown)


def _drawn(shown: ShownModel, values: np.ndarray, signed: bool) -> Matrices:
    return matrix(
        values, rows=labels_of(shown), columns=shown.src_labels, signed=signed, least=1.0 if signed else 0.0,
        row_title=_("word to be written"), column_title=_("source word"), title=_("nats") if signed else "",
        decimals=1 if signed else 2,
    )  # fmt: skip


def _refuse_without_cross(shown: ShownModel) -> None:
    if not shown.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
