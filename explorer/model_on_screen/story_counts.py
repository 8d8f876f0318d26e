"""The next word of a story as a counter of word triples expects it, and the size of the stories of training."""

from collections.abc import Sequence

import numpy as np

from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.analysis.ngram import TrigramModel
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


@shared_cache(2**12)
def trained_tokens(task: str) -> int:
    """Counts the tokens of all stories of training, the ends included."""
    learned, corpus = _stories(task)
    return int((corpus.trained.labels != learned.pad_id).sum())


def _stories(task: str) -> tuple[SentenceTask, StoryCorpus]:
    learned = TASKS[task]()
    assert isinstance(learned, SentenceTask) and isinstance(learned.corpus, StoryCorpus)
    return learned, learned.corpus


__all__ = ["counted_next", "trained_tokens"]
