"""The next word of a story as a counter of word triples expects it, and what it and a model know of held-out stories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from everyday.stories import Kind
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.held_out import rows_of
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.analysis.ngram import TrigramModel
from transformer_core.analysis.story_metrics import Known, known_by_counting, known_to_model, least_losses
from transformer_core.data.stories import StoryCorpus
from transformer_core.data.tasks import TASKS, SentenceTask


@shared_cache(2**23, lasting=True)  # a second: a whole room may open the page at once
def _counter(task: str) -> TrigramModel:
    learned, corpus = _stories(task)
    return TrigramModel.fit(corpus.trained, learned.vocab, learned.pad_id)


def counted_next(task: str, given: Sequence[int]) -> np.ndarray:
    """Computes the probability of each next word from how often it followed the last two words in the stories of training.

    Shape: -> (vocab,)
    """
    return _counter(task).next_probabilities(given)


@dataclass(frozen=True)
class Counted:
    """What a counter of word triples knows of the held-out stories, and the least losses that are possible, by kind of word."""

    known: Mapping[Kind, Known]
    least: Mapping[Kind, float]


@shared_cache(2**14)
def known_by_kind(choice: ModelChoice, task: str) -> Mapping[Kind, Known]:
    """Measures what a model knows of the words of the held-out stories."""
    learned, corpus = _stories(task)
    return known_to_model(model_of(choice), corpus, rows_of(learned))


@shared_cache(2**14)
def counted_by_kind(task: str) -> Counted:
    """Measures the same of the counter."""
    learned, corpus = _stories(task)
    rows = rows_of(learned)
    return Counted(known_by_counting(_counter(task), corpus, rows), least_losses(corpus, rows))


@shared_cache(2**12)
def trained_tokens(task: str) -> int:
    """Counts the tokens of all stories of training, the ends included."""
    learned, corpus = _stories(task)
    return int((corpus.trained.labels != learned.pad_id).sum())


def _stories(task: str) -> tuple[SentenceTask, StoryCorpus]:
    learned = TASKS[task]()
    assert isinstance(learned, SentenceTask) and isinstance(learned.corpus, StoryCorpus)
    return learned, learned.corpus


__all__ = ["counted_by_kind", "counted_next", "known_by_kind", "trained_tokens"]
