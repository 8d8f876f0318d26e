"""Attention weights: one large matrix, or all heads side by side on one scale."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import _
from transformer_core.analysis.attention_map import AttentionMap

Scale = Literal["1", "layer", "head"]


def tops(map: AttentionMap, scale: Scale) -> list[float]:
    """Returns the weight of each head that gets the strongest colour: 1, the largest of all heads, or each head's largest."""
    if scale == "1":
        return [1.0] * map.n_heads
    largest = map.weights.max(axis=(1, 2))
    return [float(largest.max())] * map.n_heads if scale == "layer" else largest.tolist()


def attention_heatmap(map: AttentionMap, head: int | None) -> Matrices:
    """Draws the weights of one head, or (None) the mean of all heads, on a scale from 0 to 1."""
    weights = map.mean() if head is None else map.weights[head]
    return matrix(weights, valid=map.allowed, **axes_of(map))


def attention_heatmaps(map: AttentionMap, *, top: float | Sequence[float] = 1.0) -> Matrices:
    """Draws all heads side by side; `top`: upper end of the scale, one for all, or one per head."""
    return matrices(map.weights, names=_("head {i}"), valid=map.allowed, top=top, **axes_of(map))


def all_heads(map: AttentionMap, scale: Scale) -> Matrices:
    """Draws all heads side by side, on the scale that `tops` returns."""
    ends = tops(map, scale)
    return attention_heatmaps(map, top=ends if scale == "head" else ends[0])


def vectors(values: np.ndarray, labels: Sequence[str]) -> Matrices:
    """Draws one head's queries, keys or values (token, d_k): a row for each token."""
    return matrix(values, rows=labels, columns=values.shape[1], column_title=_("dimension of the head"), signed=True, cell=22)


def axes_of(map: AttentionMap) -> dict[str, Any]:
    """Returns labels and titles of the axes, as `matrix` and `matrices` take them: queries downwards, keys to the right."""
    query, key = axis_titles(map)
    return {"rows": map.query_labels, "columns": map.key_labels, "row_title": query, "column_title": key}


def axis_titles(map: AttentionMap) -> tuple[str, str]:
    """Returns the titles of the queries' and the keys' axis, which name the stack that they come from."""
    query = _("query (encoder)") if map.kind == "encoder" else _("query (decoder)")
    if map.next_tokens:
        query = _("query (decoder): reads → writes")
    return query, _("key (decoder)") if map.kind == "decoder" else _("key (encoder)")
