"""A model's probabilities of words and of whole answers beside those of a language in which several answers are right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from transformer_core.data.batch import padded_rows
from transformer_core.data.vocabulary import Vocabulary, end_of
from transformer_core.model.decoding import Sampling, Start, beginning_of, sampling_probabilities, without_padding
from transformer_core.model.transformer import Transformer

_ROWS = 256  # answers per pass: of some sentences there are thousands


def divergence(truth: np.ndarray, log_probabilities: np.ndarray) -> float:
    """The Kullback-Leibler divergence KL(truth ‖ model) = Σ p (log p - log q), in nats: 0 only where both are the same.

    Shape: both (outcome,); outcomes of which `truth` is 0 add nothing.
    """
    there = truth > 0
    p = truth[there].astype(np.float64)
    return float(np.sum(p * (np.log(p) - log_probabilities[there])))


def word_probabilities(words: Mapping[str, float], vocabulary: Vocabulary) -> np.ndarray:
    """Shape: -> (vocab,), float64; 0 for words that are not among them"""
    probabilities = np.zeros(len(vocabulary))
    probabilities[vocabulary.ids(words)] = list(words.values())
    return probabilities


def answer_kl(
    model: Transformer, vocabulary: Vocabulary, source: Sequence[str], answers: Mapping[tuple[str, ...], float]
) -> float:
    """KL(truth ‖ model) of whole answers, in nats: the divergences of the next word after every true beginning, each times the
    true probability of that beginning, added up.

    Args:
        answers: the true probabilities of all right answers, without the end token.
    """
    ends = [(*vocabulary.ids(answer), end_of(vocabulary)) for answer in answers]
    own = answer_log_probabilities(model, vocabulary.ids(source), vocabulary.start, ends)
    return divergence(np.array(list(answers.values())), own)


@torch.no_grad()
def answer_log_probabilities(
    model: Transformer,
    src: Sequence[int],
    start: Start,
    answers: Sequence[Sequence[int]],
    sampling: Sampling | None = None,
) -> np.ndarray:
    """The log-probabilities of whole answers to one source, the sums of those of their tokens, from teacher-forced passes.

    The model must be in eval mode and causal.

    Shape: src (src,) -> (answers,), nats; -inf for what cannot be drawn

    Args:
        answers: ids, without what they start with, with the end token where they end.
        sampling: how the tokens are sampled; None: by the model's own probabilities.
    """
    source, beginning = torch.tensor([list(src)], dtype=torch.long), torch.tensor([beginning_of(start)])
    src_mask = model.src_mask(source)
    memory = model.encode(source, src_mask)
    sums = np.zeros(len(answers))
    by_length = sorted(range(len(answers)), key=lambda i: len(answers[i]))
    for first in range(0, len(answers), _ROWS):
        places = by_length[first : first + _ROWS]
        rows = [answers[i] for i in places]
        labels = padded_rows(rows, model.cfg.pad_id)  # (n, longest)
        n = len(rows)
        given = torch.cat([beginning.expand(n, -1), labels[:, :-1]], dim=1)  # (n, beginning + longest - 1)
        logits = model.decode(given, memory.expand(n, -1, -1), src_mask.expand(n, -1, -1, -1))
        logits = logits[:, beginning.size(1) - 1 :]  # (n, longest, vocab)
        if sampling is None:
            logs = logits.double().log_softmax(dim=-1)
        else:
            logs = sampling_probabilities(without_padding(logits, model.cfg.pad_id), sampling).log()
        own = logs.gather(-1, labels[:, :, None])[:, :, 0]  # (n, longest)
        there = torch.arange(labels.size(1)) < torch.tensor([[len(row)] for row in rows])
        sums[places] = own.where(there, 0.0).sum(dim=-1).numpy()
    return sums


@dataclass(frozen=True)
class Kept:
    """The right next words that remain when a model samples.

    Attributes:
        right: the probability that a right word is drawn.
        reachable: the true probability of all right words that can be drawn.
    """

    right: float
    reachable: float


def kept(truth: np.ndarray, probabilities: np.ndarray) -> Kept:
    """Shape: true and sampling probabilities, both (vocab,)"""
    return Kept(float(probabilities[truth > 0].sum()), float(truth[probabilities > 0].sum()))


def sampled_truth(truth: np.ndarray, sampling: Sampling) -> np.ndarray:
    """The true probabilities after the same temperature, top-k and top-p. Shape: (vocab,) -> (vocab,)"""
    with np.errstate(divide="ignore"):
        logits = torch.from_numpy(np.log(truth))[None]
    return sampling_probabilities(logits, sampling)[0].numpy()
