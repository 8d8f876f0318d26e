"""Pins the part that patches the run on one sentence into the run on another: what is drawn and said was measured."""

import re

import numpy as np
import pytest
import torch

from explorer.model_on_screen import swaps
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from tests.pages.helpers import figure, figures, fine, matrices, open_page, session_of, shown, turn, visit
from transformer_core import greedy_decode
from transformer_core.analysis.patching import output_stages, pair_of, patched, restored, stream_stages
from transformer_core.model.stages import DECODER, ENCODER

PART = {"part": "swap_and_patch"}
PAGE = "what_matters"


def cells(at):
    return [figure(at, f"patch-{stack}").cells[0] for stack in (ENCODER, DECODER)]


def by_hand(model, src, named):
    """What the page should draw: from the answers of greedy decoding to what each patch restores."""
    net, end = model_of(model.choice), model.vocabulary.end
    answers = []
    for ids in (model.src, src):
        found = greedy_decode(net, torch.tensor([ids]), model.vocabulary.start, 9)[0].tolist()
        answers.append(found if end is None else found[: found.index(end) + 1])
    pair = pair_of(model.src, src, *answers)
    return pair, restored(net, pair, named(model.cfg, ENCODER), named(model.cfg, DECODER))


def test_the_last_word_of_a_pronoun_s_sentence_is_swapped_and_what_restores_the_answer_is_said():
    at = visit({"task": "pronoun-en", **PART}, PAGE)
    assert fine(at)
    model = session_of(at).shown()
    src = (*model.src[:-1], *model.vocabulary.ids(["empty"]))
    pair, found = by_hand(model, src, stream_stages)
    assert model.vocabulary.decode([pair.one, pair.other]) == ["cup", "pitcher"]
    for drawn, shares in zip(cells(at), (found.encoder, found.decoder), strict=True):
        np.testing.assert_allclose(drawn, shares, atol=1e-4)
    said = shown(at)
    assert "was :orange[**full**] → “the cup”" in said and "was :orange[**empty**] → “the pitcher”" in said
    odds = f"there: {found.first:+.1f} nats for the first sentence, {found.second:+.1f} for the second"
    assert odds.replace(" -", " −") in said
    most = [(shares > 0.5).sum() for shares in (found.encoder, found.decoder)]
    assert f"**{sum(most)} of {found.encoder.size + found.decoder.size} vectors** restore more than half" in said
    names = ["embedding", "after layer 0", "after layer 1"]
    for stack, shares in (("encoder", found.encoder), ("decoder", found.decoder)):
        columns = list(figure(at, f"patch-{stack}").columns)
        for name, row in zip(names, shares, strict=True):
            (line,) = re.findall(rf"- {stack} · {name}: (.*)", said)
            best = [place for place in range(len(row)) if row[place] > 0.5]
            assert line.count("%") == max(len(best), 1 if row.max() >= 0.005 else 0)
            for place in best or ([row.argmax()] if row.max() >= 0.005 else []):
                assert f"“{columns[place]}” ({row[place]:.0%})" in line.replace("\\", "")
            assert line.startswith("none") == (not best)


def test_the_answer_with_one_patch_is_that_of_the_patched_model():
    at = visit({"task": "pronoun-en", **PART}, PAGE)
    model = session_of(at).shown()
    src = (*model.src[:-1], *model.vocabulary.ids(["empty"]))
    pair, found = by_hand(model, src, stream_stages)
    last = int(found.encoder[-1].argmax())
    assert (at.selectbox(key="patch_state").value, at.selectbox(key="patch_word").value) == (2, last)
    for vector, place, ends in ((0, 12, "becomes that of the **first**: “the cup”"), (0, 3, "stays: “the pitcher”")):
        assert fine(turn(at, patch_state=vector, patch_word=place))
        share = found.encoder[vector, place]
        assert f"With this patch, {share + 0.0:.0%} of the difference is restored" in shown(at).replace("-0%", "0%")
        assert ends in shown(at)
    assert fine(turn(at, patch_state=4, patch_word=1))
    net = patched(model_of(model.choice), pair, stream_stages(model.cfg, DECODER)[1], 1)
    answer = greedy_decode(net, torch.tensor([src]), 1, 3)[0].tolist()
    said = " ".join(model.vocabulary.decode(answer[1 : answer.index(model.vocabulary.end)]))
    assert re.search(r"the answer to the second sentence (becomes|stays).*“(.*)”", shown(at))[2] == said


def test_what_each_part_adds_is_patched_by_itself():
    at = visit({"task": "pronoun-en", "patched": "output", **PART}, PAGE)
    assert fine(at)
    model = session_of(at).shown()
    src = (*model.src[:-1], *model.vocabulary.ids(["empty"]))
    _pair, found = by_hand(model, src, output_stages)
    for drawn, shares in zip(cells(at), (found.encoder, found.decoder), strict=True):
        np.testing.assert_allclose(drawn, shares, atol=1e-4)
    assert list(figure(at, "patch-decoder").rows)[1] == "layer 0, cross-attention"
    assert {tuple(each.ends.ravel()) for each in matrices(at)} == {tuple(matrices(at)[0].ends.ravel())}, "one scale"


def test_any_word_can_be_swapped_for_one_that_fits_there():
    at = visit({"swap_place": "4", "swap_word": "black", **PART}, PAGE)
    assert fine(at)
    model = session_of(at).shown()
    assert "my red car" in " ".join(model.sentences) and ":orange[**black**] car" in shown(at)
    words = swaps.words_for(model, 4)
    assert {"blue", "black", "small"} <= set(words[:12]) and "red" not in words
    assert fine(turn(at, swap_place=5)) and at.selectbox(key="swap_word").value in swaps.words_for(model, 5)


@pytest.mark.parametrize("task", ["everyday-zh", "pronoun-zh", "small-fr", "copy"])
def test_the_first_swap_changes_the_answer(task):
    model = show_model(of_task(task))
    place = swaps.first_place(model)
    word = swaps.first_word(model, place)
    assert model.vocabulary.decode([model.src[place]]) != [word]
    assert swaps.pair(model, swaps.swapped(model, place, word)) is not None


def test_numbers_are_swapped_for_numbers():
    at = visit({"task": "copy", "numbers": "3 1 2 2 5 4", **PART}, PAGE)
    assert fine(at)
    model = session_of(at).shown()
    assert list(swaps.places(model)) == [1, 2, 3, 4, 5, 6] and model.src[0] == 1
    assert swaps.words_for(model, 6)[:7] == ["5", "6", "7", "8", "9", "10", "1"] and "4" not in swaps.words_for(model, 6)
    assert cells(at)[0].shape == (model.cfg.n_layers + 1, 7)
    np.testing.assert_allclose(cells(at)[0][0], np.eye(7)[6], atol=1e-4)


def test_what_cannot_be_patched_is_said():
    at = open_page(PAGE, {**PART, "cross_attention": "false"}, cross_attention=False)
    assert fine(at) and not figures(at) and "knows nothing of the source" in shown(at)
    at = visit({"task": "copy", "numbers": "1", **PART}, PAGE)
    assert fine(at) and not figures(at) and "type one more" in shown(at)
    at = visit({"task": "copy", "numbers": " ".join("23" * 21), **PART}, PAGE)
    assert fine(at) and not figures(at) and "Up to 40 tokens can be patched" in shown(at)


def test_a_swap_that_changes_nothing_has_nothing_to_restore():
    at = visit({"task": "pronoun-en", "swap_place": "0", "swap_word": "he", **PART}, PAGE)
    assert fine(at) and not figures(at) and "answers both sentences alike" in shown(at)
