"""Pins: what the settings cut out is cut out of everything on screen, and of nothing else."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer.model_on_screen import cuts
from explorer.model_on_screen.cuts import NO_CUTS, Cuts, cuts_of
from explorer.model_on_screen.decoding import generated_steps
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.held_out import ROWS, shares_right
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from tests.pages.helpers import config
from transformer_core import TASKS, greedy_decode
from transformer_core.analysis.cutting import HeadCut, LinkCut, WordCut, cut_out, mean_outputs
from transformer_core.errors import InputError
from transformer_core.training.evaluation import exact_match

TRANSLATOR = replace(of_task("everyday-fr"), src="the red cat sees a big house")


def test_a_setting_and_its_cuts():
    text = "cross.1.2:3-4,src:0,decoder.0.1"
    read = cuts.read(text)
    assert read == [LinkCut("cross", 1, 2, 3, 4), WordCut("src", 0), HeadCut("decoder", 0, 1)]
    assert cuts.written(read) == text
    assert cuts.read(f" {text} , nonsense,,src:0,<b>") == read
    assert cuts.and_also(text, [WordCut("src", 0), WordCut("tgt", 2)]) == f"{text},tgt:2"


def test_there_is_an_end_of_cuts():
    many = ",".join(f"src:{i}" for i in range(100))
    assert len(cuts.read(many)) == cuts.MOST
    with pytest.raises(InputError, match=f"Up to {cuts.MOST} cuts fit"):
        cuts.and_also(many, [WordCut("tgt", 1)])


def test_only_what_is_there_is_cut_and_a_mean_is_that_of_the_task():
    cfg, settings = config(), ModelSettings(cut="src:5,cross.0.1,cross.5.0,decoder.0.0:9-0")
    task = TASKS["everyday-fr"]()
    assert cuts_of(settings, cfg, task, 4, 3) == Cuts((HeadCut("cross", 0, 1),), "mean", task)
    assert cuts_of(settings, cfg, None, 4, 3) == Cuts((HeadCut("cross", 0, 1),), "zero")
    assert cuts_of(replace(settings, instead="uniform"), cfg, task, 4, 3).instead == "uniform"
    assert cuts_of(replace(settings, cut="src:1"), cfg, task, 4, 3) == Cuts((WordCut("src", 1),))
    assert cuts_of(replace(settings, cut="src:5"), cfg, task, 4, 3) == NO_CUTS and not NO_CUTS


@pytest.mark.parametrize("instead", ["mean", "zero", "uniform"])
def test_all_that_the_model_does_is_done_with_the_cuts(instead):
    shown = show_model(replace(TRANSLATOR, cut="cross.1.0,cross.0.all:2-3,src:2", instead=instead))
    whole = model_of(shown.choice.whole)
    means = mean_outputs(whole, TASKS["everyday-fr"]().batch(200, torch.Generator().manual_seed(0), held_out=True))
    cut = cut_out(whole, shown.choice.cuts.made, instead, means)
    src, tgt = torch.tensor([shown.src]), torch.tensor([shown.tgt])
    with torch.no_grad():
        np.testing.assert_allclose(shown.forward()["logits"], cut(src, tgt)[0].numpy(), atol=1e-5)
    vocabulary = shown.vocabulary
    said = greedy_decode(cut, src, vocabulary.start, 18)[0].tolist()
    assert list(shown.answer) == said[: said.index(vocabulary.end)]
    steps = generated_steps(shown.choice, shown.src, vocabulary.start, 18, end=vocabulary.end)
    assert [step.token for step in steps[:-1]] == list(shown.answer[1:])
    assert shown.attention("cross", 0).map.weights[:, 2, 3].max() == 0
    assert not shown.attention("encoder", 1).map.allowed[:, 2].any()

    before = show_model(TRANSLATOR)
    assert shown.whole.choice == before.choice and shown.tgt == before.tgt and shown.answer != before.answer
    assert vocabulary.decode(before.answer[1:]) == "le chat rouge voit une grande maison".split()
    assert shown.verdict is not None and not shown.verdict.is_right


def test_hiding_the_word_that_is_translated_changes_its_translation():
    """The only cause here is the cut: both models have the same weights and read the same sentence."""
    for place, word in ((2, "chat"), (6, "maison"), (3, "voit")):
        assert word in (shown := show_model(replace(TRANSLATOR, cut=f"src:{place}"))).vocabulary.decode(shown.whole.answer)
        assert shown.vocabulary.decode(shown.answer) != shown.vocabulary.decode(shown.whole.answer)


def test_what_is_left_is_counted_on_held_out_rows():
    shown = show_model(replace(TRANSLATOR, cut="decoder.1.cross_attn", instead="zero"))
    rows = TASKS["everyday-fr"]().batch(ROWS, torch.Generator().manual_seed(1), held_out=True)
    expected = exact_match(cut_out(model_of(shown.choice.whole), shown.choice.cuts.made), TASKS["everyday-fr"](), rows)
    cut, whole = (shares_right([choice], TASKS["everyday-fr"](), math.inf)[0] for choice in (shown.choice, shown.choice.whole))
    assert cut == expected < 0.5 < 0.97 < whole
