"""A counter of word triples: what a model can say that knows the last two words alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

_LONGEST = 2  # tokens that are known of those before


@dataclass(frozen=True, eq=False)
class TrigramModel:
    """The probability of a token after two others, by counts, interpolated with those after one and after none (Witten and Bell
    1991, method C): the more different tokens were seen after a context, the more it leaves to the shorter one.

        P(w | u v) = (c(u v w) + t(u v) · P(w | v)) / (c(u v) + t(u v))

    c counts, t(u v) is the number of different tokens seen after u v. Below the single token stands an even share for all.

    Attributes:
        counts: after a context of at most two tokens, the tokens that were seen, and how often.
    """

    vocab: int
    counts: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]]

    @classmethod
    def fit(cls, rows: Iterable[Sequence[int]], vocab: int) -> "TrigramModel":
        """Counts. Each row is what a decoder reads and says: the start token, the text, the end token."""
        found: dict[tuple[int, ...], Counter[int]] = {}
        for row in rows:
            for at in range(1, len(row)):
                for length in range(min(at, _LONGEST) + 1):
                    found.setdefault(tuple(row[at - length : at]), Counter())[row[at]] += 1
        arrays = {
            context: (np.array([*seen]), np.array([*seen.values()], dtype=np.float64)) for context, seen in found.items()
        }
        return cls(vocab, arrays)

    def next_probabilities(self, beginning: Sequence[int]) -> np.ndarray:
        """Of the token after these, of which the first is the start token; the sum is 1. Shape: -> (vocab,)"""
        probabilities = np.full(self.vocab, 1 / self.vocab)
        for length in range(min(len(beginning), _LONGEST) + 1):
            if (seen := self.counts.get(tuple(beginning[len(beginning) - length :]))) is None:
                break  # longer contexts end in this one
            tokens, counts = seen
            probabilities = probabilities * len(tokens)
            probabilities[tokens] += counts
            probabilities /= counts.sum() + len(tokens)
        return probabilities

    def losses(self, row: Sequence[int]) -> np.ndarray:
        """The negative logarithm of the probability of each token after the first, in nats. Shape: (tokens,) -> (tokens - 1,)"""
        return -np.log([self.next_probabilities(row[:at])[row[at]] for at in range(1, len(row))])
