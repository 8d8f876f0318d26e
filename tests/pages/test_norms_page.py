"""Pins the page on norms and residuals: what it says of its numbers, and the batch that is normed along both axes."""

import re

import numpy as np
import pytest
import torch

from explorer.exhibits.norms.two_norms import before_after, epsilons_of, two_norms
from explorer.model_on_screen.shown_run import run_of
from tests.pages.helpers import SENTENCES, SIZES, WORDS, array, close, config, figure, fine, open_page, session_of, shown
from transformer_core import Transformer
from transformer_core.analysis.gradient_depth import gradient_profiles
from transformer_core.analysis.normalization import company

TWO, BATCH, DEPTH = "two_norms", "batch_norms", "residual_depth"


def metric(at, label: str) -> str:
    (value,) = (each.value for each in at.metric if each.label == label)
    return value


@pytest.mark.teaches(point="A9")
@pytest.mark.parametrize(("norm", "place"), [("pre", 4), ("post", 5)])
def test_a_vector_of_the_model_through_both_norms(norm, place):
    at = open_page("norms", part=TWO, norm=norm, seed=5, norm_place=place, token=2, **SIZES, **SENTENCES)
    assert fine(at)
    run = run_of(session_of(at).shown())
    x = before_after(run, 1e-5, 1e-5, place, 2)[0].astype(np.float64)
    largest = np.abs(two_norms(run, 1e-5, 1e-5, place, 2)[2]).max()
    assert f"the largest difference between the two for this vector is **{largest:.5f}**" in shown(at)
    close(array(figure(at, "by-eps").data[0]["x"]), epsilons_of(run.cfg, 1e-5, 1e-5))
    table = at.dataframe[0].value
    assert float(table["std over d"].iloc[0]) == pytest.approx(x.std(), abs=2e-5)
    assert float(table["std over d − 1"].iloc[2]) == pytest.approx(1, abs=1e-4)
    assert float(table["std over d"].iloc[1]) == pytest.approx(1, abs=1e-4)
    assert f"the variance, here {x.var():.3g}, outside to the standard deviation, here {x.std(ddof=1):.3g}" in shown(at)


@pytest.mark.teaches(point="A9")
def test_the_difference_against_the_width():
    at = open_page("norms", part=TWO)
    largest, _typical = figure(at, "by-width").lines
    assert f"{largest[2]:.3f} at d = 16 and {largest[7]:.4f} at d = 512, with ε = " in shown(at)


@pytest.mark.teaches(point="C5")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_page_opens_with_both_places_of_the_norm(norm):
    at = open_page("norms", norm=norm)
    assert fine(at)
    pre, post = figure(at, "stream-lengths").lines
    words = shown(at)
    assert f"The model on screen is **{norm}-norm**" in words
    assert f"its length goes from {pre[0]:.1f} to {pre[-1]:.1f}" in words and pre[-1] > 2 * pre[0]
    assert "to √32 = 5.7" in words and np.allclose(post[1:], np.sqrt(32), rtol=1e-3)


@pytest.mark.teaches(point="A9")
@pytest.mark.parametrize("kind", ["standard", "unbiased_std"])
def test_the_page_says_which_norm_the_model_has(kind):
    at = open_page("norms", {"layer_norm": kind, "part": TWO})
    assert fine(at)
    assert f"This model's is the **{kind.removesuffix('_std')}** one" in shown(at)


@pytest.mark.teaches(point="C6")
@pytest.mark.parametrize(("joins", "padding"), [(1, 2), (3, 0), (0, 3), (0, 0)])
def test_the_batch_normed_along_both_axes(joins, padding):
    at = open_page("norms", part=BATCH, seed=5, joins=joins, norm_padding=padding, **SIZES, **SENTENCES)
    assert fine(at)
    others = ["a dog sleeps", "", "the big white house"]
    sentences = [WORDS.encode(SENTENCES["src"])] + ([WORDS.encode(others[joins - 1])] if joins else [])
    model = Transformer(config(**SIZES), torch.Generator().manual_seed(5)).eval()
    found = company(model, sentences, padding)
    for key, values in (("batch", found.batch), ("by-token", found.tokens), ("by-feature", found.features)):
        close(figure(at, key).cells[0], values.reshape(-1, 48)[:, :24])
    by_token, by_feature = figure(at, "company").cells
    assert not by_token.any()
    close(by_feature, found.feature_change[:, :24])
    assert metric(at, "LayerNorm: largest change") == "0"
    assert float(metric(at, "BatchNorm: largest change")) == pytest.approx(np.abs(found.feature_change).max(), abs=1e-3)


@pytest.mark.teaches(point="C6")
@pytest.mark.parametrize(
    ("task", "first"),
    [("everyday-fr", "a dog sleeps"), ("pronoun-zh", "水 满 了"), ("copy", "3 2 1"), ("pronoun-en", "she poured water")],
    ids=str,
)
def test_every_task_gets_company_that_it_can_read(task, first):
    at = open_page("norms", {"task": task, "part": BATCH, "numbers": "1 2 3"})
    assert fine(at)
    nothing, *others = at.selectbox(key="joins").options
    assert nothing == "nothing" and others[0].startswith(first)
    assert not any("<unk>" in each for each in others)


@pytest.mark.teaches(point="C6")
def test_the_curve_over_the_sentences_in_the_batch():
    at = open_page("norms", part=BATCH, seed=5, **SIZES, **SENTENCES)
    by_token, by_feature = figure(at, "batch-size").lines
    assert by_token.max() < 1e-6 and (np.diff(by_feature) < 0).all()
    assert f"BatchNorm: {by_feature[0]:.2f} with 2 sentences, {by_feature[-1]:.2f} with 64" in shown(at)


@pytest.mark.teaches(point="C6")
def test_more_padding_pollutes_batch_norm_only():
    at = open_page("norms", part=BATCH, **SENTENCES)
    layer_norm, alone, joined = figure(at, "padding").lines
    assert not layer_norm.any() and layer_norm.shape == (13,)
    assert alone[0] == 0 and alone[12] > alone[1] > 0.1 and joined.min() > 0.1


@pytest.mark.teaches(point="C5")
@pytest.mark.parametrize(("depth", "seed"), [(1, 0), (6, 3)])
def test_the_words_give_the_gradients(depth, seed):
    at = open_page("norms", part=DEPTH, depth=depth, depth_seed=seed)
    assert fine(at)
    found = gradient_profiles(depth, seed=seed)
    best = found["pre", True]
    words = shown(at)
    assert f"a gradient of length {best.norms[depth]:.2f} comes from above" in words
    assert f"the layer itself adds one of length {best.through[-1]:.2f}" in words
    assert f"At the bottom {best.aligned[0]:.2f} (pre-norm) and {found['post', True].aligned[0]:.2f} (post-norm)" in words
    bottom = (f"{found[norm, True].aligned[0]:z.2f}".replace("-", "−") for norm in ("pre", "post"))
    assert "with residual connections, **{}** in pre-norm and **{}** in post-norm".format(*bottom) in words
    without, with_residuals = (
        (found["none", on].norms[0] / found["none", on].norms[-1]) ** (1 / depth) for on in (False, True)
    )
    assert f"by a factor of {without:.2f} per layer" in words
    assert f"the length grows by a factor of {with_residuals:.2f} per layer" in words and with_residuals > 1


@pytest.mark.teaches(point="C5")
def test_a_small_factor_is_said_as_a_fraction():
    at = open_page("norms", part=DEPTH, depth=24)
    norms = gradient_profiles(24, ["none"])["none", False].norms
    (fraction,) = re.findall(r"its length is multiplied by 1/([0-9,]+) without residual", shown(at))
    assert int(fraction.replace(",", "")) == pytest.approx(norms[-1] / norms[0], rel=0.05)
    assert norms[-1] / norms[0] > 100_000


@pytest.mark.teaches(point="C5")
def test_residual_connections_alone_are_said_to_explode_and_the_norms_to_tame_that():
    at = open_page("norms", part=DEPTH, depth=24)
    found, words = gradient_profiles(24), shown(at)
    alone, tamed = (each.norms[0] / each.norms[-1] for each in (found["none", True], found["pre", True]))
    assert alone > 400_000 and tamed < 10
    said = re.search(r"([0-9,]+) times from top to bottom", words)
    assert said and int(said[1].replace(",", "")) == pytest.approx(alone, rel=0.05)
    assert f"With pre-norm as well, it is {tamed:.2g} times" in words
    assert "no norm, no residuals" in " ".join(each.get("name", "") for each in figure(at, "bare").data)
