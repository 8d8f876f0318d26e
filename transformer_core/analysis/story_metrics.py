"""How well the next words of stories are known, by kind of word: by a model, by a counter of word triples, and at best."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from everyday.stories import KINDS, Kind
from transformer_core.analysis.ngram import TrigramModel
from transformer_core.data.batch import Batch
from transformer_core.data.stories import StoryCorpus
from transformer_core.model.transformer import Transformer
from transformer_core.training.evaluation import next_logits


@dataclass(frozen=True)
class Known:
    """What somebody knows of the words of a kind, each behind the right words before it.

    Attributes:
        n: how many words there are; right: of how many the word itself was the likeliest.
        loss: the mean of their negative logarithmic probabilities, in nats.
    """

    n: int
    right: int
    loss: float


def known_to_model(model: Transformer, corpus: StoryCorpus, rows: Batch) -> Mapping[Kind, Known]:
    """Measures what a model, in eval mode, knows of the words of stories; the end of a story is one of the "other"."""
    with torch.no_grad():
        return _known(corpus, rows, next_logits(model, rows).log_softmax(dim=-1))


def known_by_counting(counter: TrigramModel, corpus: StoryCorpus, rows: Batch) -> Mapping[Kind, Known]:
    """Measures the same of a counter of word triples."""
    return _known(corpus, rows, torch.from_numpy(np.log(counter.probabilities(rows))))


def least_losses(corpus: StoryCorpus, rows: Batch) -> Mapping[Kind, float]:
    """Computes the loss of whoever knows how the stories are drawn: the mean over the words of each kind, in nats. On average
    over all stories nothing can be lower."""
    surprisals = corpus.surprisals(rows)
    return {kind: float(surprisals[which].mean()) for kind, which in _kinds(corpus, rows).items()}


def _known(corpus: StoryCorpus, rows: Batch, log_probabilities: Tensor) -> dict[Kind, Known]:
    """Shape: log_probabilities (row, place, vocab)"""
    right = log_probabilities.argmax(dim=-1) == rows.labels  # (row, place)
    losses = -log_probabilities.gather(-1, rows.labels.unsqueeze(-1)).squeeze(-1)  # (row, place)
    kinds = _kinds(corpus, rows).items()
    return {kind: Known(int(which.sum()), int(right[which].sum()), float(losses[which].mean())) for kind, which in kinds}


def _kinds(corpus: StoryCorpus, rows: Batch) -> dict[Kind, Tensor]:
    """Finds the words of each kind. Shape: -> (row, place) booleans"""
    kinds, is_word = corpus.kinds(rows), rows.labels != corpus.vocabulary.pad
    return {kind: (kinds == place) & is_word for place, kind in enumerate(KINDS)}
