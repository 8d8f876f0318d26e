"""Pins: a patch is what the rest of the model makes of the changed tensor, and a patch by a run's own vector is none."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import SRC, config, generator, perturbed_model
from transformer_core import Trace, greedy_decode
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.analysis.patching import (
    LEAST,
    Pair,
    answer,
    output_stages,
    pair_of,
    patch,
    patched,
    restored,
    stream_stages,
)
from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.stages import DECODER, ENCODER

GIVEN = 4


@pytest.fixture(params=["pre", "post"])
def model(request):
    return perturbed_model(config(norm=request.param), 1)


@torch.no_grad()
def a_pair(model, seed=1, place=2):
    """Sources that differ in one place, and the two words between which that makes the greatest difference."""
    cfg = model.cfg
    first = torch.randint(1, cfg.src_vocab, (SRC,), generator=generator(seed)).tolist()
    second = [token % (cfg.src_vocab - 1) + 1 if i == place else token for i, token in enumerate(first)]
    given = torch.randint(1, cfg.tgt_vocab, (GIVEN,), generator=generator(seed + 1)).tolist()
    moved = model(batch(first), batch(given))[0, -1] - model(batch(second), batch(given))[0, -1]
    return Pair(tuple(first), tuple(second), tuple(given), int(moved.argmax()), int(moved.argmin()))


def batch(ids):
    return torch.tensor([ids])


def log_odds(logits, pair):
    probabilities = logits[0, -1].double().softmax(-1)
    return math.log(probabilities[pair.one] / probabilities[pair.other])


def traced(model, src, given):
    with Trace() as trace:
        logits = model(batch(src), batch(given))
    return logits, trace


def states(model, src, given, swap=None):
    """The residual stream of both stacks, written out layer by layer; `swap` (stack, row, place, vector) replaces one vector of
    it, before what follows is computed. The last state of all is the logits."""

    def replaced(stack, row, x):
        if swap is not None and (stack, row) == swap[:2]:
            x = x.clone()
            x[0, swap[2]] = swap[3]
        return x

    src_mask, tgt_mask = model.src_mask(batch(src)), model.tgt_mask(batch(given))
    found = {ENCODER: [replaced(ENCODER, 0, model.src_embedding(batch(src)))]}
    for row, layer in enumerate(model.encoder, 1):
        found[ENCODER].append(replaced(ENCODER, row, layer(found[ENCODER][-1], src_mask)))
    memory = found[ENCODER][-1]
    memory = model.encoder_norm(memory)
    found[DECODER] = [replaced(DECODER, 0, model.tgt_embedding(batch(given)))]
    for row, layer in enumerate(model.decoder, 1):
        found[DECODER].append(replaced(DECODER, row, layer(found[DECODER][-1], memory, src_mask, tgt_mask)))
    return found, model.predict(found[DECODER][-1])


@torch.no_grad()
def test_what_each_patch_restores_is_what_the_rest_of_the_model_makes_of_it(model):
    pair = a_pair(model)
    donor, logits = states(model, pair.first, pair.given)
    first, second = log_odds(logits, pair), log_odds(states(model, pair.second, pair.given)[1], pair)
    found = restored(model, pair, stream_stages(model.cfg, ENCODER), stream_stages(model.cfg, DECODER))
    assert (found.first, found.second) == (pytest.approx(first, abs=1e-5), pytest.approx(second, abs=1e-5))
    assert found.encoder.shape == (3, SRC) and found.decoder.shape == (3, GIVEN) and found.is_measurable
    for stack, shares in ((ENCODER, found.encoder), (DECODER, found.decoder)):
        for row, place in np.ndindex(shares.shape):
            swap = (stack, row, place, donor[stack][row][0, place])
            by_hand = log_odds(states(model, pair.second, pair.given, swap)[1], pair)
            assert shares[row, place] == pytest.approx((by_hand - second) / (first - second), abs=1e-4)
    assert np.unique(found.encoder.round(3)).size > SRC, "the cells differ"


@torch.no_grad()
def test_the_output_of_a_sublayer_is_patched_alone(model):
    """Against a run in which the module's output is replaced by a hook of torch's own."""
    pair = a_pair(model)
    stages = {stack: output_stages(model.cfg, stack) for stack in (ENCODER, DECODER)}
    assert [len(each) for each in stages.values()] == [4, 6]
    found = restored(model, pair, stages[ENCODER], stages[DECODER])
    logits, donor = traced(model, pair.first, pair.given)
    first, second = log_odds(logits, pair), log_odds(model(batch(pair.second), batch(pair.given)), pair)
    for shares, names in ((found.encoder, stages[ENCODER]), (found.decoder, stages[DECODER])):
        for row, place in np.ndindex(shares.shape):

            def hook(_module, _given, out, vector=donor[names[row]][0, place], place=place):
                out = out.clone()
                out[0, place] = vector
                return out

            handle = model.get_submodule(names[row].removesuffix(".output")).register_forward_hook(hook)
            by_hand = log_odds(model(batch(pair.second), batch(pair.given)), pair)
            handle.remove()
            assert shares[row, place] == pytest.approx((by_hand - second) / (first - second), abs=1e-4)


@torch.no_grad()
def test_a_patch_by_its_own_vector_changes_nothing_at_all(model):
    pair = a_pair(model)
    logits, own = traced(model, pair.second, pair.given)
    for stack in (ENCODER, DECODER):
        for stage in (*stream_stages(model.cfg, stack), *output_stages(model.cfg, stack)):
            for place in range(own[stage].size(1)):
                same = IntervenedModel(model, {stage: patch(own[stage][0], [place])})
                assert torch.equal(same(batch(pair.second), batch(pair.given)), logits)
    itself = Pair(pair.first, pair.first, pair.given, pair.one, pair.other)
    found = restored(model, itself, stream_stages(model.cfg, ENCODER), stream_stages(model.cfg, DECODER))
    assert found.first == found.second and not found.is_measurable
    assert np.isnan(found.encoder).all() and np.isnan(found.decoder).all(), "nothing to be divided by"


@torch.no_grad()
def test_a_difference_too_small_to_divide_by_is_said_to_be_none():
    model = perturbed_model(config(norm="pre"), 2)
    pair = a_pair(model, seed=2)
    model.output.weight.mul_(1e-3)
    found = restored(model, pair, stream_stages(model.cfg, ENCODER), [])
    assert 0 < abs(found.first - found.second) < LEAST and not found.is_measurable
    assert np.isnan(found.encoder).all()


@torch.no_grad()
def test_an_answer_is_generated_with_the_patch_in_force(model):
    pairs = (a_pair(model, seed) for seed in range(100))
    pair = next(each for each in pairs if answer(model, each.first, 1, 9) != answer(model, each.second, 1, 9))
    stages = stream_stages(model.cfg, ENCODER)
    whole = patched(model, pair, stages[0], 2)
    for place in (0, 2):  # the swapped word's embedding makes the second sentence the first
        like = pair.first if place == 2 else pair.second
        found = greedy_decode(patched(model, pair, stages[0], place), batch(pair.second), 1, 9)
        assert torch.equal(found, greedy_decode(model, batch(like), 1, 9))
    assert answer(whole, pair.second, 1, 9) == answer(model, pair.first, 1, 9)
    last = patched(model, pair, stream_stages(model.cfg, DECODER)[-1], GIVEN - 1)
    steps = greedy_decode(last, batch(pair.second), pair.given[0], GIVEN)[0]
    own = greedy_decode(model, batch(pair.second), pair.given[0], GIVEN)[0]
    assert steps[:GIVEN].tolist() == own[:GIVEN].tolist(), "what comes before the place is not touched"
    assert steps[GIVEN] == model(batch(pair.first), batch(pair.given))[0, -1].argmax()


@torch.no_grad()
def test_an_answer_ends_with_the_end_token(model):
    source = a_pair(model).first
    whole = greedy_decode(model, batch(source), 1, 9)[0].tolist()
    assert answer(model, source, 1, 9) == tuple(whole)
    end = whole[4]
    assert answer(model, source, 1, 9, end) == tuple(whole[: whole.index(end, 1) + 1])


@torch.no_grad()
def test_a_model_with_cuts_is_patched_as_it_is():
    model = perturbed_model(config(norm="pre"), 3)
    cuts = [HeadCut("encoder", 0, 1), HeadCut("cross", 1, 0)]
    cut, pair = cut_out(model, cuts), a_pair(model, seed=3)
    stage = stream_stages(model.cfg, ENCODER)[1]
    _logits, donor = traced(cut, pair.first, pair.given)
    by_hand = IntervenedModel(cut, {stage: patch(donor[stage][0], [5])})(batch(pair.second), batch(pair.given))
    assert torch.equal(patched(cut, pair, stage, 5)(batch(pair.second), batch(pair.given)), by_hand)

    def one_after_the_other(x):
        return patch(donor[stage][0], [5])(x)

    edits = cut_out(model, cuts)._edits | {stage: one_after_the_other}
    torch.testing.assert_close(by_hand, IntervenedModel(model, edits)(batch(pair.second), batch(pair.given)))
    assert not torch.equal(by_hand, patched(model, pair, stage, 5)(batch(pair.second), batch(pair.given)))


def test_edits_of_one_stage_come_one_after_the_other():
    model, (src, given) = perturbed_model(config(), 4), (batch([3, 1, 4]), batch([1, 5]))
    stage = stream_stages(model.cfg, ENCODER)[0]
    inner = IntervenedModel(model, {stage: lambda x: x + 1})
    with torch.no_grad():
        outer = IntervenedModel(inner, {stage: lambda x: x * 3})(src, given)
        torch.testing.assert_close(outer, IntervenedModel(model, {stage: lambda x: (x + 1) * 3})(src, given))
        assert not torch.equal(outer, IntervenedModel(model, {stage: lambda x: x * 3 + 1})(src, given))


def test_where_two_answers_part():
    found = pair_of((4, 5, 6), (4, 7, 6), (1, 8, 9, 2), (1, 8, 2))
    assert found == Pair((4, 5, 6), (4, 7, 6), (1, 8), 9, 2)
    assert pair_of((4, 5), (4, 6), (1, 8, 2), (1, 8, 2)) is None
    with pytest.raises(ValueError, match="as many tokens, not of 3 and 2"):
        pair_of((4, 5, 6), (4, 7), (1, 8), (1, 9))


@torch.no_grad()
def test_of_a_decoder_alone_two_texts_are_patched():
    model = perturbed_model(config(stacks="decoder"), 1)
    first, second = (1, 5, 7, 3, 9, 4), (1, 5, 8, 3, 9, 4)
    answers = [answer(model, text, 1, 3) for text in (first, second)]
    none = torch.empty(1, 0, dtype=torch.long)
    for text, given in zip((first, second), answers, strict=True):
        assert given == tuple(greedy_decode(model, none, text, 3)[0, len(text) :].tolist()), "what follows, without the text"
    pair = Pair(first, second, (), 2, 3)
    found = restored(model, pair, (), stream_stages(model.cfg, DECODER))
    assert found.encoder.size == 0 and found.decoder.shape == (1 + model.cfg.n_layers, len(first))
    np.testing.assert_allclose(found.decoder[:, :2], 0, atol=1e-4)  # what stands before the swapped word sees nothing of it
    np.testing.assert_allclose([found.decoder[0, 2], found.decoder[-1, -1]], 1, rtol=1e-4)
    last = stream_stages(model.cfg, DECODER)[-1]
    assert answer(patched(model, pair, last, len(first) - 1), second, 1, 1) == answers[0][:1]


def test_texts_part_at_the_first_word_behind_them():
    assert pair_of((1, 5, 7), (1, 6, 7), (4, 2), (9, 2)) == Pair((1, 5, 7), (1, 6, 7), (), 4, 9)
