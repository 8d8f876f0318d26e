"""Pins: divergences are numpy's sums, an answer's is that of its steps, and the truth is sampled as a model is."""

import itertools

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core.analysis import answer_distribution
from transformer_core.analysis.answer_distribution import (
    Kept,
    answer_kl,
    answer_log_probabilities,
    divergence,
    kept,
    sampled_truth,
    word_probabilities,
)
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.model.decoding import Sampling, sampling_probabilities

WORDS = Vocabulary(("<pad>", "<start>", "<end>", "<unk>", *"abcdefghijklm"), 0, 1, 2, 3)
SOURCE = ("a", "b", "k")
ANSWERS = {("e", "f"): 0.5, ("e", "g", "f"): 0.3, ("h",): 0.2}


@pytest.fixture(scope="module")
def model():
    return perturbed_model(config(src_vocab=17), seed=4).double()


def logs_of(model, given):
    """The log-probabilities of the next word, from a whole pass of their own."""
    with torch.no_grad():
        logits = model(torch.tensor([WORDS.ids(SOURCE)]), torch.tensor([given]))[0, -1].numpy()
    return logits - np.log(np.exp(logits).sum())


def by_steps(model, words):
    given, total = [WORDS.start], 0.0
    for token in [*WORDS.ids(words), WORDS.end]:
        total += logs_of(model, given)[token]
        given.append(token)
    return total


def test_a_divergence_is_the_sum_over_what_is_true():
    p, q = np.array([0.5, 0.25, 0.25, 0.0]), np.array([0.25, 0.5, 0.125, 0.125])
    assert divergence(p, np.log(q)) == pytest.approx(0.5 * np.log(2) - 0.25 * np.log(2) + 0.25 * np.log(2), abs=1e-15)
    assert divergence(p, np.log(np.where(p > 0, p, 1))) == 0
    with np.errstate(divide="ignore"):
        assert divergence(p, np.log(np.array([0.5, 0.5, 0, 0]))) == np.inf


def test_of_the_next_word(model):
    words, logs = {"e": 0.8, "<end>": 0.2}, logs_of(model, [WORDS.start])
    truth = word_probabilities(words, WORDS)
    assert truth.shape == (17,) and truth.sum() == 1
    assert (truth[WORDS.ids(["e"])[0]], truth[WORDS.end]) == (0.8, 0.2)
    e = WORDS.ids("e")[0]
    expected = 0.8 * (np.log(0.8) - logs[e]) + 0.2 * (np.log(0.2) - logs[WORDS.end])
    assert divergence(truth, logs) == pytest.approx(expected, rel=1e-12)


def test_of_whole_answers_it_is_that_of_the_steps(model):
    expected = sum(p * (np.log(p) - by_steps(model, words)) for words, p in ANSWERS.items())
    assert answer_kl(model, WORDS, SOURCE, ANSWERS) == pytest.approx(expected, rel=1e-10)

    total = 0.0  # the chain rule: every true beginning, with its probability, adds the divergence of its next word
    for beginning in {words[:n] for words in ANSWERS for n in range(len(words) + 1)}:
        following = {words: p for words, p in ANSWERS.items() if words[: len(beginning)] == beginning}
        mass, nexts = sum(following.values()), {}
        for words, p in following.items():
            word = (*words, "<end>")[len(beginning)]
            nexts[word] = nexts.get(word, 0) + p / mass
        logs = logs_of(model, [WORDS.start, *WORDS.ids(beginning)])
        total += mass * divergence(word_probabilities(nexts, WORDS), logs)
    assert total == pytest.approx(expected, rel=1e-10)


def test_answers_of_all_lengths_in_passes_of_any_size(model, monkeypatch):
    answers = [WORDS.ids(words) for words in ("gab", "m", "abcdef", "hh", "cab")]
    asked = model, WORDS.ids(SOURCE), WORDS.start, [[*ids, WORDS.end] for ids in answers]
    expected = [by_steps(model, WORDS.decode(ids)) for ids in answers]
    np.testing.assert_allclose(answer_log_probabilities(*asked), expected, rtol=1e-10)
    monkeypatch.setattr(answer_distribution, "_ROWS", 2)
    np.testing.assert_allclose(answer_log_probabilities(*asked), expected, rtol=1e-10)


@torch.no_grad()
def test_answers_behind_a_beginning():
    """A decoder alone reads the beginning and no source."""
    alone = perturbed_model(config(stacks="decoder"), 3).double()
    beginning, answers, most = [3, 5, 9], [[4, 6], [2], [7, 7, 8, 1]], Sampling(2.0, top_k=9)
    expected, sampled = [], []
    for answer in answers:
        logits = alone(torch.empty(1, 0, dtype=torch.long), torch.tensor([[*beginning, *answer[:-1]]]))[0, 2:]
        expected.append(sum(float(row.log_softmax(-1)[token]) for row, token in zip(logits, answer, strict=True)))
        logits[:, 0] = -torch.inf
        chances = [sampling_probabilities(row[None], most)[0, token] for row, token in zip(logits, answer, strict=True)]
        sampled.append(float(torch.stack(chances).log().sum()))
    np.testing.assert_allclose(answer_log_probabilities(alone, [], beginning, answers), expected, rtol=1e-10)
    np.testing.assert_allclose(answer_log_probabilities(alone, [], beginning, answers, most), sampled, rtol=1e-10)


def test_by_what_is_left_to_be_sampled_all_answers_together_have_a_probability_of_1(model):
    two, most = Sampling(0.7, top_k=2), 3
    tokens = range(17)
    drawn = [(WORDS.end,)]
    drawn += [(a, WORDS.end) for a in tokens if a != WORDS.end]
    drawn += [ids for ids in itertools.product(tokens, repeat=most) if WORDS.end not in ids[:2]]
    logs = answer_log_probabilities(model, WORDS.ids(SOURCE), WORDS.start, drawn, two)
    assert np.exp(logs).sum() == pytest.approx(1, rel=1e-10)
    assert 0 < np.isfinite(logs).sum() <= 2**most, "of two tokens at each step"


def test_the_truth_is_sampled_as_a_model_is():
    truth = np.array([0.0, 0.4, 0.1, 0.3, 0.2])
    np.testing.assert_allclose(sampled_truth(truth, Sampling()), truth, atol=1e-15)
    np.testing.assert_allclose(sampled_truth(truth, Sampling(0.5)), truth**2 / (truth**2).sum(), atol=1e-12)
    np.testing.assert_allclose(sampled_truth(truth, Sampling(top_k=2)), [0, 4 / 7, 0, 3 / 7, 0], atol=1e-12)
    np.testing.assert_allclose(sampled_truth(truth, Sampling(top_p=0.8)), [0, 4 / 9, 0, 3 / 9, 2 / 9], atol=1e-12)
    assert sampled_truth(truth, Sampling(3.0))[0] == 0, "what is wrong stays so at every temperature"


def test_what_sampling_keeps():
    truth, own = np.array([0.6, 0.3, 0.1, 0.0]), np.array([0.5, 0.0, 0.25, 0.25])
    assert kept(truth, own) == Kept(0.75, 0.6 + 0.1)
