"""Pins the pictures of an attention: whose weights, which cells are masked, and which stack queries and keys come from."""

import numpy as np
import plotly.graph_objects as go
import pytest

from explorer.figures import attention
from tests.explorer.figures.helpers import checked, z
from transformer_core.analysis.attention_map import AttentionMap

SRC, TGT = ("the", "<b>", "the", "去"), ("<start>", "le", "4")
attention_heatmap, attention_heatmaps = checked(attention.attention_heatmap), checked(attention.attention_heatmaps)


def drawn(kind: str, heads: int = 3) -> AttentionMap:
    queries, keys = SRC if kind == "encoder" else TGT, TGT if kind == "decoder" else SRC
    shape = len(queries), len(keys)
    allowed = np.tri(*shape, dtype=bool) if kind == "decoder" else np.ones(shape, dtype=bool)
    weights = np.random.default_rng(0).random((heads, *shape)).astype(np.float32) * allowed
    return AttentionMap(kind, 1, weights / weights.sum(axis=-1, keepdims=True), allowed, queries, keys)


def cells(figure: go.Figure) -> list[np.ndarray]:
    return [z(trace) for trace in figure.data if trace.coloraxis]


@pytest.mark.parametrize(
    ("kind", "rows", "columns"),
    [
        ("encoder", "query (encoder)", "key (encoder)"),
        ("decoder", "query (decoder)", "key (decoder)"),
        ("cross", "query (decoder)", "key (encoder)"),
    ],
)
def test_axes_say_which_stack_the_tokens_come_from(kind, rows, columns):
    figure = attention_heatmap(drawn(kind), 2)
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == (rows, columns)
    assert list(figure.layout.yaxis.ticktext)[1] == ("1 &lt;b&gt;" if kind == "encoder" else "1 le")
    assert list(figure.layout.xaxis.ticktext)[-1] == ("2 · 4" if kind == "decoder" else "3 去")
    assert attention_heatmaps(drawn(kind)).layout.title.text == f"rows: {rows} · columns: {columns}"


def test_a_head_or_the_mean_of_all_without_what_is_masked():
    map = drawn("decoder")
    for head, weights in ((1, map.weights[1]), (None, map.weights.mean(axis=0))):
        figure = attention_heatmap(map, head, top=0.7)
        np.testing.assert_allclose(cells(figure)[0], np.where(map.allowed, weights, np.nan), rtol=1e-6)
        assert figure.layout.coloraxis.cmax == 0.7


def test_all_heads_on_one_scale_or_each_on_its_own():
    map = drawn("cross", heads=5)
    figure = attention_heatmaps(map, top=0.9, wide=3)
    np.testing.assert_array_equal(cells(figure), map.weights)
    assert [note.text for note in figure.layout.annotations] == [f"head {i}" for i in range(5)]
    assert figure.layout.coloraxis.cmax == 0.9
    own = attention_heatmaps(map, top=[0.1, 0.2, 0.3, 0.4, 0.5]).layout
    assert [own[axis].cmax for axis in ("coloraxis", "coloraxis3", "coloraxis5")] == [0.1, 0.3, 0.5]
