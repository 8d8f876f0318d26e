"""Pins: greedy decoding is what a slow loop over whole forward passes gives, one sequence at a time; drawing is what numpy
makes of the same logits; a beam is what trying all answers gives.
"""

import itertools
import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import BATCH, config, generator, perturbed_model, token_ids
from transformer_core import greedy_decode
from transformer_core.analysis.answer_distribution import answer_log_probabilities
from transformer_core.analysis.beam_tree import pruned
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.model.beam_search import beam_decode, beam_search
from transformer_core.model.decoding import (
    Sampling,
    _draw,
    decode_steps,
    draw_answers,
    sampling_probabilities,
)
from transformer_core.training.evaluation import decode_from_guess

STEPS = 6
BEGINNING = (3, 5, 9, 4)  # the start token, and what somebody else has said


def by_loop(model, src, start_id, steps):
    """Each sequence alone, without its padding, the whole model run again for every token."""
    rows, tables = [], []
    for ids in src:
        ids = ids[ids != model.cfg.pad_id][None]
        tokens, table = [start_id], []
        for _ in range(steps):
            with torch.no_grad():
                logits = model(ids, torch.tensor([tokens]))[0, -1]
            table.append(logits.exp() / logits.exp().sum())
            tokens.append(max(range(len(logits)), key=lambda i: logits[i].item()))
        rows.append(tokens)
        tables.append(torch.stack(table))
    return torch.tensor(rows), torch.stack(tables)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("stacks", "seed"), [("both", 1), ("decoder", 9)])
def test_against_a_slow_loop(norm, causal, stacks, seed):
    model = lively(config(norm=norm, causal=causal, stacks=stacks), seed)
    src, _ = token_ids(model.cfg, batch=5)
    expected, probabilities = by_loop(model, src, 3, STEPS)
    said = expected[:, 1:]
    assert len(said.unique()) > (3 if stacks == "both" else 2), "a model that always says the same would show nothing"
    assert (said != said[:, :1]).any()
    assert torch.equal(greedy_decode(model, src, 3, STEPS), expected)
    steps = list(decode_steps(model, src, 3, STEPS))
    assert len(steps) == STEPS
    for i, step in enumerate(steps):
        assert torch.equal(step.tokens, expected[:, : i + 2])
        torch.testing.assert_close(step.probabilities, probabilities[:, i], rtol=0, atol=1e-10)
        assert torch.equal(step.probabilities.argmax(-1), step.tokens[:, -1])


def test_steps_come_one_at_a_time_and_gradients_stay_on_between_them():
    model = perturbed_model(config())
    src, _ = token_ids(model.cfg)
    steps = decode_steps(model, src, 3, STEPS)
    first = next(steps)
    assert first.tokens[:, 0].tolist() == [3, 3]
    assert first.tokens.shape == (BATCH, 2)
    assert torch.is_grad_enabled()
    assert next(steps).tokens.shape == (BATCH, 3)


def test_more_steps_than_positions_are_refused():
    model = perturbed_model(config(max_len=8))
    src, _ = token_ids(model.cfg)
    assert greedy_decode(model, src, 3, 8).shape == (BATCH, 9)
    with pytest.raises(ValueError, match="a sequence of 9 tokens is longer than max_len 8"):
        greedy_decode(model, src, 3, 9)
    assert greedy_decode(model, src, BEGINNING, 5).shape == (BATCH, 9)
    with pytest.raises(ValueError, match="a sequence of 9 tokens is longer than max_len 8"):
        greedy_decode(model, src, BEGINNING, 6)


ALONE = {"stacks": "decoder"}
BEGUN = [{}, ALONE, ALONE | {"causal": False}, ALONE | {"norm": "pre", "position": "learned"}]


@pytest.mark.parametrize("is_cut", [False, True])
@pytest.mark.parametrize("changes", BEGUN, ids=str)
def test_what_follows_a_beginning_is_what_follows_the_same_tokens_forced(changes, is_cut):
    model = lively(config(**changes))
    model = cut_out(model, [HeadCut("decoder", 0, 1)]) if is_cut else model
    src, _ = token_ids(model.cfg)
    forced = list(decode_steps(model, src, 3, STEPS, forced=dict(enumerate(BEGINNING[1:]))))[3:]
    begun = list(decode_steps(model, src, BEGINNING, STEPS - 3))
    for one, other in zip(begun, forced, strict=True):
        assert torch.equal(one.tokens, other.tokens)
        torch.testing.assert_close(one.logits, other.logits, rtol=0, atol=1e-10)
        with torch.no_grad():
            torch.testing.assert_close(one.logits, model(src, one.tokens[:, :-1])[:, -1], rtol=0, atol=1e-10)
    assert torch.equal(greedy_decode(model, src, BEGINNING, STEPS - 3), begun[-1].tokens)


def test_what_is_drawn_behind_a_beginning_is_what_is_drawn_behind_the_same_tokens_forced():
    model = lively(config(**ALONE))
    src, _ = token_ids(model.cfg, batch=9)
    draws = generator(5)
    for _ in BEGINNING[1:]:  # a number is drawn for each that is forced
        torch.rand(9, 1, generator=draws, dtype=torch.float64)
    *_, begun = decode_steps(model, src, BEGINNING, STEPS, sampling=Sampling(2.0), generator=draws)
    given = {"sampling": Sampling(2.0), "generator": generator(5), "forced": dict(enumerate(BEGINNING[1:]))}
    *_, forced = decode_steps(model, src, 3, STEPS + 3, **given)
    assert torch.equal(begun.tokens, forced.tokens) and len({tuple(row) for row in begun.tokens.tolist()}) > 3


@pytest.mark.parametrize(("causal", "passes"), [(True, [4, 1, 1]), (False, [4, 5, 6])])
def test_a_beginning_is_read_in_one_pass(causal, passes):
    model, read = perturbed_model(config(causal=causal, **ALONE)), []
    model.tgt_embedding.register_forward_pre_hook(lambda _, given: read.append(given[0].size(1)))
    list(decode_steps(model, torch.empty(1, 0, dtype=torch.long), BEGINNING, 3))
    assert read == passes


def lively(cfg, seed=1):
    """A model in float64 whose answers depend on what went in, and which does not say padding."""
    model = perturbed_model(cfg, seed=seed).double()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "attn.w_" in name:
                parameter *= 4
        model.output.bias.zero_()
        model.output.bias[cfg.pad_id] = -100.0
    return model


def small(vocab=4, **changes):
    """So few tokens that all answers can be tried."""
    model = lively(config(tgt_vocab=vocab, **changes), seed=2)
    return model, token_ids(model.cfg, batch=1)[0]


def np_softmax(logits):
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def support(chances):
    return [set(np.flatnonzero(row).tolist()) for row in np.asarray(chances)]


@pytest.mark.teaches(point="A13")
def test_probabilities_and_their_logs_follow_from_the_logits():
    model = lively(config())
    src, _ = token_ids(model.cfg)
    for step in decode_steps(model, src, 3, STEPS):
        expected = np_softmax(step.logits.numpy())
        np.testing.assert_allclose(step.probabilities.numpy(), expected, rtol=1e-12)
        np.testing.assert_allclose(step.log_probabilities.numpy(), np.log(expected), rtol=1e-9)
        chances = step.sampling_probabilities.numpy()
        assert (chances.sum(axis=1) == 1).all() and (chances.max(axis=1) == 1).all()
        assert (chances.argmax(axis=1) == expected.argmax(axis=1)).all()


@pytest.mark.teaches(point="A12")
def test_in_use_the_decoder_reads_what_it_has_said_and_nothing_else():
    """The logits of a step are those of one teacher-forced pass whose target is what was said."""
    model = lively(config())
    src, _ = token_ids(model.cfg)
    steps = list(decode_steps(model, src, 3, STEPS, sampling=Sampling(2.0), generator=generator(5)))
    said = steps[-1].tokens
    assert len(said.unique()) > 4
    with torch.no_grad():
        at_once = model(src, said[:, :-1])
    for i, step in enumerate(steps):
        torch.testing.assert_close(step.logits, at_once[:, i], rtol=0, atol=1e-10)
        assert torch.equal(step.tokens, said[:, : i + 2])


@pytest.mark.teaches(point="A13")
@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.5])
def test_temperature_is_a_softmax_of_the_divided_logits(temperature):
    logits = np.random.default_rng(1).normal(size=(2, 17)) * 3
    found = sampling_probabilities(torch.tensor(logits), Sampling(temperature)).numpy()
    np.testing.assert_allclose(found, np_softmax(logits / temperature), rtol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 7, 17])
def test_top_k_keeps_the_k_most_probable_in_their_proportions(k):
    logits = np.random.default_rng(2).normal(size=(3, 17))
    found = sampling_probabilities(torch.tensor(logits), Sampling(1.5, top_k=k)).numpy()
    whole = np_softmax(logits / 1.5)
    for row, own in zip(found, whole, strict=True):
        best = np.argsort(-own)[:k]
        assert set(np.flatnonzero(row)) == set(best)
        np.testing.assert_allclose(row[best], own[best] / own[best].sum(), rtol=1e-12)


@pytest.mark.parametrize("p", [1e-15, 0.2, 0.55, 0.9, 0.999, 1.0])
def test_top_p_keeps_as_few_as_reach_the_share(p):
    logits = np.random.default_rng(3).normal(size=(3, 17)) * 2
    found = sampling_probabilities(torch.tensor(logits), Sampling(top_p=p)).numpy()
    for row, own in zip(found, np_softmax(logits), strict=True):
        order = np.argsort(-own).tolist()
        few = next(n for n in range(1, 18) if own[order[:n]].sum() >= p or n == 17)
        assert set(np.flatnonzero(row)) == set(order[:few])
        np.testing.assert_allclose(row[order[:few]], own[order[:few]] / own[order[:few]].sum(), rtol=1e-12)


def test_top_p_counts_what_top_k_has_left_and_a_share_that_is_just_reached_is_enough():
    logits = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64).log()
    assert support(sampling_probabilities(logits, Sampling(top_p=0.7))) == [{0, 1}]
    assert support(sampling_probabilities(logits, Sampling(top_p=0.71))) == [{0, 1, 2}]
    assert support(sampling_probabilities(logits, Sampling(top_k=2, top_p=0.57))) == [{0}]  # 4/7 of what is left
    assert support(sampling_probabilities(logits, Sampling(top_k=2, top_p=0.58))) == [{0, 1}]
    even = torch.zeros(1, 5)
    assert support(sampling_probabilities(even, Sampling(top_k=2))) == [{0, 1}]
    assert support(sampling_probabilities(even, Sampling(top_p=0.6))) == [{0, 1, 2}]


def test_the_same_seed_says_the_same_and_draws_follow_the_chances():
    model = lively(config())
    src = token_ids(model.cfg, batch=1)[0].expand(1000, -1)
    first, again, other = (
        next(decode_steps(model, src, 3, 1, sampling=Sampling(2.0, top_k=5), generator=generator(seed))) for seed in (1, 1, 2)
    )
    assert torch.equal(first.tokens, again.tokens)
    assert not torch.equal(first.tokens, other.tokens)
    chances = first.sampling_probabilities[0].numpy()
    counts = np.bincount(first.tokens[:, 1].numpy(), minlength=17)
    assert not counts[chances == 0].any()
    spread = np.sqrt(1000 * chances * (1 - chances))
    assert (abs(counts - 1000 * chances) <= 5 * spread).all()


def test_a_draw_is_the_stretch_that_the_lucky_number_falls_into():
    chances = torch.tensor([[0.0, 0.25, 0.0, 0.75, 0.0]], dtype=torch.float64)
    draws = {
        luck: int(_draw(chances, torch.tensor([[luck]], dtype=torch.float64)))
        for luck in (0.0, 0.2499, 0.25, 0.9, 1 - 2**-53, 1.0)
    }
    assert draws == {0.0: 1, 0.2499: 1, 0.25: 3, 0.9: 3, 1 - 2**-53: 3, 1.0: 3}


@pytest.mark.parametrize("end_id", [None, 4])
@pytest.mark.parametrize("changes", [{}, {"causal": False}, {"cross_attention": False}, ALONE])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0.3, top_k=3), Sampling(4.0, top_p=0.8)], ids=str)
@pytest.mark.parametrize("start", [3, BEGINNING])
def test_answers_drawn_together_are_those_of_as_many_copies_of_the_source(changes, sampling, end_id, start):
    model = perturbed_model(config(**changes), seed=3)
    src = token_ids(model.cfg)[0][:1]
    given = {"sampling": sampling, "end_id": end_id}
    *_, last = decode_steps(model, src.expand(50, -1), start, STEPS, generator=generator(7), **given)
    found = draw_answers(model, src, start, STEPS, 50, sampling, generator(7), end_id)
    assert found.tolist() == last.tokens[:, 1 if start == 3 else 4 :].tolist()
    assert len(set(map(tuple, found.tolist()))) > 1


def test_what_begins_in_the_same_way_is_read_once(monkeypatch):
    model, read = perturbed_model(config()), []
    monkeypatch.setattr(model, "predict", lambda x, given=model.predict: (read.append(len(x)), given(x))[1])
    found = draw_answers(model, torch.tensor([[5, 6]]), 3, 4, 100, Sampling(), generator(1)).tolist()
    assert read == [len({tuple(row[:n]) for row in found}) for n in range(4)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"src": torch.ones(2, 3, dtype=torch.long)}, "one sequence"),
        ({"steps": 0}, "at least 1 step"),
        ({"sampling": Sampling(top_k=18)}, "top_k 18"),
        ({"start": 17}, "start token 17"),
        ({"start": (3, 17)}, "start token 17"),
        ({"start": ()}, "begins with a start token; give one"),
        ({"end_id": 99}, "end token 99"),
    ],
    ids=str,
)
def test_answers_that_cannot_be_drawn_are_refused(changes, words):
    given = {"src": torch.tensor([[5]]), "start": 3, "steps": 2, "count": 3, "sampling": Sampling(), "end_id": 4}
    with pytest.raises(ValueError, match=words):
        draw_answers(perturbed_model(config()), **given | changes, generator=generator(0))


def test_a_model_that_draws_never_touches_the_global_generator():
    model = lively(config())
    before = torch.random.get_rng_state()
    list(decode_steps(model, token_ids(model.cfg)[0], 3, 3, sampling=Sampling(), generator=generator(1)))
    assert torch.equal(before, torch.random.get_rng_state())


def test_forced_tokens_are_said_and_what_follows_reads_them():
    model = lively(config())
    src, _ = token_ids(model.cfg)
    free = list(decode_steps(model, src, 3, STEPS))
    steps = list(decode_steps(model, src, 3, STEPS, forced={1: 9, 3: 4}))
    assert [step.forced for step in steps] == [False, True, False, True, False, False]
    said = steps[-1].tokens
    assert said[:, 2].tolist() == [9, 9] and said[:, 4].tolist() == [4, 4]
    assert torch.equal(said[:, :2], free[-1].tokens[:, :2])
    torch.testing.assert_close(steps[1].logits, free[1].logits)  # the model's own opinion is still told
    with torch.no_grad():
        at_once = model(src, said[:, :-1])
    torch.testing.assert_close(torch.stack([step.logits for step in steps], 1), at_once, rtol=0, atol=1e-10)
    assert not torch.allclose(steps[2].logits, free[2].logits)


def test_forcing_what_would_have_been_drawn_changes_nothing():
    model = lively(config())
    src = token_ids(model.cfg, batch=1)[0]
    draw = {"sampling": Sampling(3.0), "end_id": None}
    free = list(decode_steps(model, src, 3, STEPS, generator=generator(4), **draw))[-1].tokens
    held = list(decode_steps(model, src, 3, STEPS, generator=generator(4), forced={2: int(free[0, 3])}, **draw))[-1].tokens
    assert torch.equal(free, held)


def test_an_end_token_ends_each_sequence_and_then_all():
    model = lively(config())
    src, _ = token_ids(model.cfg)
    steps = list(decode_steps(model, src, 3, 9, end_id=9, forced={2: 9}))
    assert len(steps) == 3
    model = lively(config(), seed=3)
    src = token_ids(model.cfg, batch=6, seed=3)[0]
    free = greedy_decode(model, src, 3, 9)[:, 1:]
    end = next(t for t in free.unique().tolist() if len({*((row == t).nonzero()[:1].sum().item() for row in free)}) > 1)
    steps = list(decode_steps(model, src, 3, 9, end_id=end))
    said = steps[-1].tokens[:, 1:]
    for mine, whole in zip(said, free, strict=True):
        until = int((whole == end).nonzero()[0]) + 1 if (whole == end).any() else len(mine)
        assert torch.equal(mine[:until], whole[: len(mine)][:until])
        assert (mine[until:] == model.cfg.pad_id).all()
    longest = max(int((row == end).nonzero()[0]) + 1 if (row == end).any() else 9 for row in free)
    assert len(steps) == longest


REFUSED = {
    "no steps": ({"steps": 0}, "at least 1 step, not 0"),
    "less than none": ({"steps": -1}, "at least 1 step, not -1"),
    "no generator": ({"sampling": Sampling()}, "needs a generator"),
    "too large a k": (
        {"sampling": Sampling(top_k=18), "generator": generator(0)},
        "top_k 18 is larger than the vocabulary; choose at most 17",
    ),
    "a late token": ({"forced": {6: 1}}, "forced at step 6; choose one of the steps 0 to 5"),
    "an early token": ({"forced": {-1: 1}}, "forced at step -1; choose one of the steps 0 to 5"),
    "an unknown token": ({"forced": {0: 17}}, "the forced token 17 is not among the 17 tokens of the vocabulary, 0 to 16"),
    "an unknown start": ({"start": -1}, "the start token -1"),
    "an unknown token at the start": ({"start": [3, -1]}, "the start token -1"),
    "no start": ({"start": []}, "begins with a start token; give one"),
    "an unknown end": ({"end_id": 99}, "the end token 99"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_decoded_is_refused_at_once_with_the_numbers(case):
    changes, words = REFUSED[case]
    model = perturbed_model(config())
    with pytest.raises(ValueError, match=words):
        decode_steps(model, token_ids(model.cfg)[0], **{"start": 3, "steps": 6} | changes)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"temperature": 0.0}, "above 0 and finite, not 0.0"),
        ({"temperature": float("nan")}, "finite, not nan"),
        ({"temperature": float("inf")}, "finite, not inf"),
        ({"top_k": 0}, "top_k must be at least 1, not 0"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1, not 0.0"),
        ({"top_p": 1.01}, "at most 1, not 1.01"),
        ({"top_p": float("nan")}, "not nan"),
    ],
    ids=str,
)
def test_a_sampling_that_cannot_be_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Sampling(**wrong)


def every_answer(model, src, beginning, steps, end_id=None):
    """Every answer there is with the sum of its log-probabilities, each by a whole pass."""
    said = [token for token in range(model.cfg.tgt_vocab) if token != model.cfg.pad_id]
    every = list(itertools.product(said, repeat=steps))
    with torch.no_grad():
        logits = model(src.expand(len(every), -1), torch.tensor([[*beginning, *said[:-1]] for said in every])).numpy()
        logits = logits[:, len(beginning) - 1 :]
    answers = {}
    for said, own in zip(every, logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True)), strict=True):
        said = said[: said.index(end_id) + 1] if end_id in said else said
        answers[said] = float(own[np.arange(len(said)), said].sum())
    return answers


@pytest.mark.parametrize("end_id", [None, 2])
@pytest.mark.parametrize("penalty", [0.0, 0.6])
@pytest.mark.parametrize(("changes", "start"), [({}, (1,)), ({}, (1, 3, 2)), (ALONE, (1,)), (ALONE, (1, 3, 1))])
def test_a_beam_as_wide_as_all_answers_finds_them_all(end_id, penalty, changes, start):
    model, src = small(**changes)
    found = beam_search(model, src, start, 4, 4**4, end_id=end_id, penalty=penalty)
    expected = every_answer(model, src, start, 4, end_id)
    scores = {answer.tokens: answer.score for answer in found.hypotheses}
    assert scores == pytest.approx(expected, abs=1e-9)
    for answer in found.hypotheses:
        assert answer.normalised == pytest.approx(answer.score / ((5 + len(answer.tokens)) / 6) ** penalty)
        assert answer.ended == (answer.tokens[-1] == end_id)
    order = [answer.normalised for answer in found.hypotheses]
    assert order == sorted(order, reverse=True)
    assert found.hypotheses[0].score == pytest.approx(max(expected.values())) or penalty
    assert sum(math.exp(score) for score in scores.values()) == pytest.approx(1)
    assert all(level.kept.all() for level in found.levels)


@pytest.mark.parametrize("end_id", [None, 2])
def test_padding_is_never_said_however_probable_it_is(end_id):
    model = lively(config())
    pad = model.cfg.pad_id
    with torch.no_grad():
        model.output.bias[pad] = 100.0
    src = token_ids(model.cfg, batch=3, seed=6)[0]
    sampling = Sampling(temperature=2.0, top_k=3)
    for given in ({}, {"sampling": sampling, "generator": generator(1)}):
        *_, last = decode_steps(model, src, 3, STEPS, **given)
        assert last.probabilities[:, pad].min() > 0.99, "it is what the model finds most probable"
        assert (last.sampling_probabilities[:, pad] == 0).all() and not (last.tokens == pad).any()
    greedy = greedy_decode(model, src, 3, STEPS)
    guess = torch.full_like(greedy[:, 1:], pad)
    assert torch.equal(decode_from_guess(model, guess, 3, model.encode(src, model.src_mask(src)), model.src_mask(src)), greedy)
    drawn = draw_answers(model, src[:1], 3, STEPS, 20, sampling, generator(2))
    assert not (drawn == pad).any()
    own = answer_log_probabilities(model, src[0].tolist(), 3, drawn.tolist(), sampling)
    assert np.isfinite(own).all(), "what was drawn has a probability"
    found = beam_search(model, src[:1], 3, STEPS, 4, end_id=end_id)
    assert not any(pad in answer.tokens for answer in found.hypotheses) and found.hypotheses
    assert all(pad not in level.token for level in found.levels)
    for answers in beam_decode(model, src, 3, STEPS, 4, 2):
        assert not any(pad in tokens for tokens, _score in answers)


@pytest.mark.parametrize(("width", "end_id"), [(1, None), (2, None), (3, None), (9, None), (3, 2)])
def test_a_beam_keeps_the_best_continuations_of_what_it_kept(width, end_id):
    """Step by step against a plain loop on whole answers."""
    model, src = small(vocab=6)
    found = beam_search(model, src, 1, 5, width, end_id=end_id)
    open_answers, room, finished = {(): 0.0}, width, {}
    for level in found.levels:
        candidates = {}
        for said in open_answers:
            with torch.no_grad():
                logits = model(src, torch.tensor([[1, *said]]))[0, -1].numpy()
            own = logits - np.log(np.exp(logits).sum())
            candidates |= {(*said, token): open_answers[said] + own[token] for token in range(6) if token != model.cfg.pad_id}
        assert len(level.token) == len(candidates)
        np.testing.assert_allclose(np.sort(level.score), np.sort(list(candidates.values())), atol=1e-9)
        best = dict(sorted(candidates.items(), key=lambda pair: -pair[1])[:room])
        assert sorted(level.token[level.kept]) == sorted(said[-1] for said in best)
        np.testing.assert_allclose(np.sort(level.score[level.kept]), np.sort(list(best.values())), atol=1e-9)
        finished |= {said: score for said, score in best.items() if said[-1] == end_id}
        open_answers = {said: score for said, score in best.items() if said[-1] != end_id}
        room -= sum(said[-1] == end_id for said in best)
    assert {a.tokens: a.score for a in found.hypotheses} == pytest.approx(finished | open_answers, abs=1e-9)
    assert len(found.hypotheses) == width
    greedy = greedy_decode(model, src, 1, 5)[0, 1:].tolist()
    assert width > 1 or [*found.hypotheses[0].tokens] == greedy


@pytest.mark.parametrize("end_id", [None, 2])
def test_the_tree_hangs_together(end_id):
    model, src = small(vocab=6)
    found = beam_search(model, src, 1, 5, 3, end_id=end_id)
    before = None
    for level in found.levels:
        held = np.zeros(len(level.token)) if before is None else before.score[level.parent]
        np.testing.assert_allclose(level.score, held + level.log_probability, atol=1e-12)
        if before is not None:
            assert before.kept[level.parent].all() and not before.ended[level.parent].any()
        assert np.array_equal(level.ended, level.token == end_id)
        assert level.score[level.kept].min() >= level.score[~level.kept].max()
        before = level
    for answer in found.hypotheses:
        for i, place in enumerate(answer.path):
            level = found.levels[i]
            assert level.kept[place] and level.token[place] == answer.tokens[i]
            assert i == 0 or level.parent[place] == answer.path[i - 1]
        assert found.levels[len(answer.path) - 1].score[answer.path[-1]] == answer.score


@pytest.mark.parametrize(("width", "start"), [(1, 3), (2, 3), (4, 3), (2, BEGINNING), (4, BEGINNING)])
def test_beams_of_many_sources_at_once_find_what_each_finds_alone(width, start):
    """Sources of several lengths; some answers end early, some not at all."""
    model = lively(config(), seed=5)
    with torch.no_grad():
        model.output.bias[2] += 0.7  # the end comes soon, but not at once
    src, _ = token_ids(model.cfg, batch=12)
    src[:4, 4:] = model.cfg.pad_id
    found = beam_decode(model, src, start, STEPS, width, 2)
    counts = set()
    for ids, answers in zip(src, found, strict=True):
        alone = beam_search(model, ids[ids != model.cfg.pad_id][None], start, STEPS, width, end_id=2).hypotheses
        ended = [answer for answer in alone if answer.ended]
        assert [tokens for tokens, _ in answers] == [answer.tokens[:-1] for answer in ended]
        assert [score for _, score in answers] == pytest.approx([answer.score for answer in ended])
        counts.add(len(answers))
    assert len(counts) > 1 and max(counts) > 0


@pytest.mark.parametrize("dropped", [0, 2, 99])
def test_a_pruned_tree_is_the_same_tree_with_less_that_was_dropped(dropped):
    model, src = small(vocab=6)
    whole = beam_search(model, src, 1, 5, 3, end_id=2)
    few = pruned(whole, dropped)
    for level, full in zip(few.levels, whole.levels, strict=True):
        assert (~level.kept).sum() == min(dropped, (~full.kept).sum())
        for name in ("token", "log_probability", "score", "ended"):
            np.testing.assert_array_equal(getattr(level, name)[level.kept], getattr(full, name)[full.kept])
        best_lost = np.sort(full.score[~full.kept])[::-1][:dropped]
        np.testing.assert_array_equal(np.sort(level.score[~level.kept])[::-1], best_lost)
    for i, level in enumerate(few.levels):
        above = np.zeros(len(level.score)) if i == 0 else few.levels[i - 1].score[level.parent]
        np.testing.assert_allclose(level.score, above + level.log_probability, atol=1e-12)
    for found, full in zip(few.hypotheses, whole.hypotheses, strict=True):
        assert (found.tokens, found.score) == (full.tokens, full.score)
        said = tuple(int(few.levels[i].token[place]) for i, place in enumerate(found.path))
        assert said == found.tokens


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 0}, "at least 1 wide, not 0"),
        ({"steps": -2}, "at least 1 step, not -2"),
        ({"penalty": -0.5}, "at least 0 and finite, not -0.5"),
        ({"penalty": float("nan")}, "finite, not nan"),
        ({"end_id": 17}, "the end token 17 is not among the 17 tokens"),
        ({"start": 40}, "the start token 40"),
    ],
    ids=str,
)
def test_a_beam_that_cannot_be_is_refused(changes, words):
    model = perturbed_model(config())
    src = token_ids(model.cfg, batch=1)[0]
    with pytest.raises(ValueError, match=words):
        beam_search(model, src, **{"start": 3, "steps": 4, "width": 2} | changes)
    with pytest.raises(ValueError, match=r"takes one sequence, of shape \(1, src\), not \(2, 7\)"):
        beam_search(model, token_ids(model.cfg)[0], 3, 4, 2)
