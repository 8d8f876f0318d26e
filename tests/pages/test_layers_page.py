"""Pins the page on layers: the order in which one word is followed, and what tables and words say of the pictures' numbers."""

import numpy as np
import pytest

from explorer.exhibits.layers.keys_and_values import k_v
from explorer.exhibits.layers.residual_stream import cosines
from explorer.model_on_screen.shown_run import run_of
from tests.pages.helpers import SENTENCES, SIZES, figure, figures, fine, open_page, read_small, session_of, shown, turn

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
    at_the_end = ["norm at the end of the stack"] if norm == "pre" else []
    assert figure(at, "stream-rows").rows == ["input", *ORDERS[stack, norm], *at_the_end]
    table = at.dataframe[0].value
    names = ("length before", "length of its output", "length after")
    for name, expected in zip(names, figure(at, "lengths").lines, strict=True):
        assert table[name].astype(float).to_numpy() == pytest.approx(expected, abs=6e-4)
    turns = cosines(run_of(session_of(at).shown()), stack, 1, 3)
    assert table["cosine before / after"].astype(float).to_numpy() == pytest.approx(turns, abs=6e-4)
    assert f"direction changes most at: {table['part'].iloc[int(np.argmin(turns))]}" in shown(at)


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
def test_silent_units_are_counted(stack):
    at = open_page("layers", part="feed_forward", seed=5, stack=stack, layer=1, **SIZES, **SENTENCES)
    assert fine(at)
    (hidden,) = figure(at, "hidden").cells
    silent = int((hidden <= 0).all(axis=0).sum())
    assert f"{silent} of 80 in the chosen layer" in shown(at)
    table = at.dataframe[0].value
    row = table.set_index("layer").loc[f"{stack} 1"]
    assert (row["units"], row["words"], row["never above 0"]) == (80, len(hidden), silent)
    assert row["share of zeros"] == f"{(hidden <= 0).mean():.1%}"
    assert list(table["layer"]) == ["encoder 0", "encoder 1", "decoder 0", "decoder 1"]


@pytest.mark.teaches(point="A8")
def test_gelu_is_called_so():
    at = open_page("layers", {"activation": "gelu"}, part="feed_forward")
    assert fine(at)
    assert "after GELU" in shown(at) and "ReLU" not in shown(at)


@pytest.mark.teaches(point="A8")
@pytest.mark.parametrize(("stack", "n", "mixed"), [("encoder", 6, 6), ("decoder", 4, 2)])
def test_how_many_words_change_with_one_is_counted(stack, n, mixed):
    at = open_page("layers", part="feed_forward", seed=5, stack=stack, layer=1, token=2, **SIZES, **SENTENCES)
    assert f"Feed-forward: 1 of {n} words change; self-attention of the same layer: {mixed} of {n}." in shown(at)


@pytest.mark.teaches(point="C9")
def test_every_layer_has_its_own_and_the_differences_are_measured():
    at = open_page("layers", part="keys_and_values", seed=5, **SIZES | {"n_layers": 3}, **SENTENCES)
    table = at.dataframe[0].value
    assert list(table["decoder layer"]) == [0, 1, 2]
    assert (table[["K: error", "V: error", "Q: error"]].map(read_small).to_numpy() < 1e-5).all()
    products = k_v(run_of(session_of(at).shown()))
    gaps = np.abs(products.reshape(3, 2, *products.shape[1:]) - products[:2]).max(axis=(2, 3))
    distances = table[["K: distance from layer 0", "V: distance from layer 0"]].astype(float).to_numpy()
    assert distances == pytest.approx(gaps, abs=6e-4) and gaps[1:].min() > 0.5
    turn(at, n_layers=1)
    assert fine(at) and "K: distance from layer 0" not in at.dataframe[0].value
    at.button(key="three-layers").click().run()
    assert fine(at) and list(at.dataframe[0].value["decoder layer"]) == [0, 1, 2]


@pytest.mark.teaches(point="A11")
def test_without_cross_attention_there_is_nothing_to_follow():
    at = open_page("layers", cross_attention=False, part="keys_and_values")
    assert fine(at)
    assert "This model has no cross-attention" in shown(at)
    assert not figures(at)
    at = open_page("layers", cross_attention=False, stack="decoder")
    assert "cross-attention" not in "\n".join(at.dataframe[0].value["part"])


@pytest.mark.teaches(point="D4")
def test_what_dropout_does_to_the_numbers_of_the_model_is_said():
    at = open_page("layers", part="dropout", dropout_place="active", dropout_share=0.25, dropout_seed=3, seed=5)
    assert fine(at)
    (distances,) = figure(at, "dropout-mean").lines
    assert f"{distances[0]:.0%} for one step" in shown(at)
    assert "1 / (1 − p) = 1.333" in shown(at)
