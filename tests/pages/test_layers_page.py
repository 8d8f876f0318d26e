"""Pins the page on layers: residual stream, feed-forward part, K and V are those of a fresh model, recomputed here."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.pages.helpers import (
    SENTENCES,
    SIZES,
    close,
    config,
    figure,
    figures,
    fine,
    fresh,
    open_page,
    read_small,
    shown,
    turn,
)
from transformer_core import Transformer

WAY, FEED_FORWARD, K_V = PARTS = ("residual_stream", "feed_forward", "keys_and_values")


def model(**changes) -> Transformer:
    return Transformer(config(**SIZES | changes), torch.Generator().manual_seed(5)).eval()


ORDERS = {
    ("encoder", "pre"): ["norm", "self-attention", "+", "norm", "feed-forward", "+"],
    ("encoder", "post"): ["self-attention", "+", "norm", "feed-forward", "+", "norm"],
    ("decoder", "pre"): ["norm", "self-attention", "+", "norm", "cross-attention", "+", "norm", "feed-forward", "+"],
    ("decoder", "post"): ["self-attention", "+", "norm", "cross-attention", "+", "norm", "feed-forward", "+", "norm"],
}


@pytest.mark.teaches(point="A10")
@pytest.mark.parametrize(("stack", "norm"), ORDERS)
def test_one_word_is_followed_in_the_order_of_the_arrangement(stack, norm):
    at = open_page("layers", seed=5, stack=stack, layer=1, token=3, norm=norm, **SIZES, **SENTENCES)
    assert fine(at)
    assert f"in this order: {' → '.join(ORDERS[stack, norm])}." in shown(at)
    stages = fresh(config(**SIZES, norm=norm), 5, **SENTENCES)
    parts = ["self_attn", "feed_forward"] if stack == "encoder" else ["self_attn", "cross_attn", "feed_forward"]
    goes_on, order = (
        ("residual", ["norm_in", "output", "residual"]) if norm == "pre" else ("norm_out", ["output", "residual", "norm_out"])
    )
    stream = [stages[f"{stack}.0.feed_forward.{goes_on}"][3]]
    rows = [stream[0], *(stages[f"{stack}.1.{part}.{name}"][3] for part in parts for name in order)]
    labels = ["input", *ORDERS[stack, norm]]
    if norm == "pre":
        rows.append(stages["memory" if stack == "encoder" else "decoder.output"][3])
        labels.append("norm at the end of the stack")
    way = figure(at, "stream-rows")
    close(way.cells[0], np.stack(rows)[:, :32])
    assert way.rows == labels

    stream += [stages[f"{stack}.1.{part}.{goes_on}"][3] for part in parts]
    given = [stages[f"{stack}.1.{part}.output"][3] for part in parts]
    lengths = [[np.sqrt((x.astype(float) ** 2).sum()) for x in xs] for xs in (stream[:-1], given, stream[1:])]
    for found, expected in zip(figure(at, "lengths").lines, lengths, strict=True):
        close(found, expected)
    table = at.dataframe[0].value
    for name, expected in zip(("length before", "length of its output", "length after"), lengths, strict=True):
        assert table[name].astype(float).to_numpy() == pytest.approx(expected, abs=6e-4)
    cosines = [a @ b / np.sqrt((a @ a) * (b @ b)) for a, b in pairwise(stream)]
    assert table["cosine before / after"].astype(float).to_numpy() == pytest.approx(cosines, abs=6e-4)
    assert f"direction changes most at: {table['part'].iloc[int(np.argmin(cosines))]}" in shown(at)
    whole = [stages[f"{stack}.embedding.sum"][3]]
    whole += [stages[f"{stack}.{layer}.{part}.{goes_on}"][3] for layer in range(2) for part in parts]
    close(figure(at, "stream").lines[0], np.linalg.norm(whole, axis=1))


@pytest.mark.teaches(point="A10")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_without_residual_sums_the_way_has_no_sum(norm):
    at = open_page("layers", residual=False, norm=norm, seed=5, **SIZES)
    assert fine(at)
    order = "norm → self-attention → norm → feed-forward" if norm == "pre" else "self-attention → norm → feed-forward → norm"
    assert f"in this order: {order}." in shown(at)
    assert "no residual connections" in shown(at)
    assert figure(at, "stream-rows").rows[1:5] == order.split(" → ")
    assert "x+" not in at.latex[0].value


@pytest.mark.teaches(point="A8")
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_units_before_and_after_the_non_linearity(stack):
    at = open_page("layers", part=FEED_FORWARD, seed=5, stack=stack, layer=1, **SIZES, **SENTENCES)
    assert fine(at)
    hidden = fresh(config(**SIZES), 5, **SENTENCES)[f"{stack}.1.feed_forward.hidden"]
    close(figure(at, "hidden").cells[0], hidden)
    close(figure(at, "active").cells[0], np.maximum(hidden, 0))
    close(figure(at, "zeros").lines[0], (hidden <= 0).mean(axis=1))
    silent = int((hidden <= 0).all(axis=0).sum())
    assert f"{silent} of 80 in the chosen layer" in shown(at)
    table = at.dataframe[0].value
    row = table.set_index("layer").loc[f"{stack} 1"]
    assert (row["units"], row["words"], row["never above 0"]) == (80, len(hidden), silent)
    assert row["share of zeros"] == f"{(hidden <= 0).mean():.1%}"
    assert list(table["layer"]) == ["encoder 0", "encoder 1", "decoder 0", "decoder 1"]


@pytest.mark.teaches(point="A8")
def test_of_many_units_the_first_are_drawn_and_all_are_counted():
    at = open_page("layers", part=FEED_FORWARD, seed=5, **SIZES | {"d_ff": 208}, **SENTENCES)
    hidden = fresh(config(**SIZES | {"d_ff": 208}), 5, **SENTENCES)["encoder.1.feed_forward.hidden"]
    close(figure(at, "hidden").cells[0], hidden[:, :128])
    close(figure(at, "zeros").lines[0], (hidden <= 0).mean(axis=1))


@pytest.mark.teaches(point="A8")
def test_gelu_is_called_so():
    at = open_page("layers", {"activation": "gelu"}, part=FEED_FORWARD)
    assert fine(at)
    assert "after GELU" in shown(at) and "ReLU" not in shown(at)
    assert figure(at, "active").cells[0].min() < 0


@pytest.mark.teaches(point="A8")
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_one_word_wiped_out_changes_one_row_in_feed_forward_and_more_in_attention(stack):
    at = open_page("layers", part=FEED_FORWARD, seed=5, stack=stack, layer=1, token=2, **SIZES, **SENTENCES)
    alone, mixed = figure(at, "mixing").lines
    n = 6 if stack == "encoder" else 4
    assert np.flatnonzero(alone).tolist() == [2]
    assert np.flatnonzero(mixed).tolist() == list(range(n) if stack == "encoder" else range(2, n))
    assert f"Feed-forward: 1 of {n} words change" in shown(at)
    assert f"self-attention of the same layer: {n if stack == 'encoder' else n - 2} of {n}." in shown(at)


@pytest.mark.teaches(point="A11")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_k_and_v_come_from_the_memory_and_q_from_the_decoder(norm):
    at = open_page("layers", part=K_V, seed=5, norm=norm, **SIZES, **SENTENCES)
    assert fine(at)
    stages = fresh(config(**SIZES, norm=norm), 5, **SENTENCES)
    close(figure(at, "memory").cells[0], stages["memory"][:, :24])
    own, memory = model(norm=norm), torch.tensor(stages["memory"])
    panels = figure(at, "k-v").cells
    with torch.no_grad():
        expected = [w(memory).numpy() for layer in own.decoder for w in (layer.cross_attn.w_k, layer.cross_attn.w_v)]
        given = "cross_attn.norm_in" if norm == "pre" else "self_attn.norm_out"
        queries = [
            layer.cross_attn.w_q(torch.tensor(stages[f"decoder.{i}.{given}"])).numpy() for i, layer in enumerate(own.decoder)
        ]
    for found, values in zip(panels, expected, strict=True):
        close(found, values[:, :24])
    for found, values in zip(figure(at, "q").cells, queries, strict=True):
        close(found, values[:, :24])


@pytest.mark.teaches(point="C9")
def test_every_layer_has_its_own_and_the_differences_are_measured():
    at = open_page("layers", part=K_V, seed=5, **SIZES | {"n_layers": 3}, **SENTENCES)
    table = at.dataframe[0].value
    assert list(table["decoder layer"]) == [0, 1, 2]
    assert (table[["K: error", "V: error", "Q: error"]].map(read_small).to_numpy() < 1e-5).all()
    own = fresh(config(**SIZES | {"n_layers": 3}), 5, **SENTENCES)
    for i in range(3):
        for letter in "kv":
            gap = np.abs(own[f"decoder.{i}.cross_attn.{letter}"] - own[f"decoder.0.cross_attn.{letter}"]).max()
            assert float(table[f"{letter.upper()}: distance from layer 0"].iloc[i]) == pytest.approx(gap, abs=6e-4)
    assert float(table["K: distance from layer 0"].iloc[1]) > 0.5
    turn(at, n_layers=1)
    assert fine(at) and "K: distance from layer 0" not in at.dataframe[0].value
    at.button(key="three-layers").click().run()
    assert fine(at) and list(at.dataframe[0].value["decoder layer"]) == [0, 1, 2]


@pytest.mark.teaches(point="A11")
def test_without_cross_attention_there_is_nothing_to_follow():
    at = open_page("layers", cross_attention=False, part=K_V)
    assert fine(at)
    assert "This model has no cross-attention" in shown(at)
    assert not figures(at)
    at = open_page("layers", cross_attention=False, stack="decoder")
    assert "cross-attention" not in "\n".join(at.dataframe[0].value["part"])


@pytest.mark.teaches(point="D4")
@pytest.mark.parametrize(
    ("place", "stage"),
    [("sum", "encoder.embedding.sum"), ("active", "encoder.0.feed_forward.active"), ("weights", "encoder.0.self_attn.weights")],
)
def test_what_dropout_does_to_the_numbers_of_the_model(place, stage):
    at = open_page("layers", part="dropout", dropout_place=place, dropout_share=0.25, dropout_seed=3, seed=5)
    assert fine(at)
    before, after = (figure(at, f"dropout-{when}").cells[0] for when in ("before", "after"))
    own = fresh(config(), 5)[stage]
    x = (own[0] if place == "weights" else own)[:, :12]
    np.testing.assert_allclose(before, x, rtol=1e-4, atol=1e-6)
    stays = after != 0
    np.testing.assert_allclose(after[stays], before[stays] / 0.75, rtol=1e-5)
    assert 0.1 < (after == 0)[before != 0].mean() < 0.45
    (distances,) = figure(at, "dropout-mean").lines
    assert distances[0] > 5 * distances[-1] and f"{distances[0]:.0%} for one step" in shown(at)
    assert "1 / (1 − p) = 1.333" in shown(at)
