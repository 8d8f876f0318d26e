"""The right answers to the source on screen, with their probabilities in the language of the model's task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from everyday.translation import Translation
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.answer_distribution import word_probabilities
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.sentence_text import sentence_text
from transformer_core.data.vocabulary import end_of


@dataclass(frozen=True)
class Truth:
    """The right answers to one source.

    Attributes:
        source: its words.
        answers: all right answers with their probabilities, the most probable first; empty for a source beyond the language.
    """

    translation: Translation
    source: tuple[str, ...]
    answers: Mapping[tuple[str, ...], float]

    def next_words(self, given: Sequence[int]) -> np.ndarray | None:
        """Returns the probability of every next word after the decoder's input; None if no right answer begins so.

        Shape: (tgt_vocab,)
        """
        vocabulary = everyday_vocabulary(self.translation)
        words = self.translation.next_words(self.source, vocabulary.decode(given[1:]))
        return word_probabilities(words, vocabulary) if words else None

    def probability(self, answer: Sequence[int]) -> float:
        """Returns the probability of a whole answer, end token included; 0 if it is wrong or unfinished."""
        *words, last = answer
        vocabulary = everyday_vocabulary(self.translation)
        return self.answers.get(tuple(vocabulary.decode(words)), 0.0) if last == vocabulary.end else 0.0

    def right_until(self, answer: Sequence[int]) -> int:
        """Returns how many of its tokens begin a right answer."""
        vocabulary = everyday_vocabulary(self.translation)
        words = tuple(vocabulary.decode(answer))
        whole = [(*right, vocabulary.tokens[end_of(vocabulary)]) for right in self.answers]
        return next((n for n in range(len(words), 0, -1) if any(right[:n] == words[:n] for right in whole)), 0)


def truth_of(shown: ShownModel) -> Truth | None:
    """Returns the right answers to the source on screen; None if the model's task has no language of its own."""
    translation = shown.translation
    if translation is None:
        return None
    source = tuple(shown.vocabulary.decode(shown.src))
    return Truth(translation, source, translation.answers(source))


def answer_text(shown: ShownModel, answer: Sequence[int]) -> str:
    """Writes an answer as text in its language, without the end token."""
    tokens = token_texts(shown, [i for i in answer if i != shown.vocabulary.end])
    return sentence_text(tokens, shown.translation.language if shown.translation is not None else "")
