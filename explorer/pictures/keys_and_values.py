"""Pictures of the keys and values that each decoder layer makes of the encoder's one output."""

from typing import Any

import numpy as np

from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import _
from explorer.inference.forward import model_of
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import picture
from transformer_core.analysis.residual_stream import CrossProjections, cross_projections
from transformer_core.model.stages import MEMORY

DIMENSIONS = 24  # columns that are drawn


@picture("memory")
def memory(shown: ShownModel) -> Matrices:
    """The encoder's output."""
    n = min(DIMENSIONS, shown.cfg.d_model)
    return matrix(
        shown.forward()[MEMORY][:, :n], rows=shown.src_labels, columns=n, row_title=_("source"), signed=True, cell=24,
        column_title=_("dimension (first {n} of {all})").format(n=n, all=shown.cfg.d_model),
    )  # fmt: skip


@picture("k-v")
def k_and_v(shown: ShownModel) -> Matrices:
    """The keys and values of every layer."""
    values = [each for found in _there(shown) for each in (found.k, found.v)]
    names = [_("layer {i}: {letter}").format(i=i, letter=letter) for i in range(shown.cfg.n_layers) for letter in "KV"]
    return _drawn(shown, values, names, rows=shown.src_labels, row_title=_("source"))


@picture("q")
def q(shown: ShownModel) -> Matrices:
    """The queries of every layer, which come from the decoder."""
    names = [_("layer {i}: {letter}").format(i=i, letter="Q") for i in range(shown.cfg.n_layers)]
    return _drawn(shown, [found.q for found in _there(shown)], names, rows=shown.tgt_labels, row_title=_("target"))


@shared_cache(2**22)
def projections(shown: ShownModel) -> list[CrossProjections]:
    """One per decoder layer; none without cross-attention."""
    return cross_projections(model_of(shown.choice), shown.forward().values)


def _there(shown: ShownModel) -> list[CrossProjections]:
    found = projections(shown)
    if not found:
        raise ValueError("this model has no cross-attention")
    return found


def _drawn(shown: ShownModel, values: list[np.ndarray], names: list[str], **rows: Any) -> Matrices:
    n = min(DIMENSIONS, shown.cfg.d_model)
    columns = _("dimension, all heads side by side (first {n} of {all})").format(n=n, all=shown.cfg.d_model)
    return matrices(
        np.stack([each[:, :n] for each in values]), names=names, columns=n, column_title=columns, signed=True, wide=4, **rows
    )
