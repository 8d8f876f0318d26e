"""Pictures of attention rollout, beside what hiding each word costs."""

from dataclasses import dataclass

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen import rollouts
from explorer.model_on_screen.decoding import positions
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import picture
from transformer_core.analysis import rollout as core
from transformer_core.analysis.rollout import Judged
from transformer_core.model.stages import AttentionKind

ALL_LAYERS = -1


@dataclass(frozen=True)
class RolloutChoices:
    """The attention that is followed, and the last layer that counts, from 0; ALL_LAYERS for all."""

    kind: AttentionKind
    rollout_layer: int


@picture("rollout")
def rollout(shown: ShownModel, choices: RolloutChoices) -> Matrices:
    """Draws what the vector at each position is made of, by rollout."""
    kind, (layers, shares) = choices.kind, shares_of(shown, choices)
    (rows, columns), (row_title, column_title) = _labels(shown, kind), _titles(kind)
    counts = counts_of(shown, kind)
    may = counts if kind == "cross" else counts | np.eye(len(counts), dtype=bool)
    return matrix(
        shares,
        rows=rows,
        columns=columns,
        row_title=row_title,
        column_title=column_title,
        valid=may,
        top=row_sum(shown, kind, layers),
        title=_("share"),
    )


@picture("rollout-truth")
def cost_of_hiding(shown: ShownModel, choices: RolloutChoices) -> Matrices:
    """Draws what hiding each word costs. Raises InputError for too long a sentence."""
    kind = choices.kind
    found, counts = _judged(shown, kind), counts_of(shown, kind)
    cost = found.cost[0]
    (rows, columns), (row_title, column_title) = _labels(shown, kind), _titles(kind)
    if kind == "encoder":
        return matrix(
            cost,
            rows=rows,
            columns=columns,
            row_title=row_title,
            column_title=_("hidden word"),
            valid=counts,
            top=float(cost[counts].max(initial=0.0)) or 1.0,
            title=_("change ÷ length"),
        )
    return matrix(
        cost,
        rows=rows,
        columns=columns,
        row_title=row_title,
        column_title=column_title,
        signed=True,
        least=1.0,
        valid=counts,
        title=_("nats"),
        decimals=1,
    )


def shares_of(shown: ShownModel, choices: RolloutChoices) -> tuple[int, np.ndarray]:
    """The number of layers that count, and the shares after them. Shape: -> (query, key)"""
    n = shown.cfg.n_layers
    layers = choices.rollout_layer + 1 if 0 <= choices.rollout_layer < n else n
    return layers, core.rollout(shown.forward().values, shown.cfg).of(choices.kind)[layers]


def counts_of(shown: ShownModel, kind: AttentionKind) -> np.ndarray:
    """Returns the pairs that are compared. Shape: -> (query, key) booleans"""
    return _judged(shown, kind).counts[0]


def _judged(shown: ShownModel, kind: AttentionKind) -> Judged:
    if kind == "cross" and not shown.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
    return rollouts.judged(shown, kind)


def row_sum(shown: ShownModel, kind: AttentionKind, layers: int) -> float:
    """Returns the sum of each row of rollout after so many layers."""
    if kind == "encoder" or not shown.cfg.cross_attention:
        return 1.0
    return 1 - 2.0**-layers if kind == "cross" else 2.0**-layers


def _labels(shown: ShownModel, kind: AttentionKind) -> tuple[list[str], list[str]]:
    """The labels of queries and keys."""
    queries = shown.src_labels if kind == "encoder" else positions(shown)
    return queries, shown.tgt_labels if kind == "decoder" else shown.src_labels


def _titles(kind: AttentionKind) -> tuple[str, str]:
    if kind == "encoder":
        return _("position of the encoder’s output"), _("source word")
    keys = _("word that the decoder has read") if kind == "decoder" else _("source word")
    return _("reads → writes"), keys
