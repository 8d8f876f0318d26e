"""Attention weights: one large matrix, or all heads side by side on one scale."""

from collections.abc import Sequence
from typing import Any, Literal

from explorer.figures.matrix import matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from transformer_core.analysis.attention_map import AttentionMap

Scale = Literal["1", "layer", "head"]


def tops(map: AttentionMap, scale: Scale) -> list[float]:
    """For each head the weight that the strongest colour stands for: 1, the largest of all heads, or each head's largest."""
    if scale == "1":
        return [1.0] * map.n_heads
    largest = map.weights.max(axis=(1, 2))
    return [float(largest.max())] * map.n_heads if scale == "layer" else largest.tolist()


def attention_heatmap(map: AttentionMap, head: int | None, *, top: float = 1.0) -> Figure:
    """The weights of one head, or (None) the mean of all heads. `top`: upper end of the scale."""
    weights = map.mean() if head is None else map.weights[head]
    return matrix(weights, valid=map.allowed, top=top, **axes_of(map))


def attention_heatmaps(map: AttentionMap, *, top: float | Sequence[float] = 1.0, wide: int = 4, size: int = 210) -> Figure:
    """All heads, `wide` in a row (two on a phone), each `size` pixels high; one `top` for all, or one per head."""
    names = [_("head {i}").format(i=i) for i in range(map.n_heads)]
    return matrices(map.weights, names=names, valid=map.allowed, top=top, wide=wide, size=size, **axes_of(map))


def axes_of(map: AttentionMap) -> dict[str, Any]:
    """Labels and titles of the axes, as `matrix` and `matrices` take them: queries downwards, keys to the right."""
    query, key = axis_titles(map)
    return {"rows": map.query_labels, "columns": map.key_labels, "row_title": query, "column_title": key}


def axis_titles(map: AttentionMap) -> tuple[str, str]:
    """(of the queries, of the keys): the stack that they come from."""
    query = _("query (encoder)") if map.kind == "encoder" else _("query (decoder)")
    return query, _("key (decoder)") if map.kind == "decoder" else _("key (encoder)")
