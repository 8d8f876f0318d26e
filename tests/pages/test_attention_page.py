"""Pins the parts of the attention page: other scores on the same head, and the experiment on the width of a head."""

import math

import numpy as np
import pytest

from explorer import server
from tests.pages.helpers import Cells, array, config, figure, figures, fine, fresh, open_page, shown, told, turn
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.score_functions import SCORES, drawn_score
from transformer_core.analysis.score_scaling import DIVISORS, head_scale, scaling

SIZES = {"d_model": 48, "n_heads": 3, "n_layers": 2, "d_ff": 80}
SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge"}
SCOPES = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}
D_K = 16
kinds = pytest.mark.parametrize("kind", list(SCOPES))


def head_of(kind: str, head: int = 2, seed: int = 5) -> dict[str, np.ndarray]:
    """q, k, scores, weights of one head of a fresh model."""
    stages = fresh(config(**SIZES), seed, **SENTENCES)
    return {name: stages[f"{SCOPES[kind]}.{name}"][head] for name in ("q", "k", "scores", "masked_scores", "weights")}


def opened(part: str, kind: str, **more) -> object:
    at = open_page("attention", part=part, kind=kind, layer=1, head=2, seed=5, **SIZES | SENTENCES | more)
    assert fine(at)
    return at


def plain_scores(q: np.ndarray, k: np.ndarray, draw: int) -> dict[str, np.ndarray]:
    """The four formulas on every pair, in numpy."""
    pairs = np.concatenate([np.repeat(q[:, None], len(k), 1), np.repeat(k[None], len(q), 0)], axis=-1)
    additive, linear = (
        [p.detach().numpy() for p in (score.w.weight, score.w.bias)]
        for score in (drawn_score("additive", D_K, draw), drawn_score("concat_linear", D_K, draw))
    )
    return {
        "scaled_dot": q @ k.T / 4,
        "dot": q @ k.T,
        "additive": np.tanh(pairs @ additive[0].T + additive[1]).sum(axis=-1),
        "concat_linear": (pairs @ linear[0].T + linear[1])[..., 0],
    }


def softmax(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    powers = np.where(allowed, np.exp(scores - scores.max()), 0)
    return powers / powers.sum(axis=-1, keepdims=True)


@kinds
def test_a6_the_page_shows_four_scores_of_one_head(kind):
    at = opened("Other scores", kind, score_seed=3)
    head = head_of(kind)
    allowed = np.isfinite(head["masked_scores"])
    expected = plain_scores(head["q"], head["k"], 3)
    weights = {name: softmax(scores, allowed) for name, scores in expected.items()}
    np.testing.assert_allclose(weights["scaled_dot"], head["weights"], atol=1e-5)
    for name, panel in zip(SCORES, figure(at, "score-weights").cells, strict=True):
        np.testing.assert_allclose(panel, np.where(allowed, weights[name], np.nan), rtol=1e-3, atol=1e-5)
        (cells,) = figure(at, f"score-{name}").cells
        np.testing.assert_allclose(cells, np.where(allowed, expected[name], np.nan), rtol=1e-3, atol=1e-5)
    table = at.dataframe[0].value
    away = [0.5 * np.abs(weights[name] - weights["scaled_dot"]).sum(axis=1).mean() for name in SCORES]
    np.testing.assert_allclose(table["away from scaled dot"], away, atol=2e-4)
    spread = [float(each) for each in table["largest difference between rows"]]
    assert spread[3] < 1e-6, "with concat-linear all rows are equal where the mask is open alike"
    assert min(spread[:3]) > 1e-3
    if kind != "decoder":
        np.testing.assert_allclose(spread[:3], [np.ptp(weights[name], axis=0).max() for name in SCORES[:3]], rtol=0.06)


def test_a6_the_page_says_that_the_extra_matrices_are_drawn():
    at = opened("Other scores", "encoder", score_seed=7)
    assert "**no part of the open model**: they are drawn at random (Xavier, draw 7)" in shown(at)
    before = [array(figure(at, f"score-{name}").data[0]["z"]) for name in SCORES]
    turn(at, score_seed=8)
    after = [array(figure(at, f"score-{name}").data[0]["z"]) for name in SCORES]
    assert [np.array_equal(a, b) for a, b in zip(before, after, strict=True)] == [True, True, False, False]


def test_c3_the_page_shows_the_experiment_and_this_head():
    at = opened("Why √d_k", "decoder", scale_keys=9, scale_seed=4, d_model=72)
    stages = fresh(config(**SIZES | {"d_model": 72}), 5, **SENTENCES)
    q, k, masked, weights = (stages[f"{SCOPES['decoder']}.{name}"][2] for name in ("q", "k", "masked_scores", "weights"))
    widths = sorted({*(2**i for i in range(10)), 24})  # d_k is 24 here, which is no power of two
    found = scaling(widths, 9, seed=4)
    drawn = figure(at, "scale-variance")
    theory, measured, own = drawn.lines
    assert array(drawn.data[0]["x"]).tolist() == widths == theory.tolist()
    np.testing.assert_allclose(measured, found.variance, rtol=1e-5)
    pairs = (q @ k.T)[np.isfinite(masked)]
    assert np.isfinite(own).tolist() == [width == 24 for width in widths]
    assert own[widths.index(24)] == pytest.approx(pairs.var(), rel=1e-4)
    for key, readings in (("scale-entropy", found.entropy), ("scale-gradient", found.gradient)):
        for line, name in zip(figure(at, key).lines, DIVISORS, strict=True):
            np.testing.assert_allclose(line, readings[name], rtol=1e-5)
    numbers, entropies = (frame.value for frame in at.dataframe[:2])
    expected = [q.var(), k.var(), pairs.var(), pairs.var() / 24]
    np.testing.assert_allclose([float(x) for x in numbers["this head"]], expected, rtol=1e-3)
    bits = np.mean([-sum(w * math.log2(w) for w in row if w > 0) for row in weights])
    assert float(entropies["entropy (bits)"][1]) == pytest.approx(bits, abs=1e-3)
    assert float(entropies["size of the gradient"][0]) == pytest.approx(
        head_scale(q, k, np.isfinite(masked)).gradient["1"], abs=1e-3
    )
    ratio = found.variance / widths
    assert f"measured, it is {ratio.min():.2f} to {ratio.max():.2f} times d_k" in shown(at)


def test_c3_another_draw_is_another_curve_and_the_models_head_stays():
    at = opened("Why √d_k", "encoder")
    before = figure(at, "scale-variance").lines
    turn(at, scale_seed=1)
    after = figure(at, "scale-variance").lines
    np.testing.assert_array_equal(before[0], after[0])
    assert not np.array_equal(before[1], after[1])
    np.testing.assert_array_equal(before[2], after[2])


@pytest.mark.parametrize("part", ["Other scores", "Why √d_k"])
@pytest.mark.parametrize("lengths", [(1, 1), (128, 127)])
def test_a6_c3_the_shortest_and_the_longest_sentences(part, lengths):
    at = open_page("attention", part=part, kind="cross", input="lengths", src_len=lengths[0], tgt_len=lengths[1])
    assert fine(at)
    assert len(figures(at)) == (5 if part == "Other scores" else 3)


@pytest.mark.parametrize("score", SCORES)
def test_a6_a_model_with_another_score_opens_step_by_step(score):
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=24, n_heads=3, d_ff=16, n_layers=1, score=score)
    stored = server.model_store().add(checkpoint.to_bytes(Transformer(cfg)))
    for part in ("Step by step", "Other scores", "Why √d_k"):
        at = open_page("attention", {"model": stored.id, "part": part})
        assert fine(at)
    at = open_page("attention", {"model": stored.id})
    cells = Cells(at, "weights")
    steps = [step["name"] for step in cells.data["steps"]]
    assert ("scale" in steps) is (score == "scaled_dot"), "only what this model does is told"
    join = {"times": np.multiply, "plus": np.add, "tanh": lambda left, right: np.tanh(left + right)}[cells.data["join"]]
    sums = join(cells.stages["left"][:, None], cells.stages["right"][None]).sum(axis=-1) + cells.data["rest"]
    np.testing.assert_allclose(sums / (math.sqrt(8) if score == "scaled_dot" else 1), cells.stages["scores"], atol=1e-5)
    assert (f"in the place of the fraction: {score}" in shown(at)) is (score != "scaled_dot")
    shown_here = np.where(cells.allowed, cells.stages["scores"], np.nan)
    other = open_page("attention", {"model": stored.id, "part": "Other scores"})
    np.testing.assert_allclose(figure(other, f"score-{score}").cells[0], shown_here, rtol=1e-5, atol=1e-6)
    own = score in ("additive", "concat_linear")
    assert ("with a matrix of its own" in shown(other)) is own
    turn(other, score_seed=1)
    np.testing.assert_allclose(figure(other, f"score-{score}").cells[0], shown_here, rtol=1e-5, atol=1e-6)


def test_a6_a_sentence_that_is_missing_is_told_in_every_part():
    for part in ("Other scores", "Why √d_k"):
        assert "The source sentence is empty" in told(open_page("attention", part=part, src=" "))


@pytest.mark.parametrize(
    "link",
    [{"score_seed": "-3"}, {"score_seed": "x"}, {"part": "Nothing"}, {"scale_keys": "1e9"}, {"scale_seed": "nan"}],
    ids=str,
)
def test_a6_c3_a_link_with_nonsense_shows_the_defaults(link):
    for part in ("Other scores", "Why √d_k"):
        at = open_page("attention", {"part": part} | link)
        assert fine(at)
        plain = open_page("attention", {"part": "Step by step" if "part" in link else part})
        assert [each.data for each in figures(at)] == [each.data for each in figures(plain)]
