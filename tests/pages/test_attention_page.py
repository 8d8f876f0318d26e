"""Pins the parts of the attention page: one head's arithmetic, other scores on it, and the experiment on its width."""

import math

import numpy as np
import pytest

from explorer import resources
from tests.pages.helpers import (
    SENTENCES,
    SIZES,
    Cells,
    array,
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
    visit,
)
from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis.score_functions import SCORES, scorings
from transformer_core.analysis.score_scaling import head_scale, scaling
from transformer_core.training import checkpoint

SCOPES = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}
D_K = 16


def head_of(kind: str) -> dict[str, np.ndarray]:
    """Every stage of one head of a new model."""
    scope = f"{SCOPES[kind]}."
    stages = fresh(config(**SIZES), 5, **SENTENCES)
    return {name.removeprefix(scope): value[2] for name, value in stages.items() if name.startswith(scope) and value.ndim == 3}


def opened(part: str, **more):
    state = {"kind": "encoder", "layer": 1, "head": 2, "seed": 5} | SIZES | SENTENCES | more
    at = open_page("attention", part=part, **state)
    assert fine(at)
    return at


@pytest.mark.parametrize("kind", SCOPES)
def test_the_words_say_what_queries_and_keys_are_made_of(kind):
    at = opened("one_head", kind=kind)
    assert "a column of W_Q, and a bias" in shown(at)
    assert ("of the source's words (the encoder's output) the **key**" in shown(at)) == (kind == "cross")


def test_every_stage_of_one_head_is_the_models():
    at = opened("one_head", query=1, key=2)
    for kind in SCOPES:
        assert fine(turn(at, kind=kind))
        stages, cells = head_of(kind), Cells(at, "weights")
        for name in ("v", "products", "scores", "weights", "context"):
            close(cells.stages[name], stages[name])
        np.testing.assert_array_equal(cells.allowed, np.isfinite(stages["masked_scores"]))
        assert (cells.data["cell"], cells.data["join"], cells.data["rest"]) == ([1, 2], "times", 0.0)
        close(cells.stages["left"], stages["q"])
        close(cells.stages["right"], stages["k"])
        assert [step["name"] for step in cells.data["steps"]] == ["terms", "sum", "scale", "mask", "softmax", "context"]


@pytest.mark.teaches(point="A6")
def test_how_much_four_scores_of_one_head_agree():
    at = opened("other_scores", score_seed=3)
    for kind in SCOPES:
        assert fine(turn(at, kind=kind))
        head = head_of(kind)
        allowed = np.isfinite(head["masked_scores"])
        weights = {name: each.weights for name, each in scorings(head["q"], head["k"], allowed, 3).items()}
        _function, distance, _entropy, difference = at.dataframe[0].value.to_numpy().T
        away = [0.5 * np.abs(weights[name] - weights["scaled_dot"]).sum(axis=1).mean() for name in SCORES]
        np.testing.assert_allclose(distance.astype(float), away, atol=2e-4)
        spread = [read_small(each) for each in difference]
        assert spread[3] < 1e-6, "with concat-linear all rows are equal on the keys that both may attend to"
        assert min(spread[:3]) > 1e-3
        if kind != "decoder":
            np.testing.assert_allclose(spread[:3], [np.ptp(weights[name], axis=0).max() for name in SCORES[:3]], rtol=0.06)


@pytest.mark.teaches(point="C3")
def test_the_experiment_and_this_head():
    at = opened("why_scale", kind="decoder", scale_keys=9, scale_seed=4, d_model=72)
    stages = fresh(config(**SIZES | {"d_model": 72}), 5, **SENTENCES)
    q, k, masked, weights = (stages[f"{SCOPES['decoder']}.{name}"][2] for name in ("q", "k", "masked_scores", "weights"))
    widths = sorted({*(2**i for i in range(10)), 24})  # d_k is 24 here, which is no power of two
    found = scaling(widths, 9, seed=4)
    assert array(figure(at, "scale-variance").data[0]["x"]).tolist() == widths
    pairs = (q @ k.T)[np.isfinite(masked)]
    variances, by_divisor = (frame.value.to_numpy() for frame in at.dataframe[:2])
    rounded = variances[:, 1].astype(float)
    np.testing.assert_allclose(rounded, [q.var(), k.var(), pairs.var(), pairs.var() / 24], rtol=1e-3)
    bits = np.mean([-sum(w * math.log2(w) for w in row if w > 0) for row in weights])
    assert float(by_divisor[1, 1]) == pytest.approx(bits, abs=1e-3)
    assert float(by_divisor[0, 2]) == pytest.approx(head_scale(q, k, np.isfinite(masked)).gradient["1"], abs=1e-3)
    ratio = found.variance / widths
    assert f"{ratio.min():.2f} to {ratio.max():.2f} times d_k" in shown(at)


@pytest.mark.teaches(point="A6")
@pytest.mark.slow
def test_a_model_with_another_score_shows_its_own():
    for score in SCORES:
        cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=24, n_heads=3, d_ff=16, n_layers=1, score=score)
        stored = resources.model_store().add(checkpoint.to_bytes(Transformer(cfg)))
        at = open_page("attention", {"model": stored.id, "part": "one_head"})
        assert fine(at)
        cells = Cells(at, "weights")
        assert ("scale" in [step["name"] for step in cells.data["steps"]]) is (score == "scaled_dot")
        join = {"times": np.multiply, "plus": np.add, "tanh": lambda left, right: np.tanh(left + right)}[cells.data["join"]]
        sums = join(cells.stages["left"][:, None], cells.stages["right"][None]).sum(axis=-1) + cells.data["rest"]
        np.testing.assert_allclose(sums / (math.sqrt(8) if score == "scaled_dot" else 1), cells.stages["scores"], atol=1e-5)
        assert (f"`{score}`" in shown(at)) is (score != "scaled_dot")


@pytest.mark.parametrize("lengths", [(1, 1), (128, 127)])
def test_the_shortest_and_the_longest_sentences(lengths):
    at = open_page("attention", part="other_scores", kind="cross", input="lengths", src_len=lengths[0], tgt_len=lengths[1])
    assert fine(at) and len(figures(at)) == 5
    assert fine(turn(at, part="why_scale")) and len(figures(at)) == 3


@pytest.mark.parametrize(
    ("instead", "mask", "context"),
    [
        ("uniform", "This head is cut: it attends evenly, and every open score becomes 0.", "Each word's value v"),
        ("mean", "", "This head is cut: in place of the weighted sum, its output is its mean"),
        ("zero", "", "This head is cut: in place of the weighted sum, its output is 0."),
    ],
)
def test_the_arithmetic_of_a_head_that_is_cut_says_what_takes_its_place(instead, mask, context):
    link = {"kind": "decoder", "layer": "1", "cut": "decoder.1.2", "instead": instead}
    cut, other = (Cells(visit({**link, "head": head}, "attention"), "weights") for head in ("2", "0"))
    said = {step["name"]: step["text"] for step in cut.data["steps"]}
    assert said["mask"] == mask and said["context"].startswith(context)
    whole = {step["name"]: step["text"] for step in other.data["steps"]}
    assert (whole["mask"], whole["context"].split(" is ")[0]) == ("", "Each word's value v")
    stages = cut.stages
    powers = np.exp(stages["masked"])
    close(stages["weights"], powers / powers.sum(axis=1, keepdims=True))
    assert np.allclose(stages["context"], stages["weights"] @ stages["v"], atol=1e-5) == (instead == "uniform")
    assert cut.data["replaced"] == (instead != "uniform") and not other.data["replaced"]
