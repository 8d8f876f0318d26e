"""Pins the pictures of an attention: whose weights, which cells are masked, and which stack queries and keys come from."""

import numpy as np
import pytest

from explorer.figures.attention import all_heads, attention_heatmap, attention_heatmaps, tops
from transformer_core.analysis.attention_map import AttentionMap

SRC, TGT = ("the", "<b>", "the", "去"), ("<start>", "le", "4")


def drawn(kind: str, heads: int = 3) -> AttentionMap:
    queries, keys = SRC if kind == "encoder" else TGT, TGT if kind == "decoder" else SRC
    shape = len(queries), len(keys)
    allowed = np.tri(*shape, dtype=bool) if kind == "decoder" else np.ones(shape, dtype=bool)
    weights = np.random.default_rng(0).random((heads, *shape)).astype(np.float32) * allowed
    return AttentionMap(kind, 1, weights / weights.sum(axis=-1, keepdims=True), allowed, queries, keys)


@pytest.mark.parametrize(
    ("kind", "rows", "columns"),
    [
        ("encoder", "query (encoder)", "key (encoder)"),
        ("decoder", "query (decoder)", "key (decoder)"),
        ("cross", "query (decoder)", "key (encoder)"),
    ],
)
def test_axes_say_which_stack_the_tokens_come_from(kind, rows, columns):
    for picture in (attention_heatmap(drawn(kind), 2), attention_heatmaps(drawn(kind))):
        assert picture.axes == f"rows: {rows} · columns: {columns}"
        assert picture.rows[1] == ("1 <b>" if kind == "encoder" else "1 le")
        assert picture.columns[-1] == ("2 · 4" if kind == "decoder" else "3 去")


def test_a_head_or_the_mean_of_all_without_what_is_masked():
    map = drawn("decoder")
    for head, weights in ((1, map.weights[1]), (None, map.weights.mean(axis=0))):
        picture = attention_heatmap(map, head)
        np.testing.assert_allclose(picture.values[0], weights, rtol=1e-6)
        np.testing.assert_array_equal(picture.valid[0], map.allowed)
        assert picture.ends.tolist() == [[0, 1]]


def test_all_heads_on_one_scale_or_each_on_its_own():
    map = drawn("cross", heads=5)
    picture = attention_heatmaps(map, top=0.5)
    np.testing.assert_array_equal(picture.values, map.weights)
    assert (picture.names, picture.wide, picture.scale) == ("head {i}", 4, True)
    assert picture.ends.tolist() == [[0, 0.5]] * 5
    for scale in ("1", "layer", "head"):
        np.testing.assert_allclose(all_heads(map, scale).ends[:, 1], tops(map, scale))
        assert all_heads(map, scale).scale == (scale != "head")
