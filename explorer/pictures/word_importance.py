"""A picture of the worth of each source word, or word of a decoder's text, to each word of the answer."""

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.cut_costs import worth_of_words
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import picture
from transformer_core.analysis.attention_map import token_labels


@picture("erasure")
def worth(shown: ShownModel) -> Matrices:
    """Draws by how much the log-probability of a word falls when nothing may attend to a word of the source, or of the text."""
    if shown.cfg.has_encoder and not shown.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
    return by_words(shown, worth_of_words(shown), signed=True)


def labels_of(shown: ShownModel) -> list[str]:
    """The words to be written."""
    return list(token_labels(shown.vocabulary.decode(shown.batch(0, 0)[2])))


def by_words(shown: ShownModel, values: np.ndarray, signed: bool) -> Matrices:
    """Draws a number for each word to be written and each word that is read. Shape: (tgt, word)"""
    return matrix(
        values,
        rows=labels_of(shown),
        columns=shown.read_labels,
        signed=signed,
        least=1.0 if signed else 0.0,
        row_title=_("word to be written"),
        column_title=_("source word") if shown.cfg.has_encoder else _("word of the text"),
        title=_("nats") if signed else "",
        decimals=1 if signed else 2,
    )
