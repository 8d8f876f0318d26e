"""What a counter of word triples expects of a story, beside a model that reads all of it."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from transformer_core.analysis.ngram import TrigramModel
from transformer_core.data.stories import StoryCorpus
from transformer_core.data.tasks import TASKS, SentenceTask


@cache
def _counter(task: str) -> TrigramModel:
    learned = TASKS[task]()
    assert isinstance(learned, SentenceTask) and isinstance(learned.corpus, StoryCorpus)
    return TrigramModel.fit(learned.corpus.trained, learned.vocab, learned.pad_id)


def counted_next(task: str, given: Sequence[int]) -> np.ndarray:
    """Computes the probability of each next word from how often it followed the last two words in the stories of training.

    Shape: -> (vocab,)
    """
    return _counter(task).next_probabilities(given)


__all__ = ["counted_next"]
