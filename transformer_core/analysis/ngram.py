"""A counter of word triples: what can be said of the next word by whoever knows the last two alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from transformer_core.data.batch import Batch

_LONGEST = 2  # tokens of a context

Seen = tuple[np.ndarray, np.ndarray]  # the tokens that followed a context, and how often each did


@dataclass(frozen=True, eq=False)
class TrigramModel:
    """The probability of a token after two others, from counts, interpolated with that after one and after none (Witten and
    Bell 1991, method C): the more different tokens followed a context, the more is left to the shorter one.

        P(w | u v) = (c(u v w) + t(u v) · P(w | v)) / (c(u v) + t(u v))

    c counts, and t(u v) is the number of different tokens that followed u v. Below P(w) stands an even share for every token.

    Attributes:
        followed: what was seen after contexts of no, of one and of two tokens.
    """

    vocab: int
    followed: Sequence[Mapping[tuple[int, ...], Seen]]

    @classmethod
    def fit(cls, rows: Batch, vocab: int, pad_id: int) -> "TrigramModel":
        """Counts what follows what in these rows, the start and the end token included."""
        ids = np.concatenate([rows.tgt[:, :1].numpy(), rows.labels.numpy()], axis=1)
        return cls(vocab, [_counted(ids, length, vocab, pad_id) for length in range(_LONGEST + 1)])

    def next_probabilities(self, beginning: Sequence[int]) -> np.ndarray:
        """The probability of each token after these, of which the first is the start token. Shape: -> (vocab,)"""
        probabilities = np.full(self.vocab, 1 / self.vocab)
        for length, followed in enumerate(self.followed[: len(beginning) + 1]):
            if (seen := followed.get(tuple(beginning[len(beginning) - length :]))) is not None:
                tokens, counts = seen
                probabilities = probabilities * len(tokens)
                probabilities[tokens] += counts
                probabilities /= counts.sum() + len(tokens)
        return probabilities

    def probabilities(self, rows: Batch) -> np.ndarray:
        """Those at each place of the rows. Shape: -> (row, place, vocab)"""
        given = rows.tgt.tolist()
        return np.array([[self.next_probabilities(row[: at + 1]) for at in range(len(row))] for row in given])


def _counted(ids: np.ndarray, length: int, vocab: int, pad_id: int) -> dict[tuple[int, ...], Seen]:
    """Counts the tokens that follow each context of so many tokens. Shape: ids (row, place)"""
    windows = np.lib.stride_tricks.sliding_window_view(ids[:, 1:] if length == 0 else ids, length + 1, axis=1)
    windows = windows[windows[:, :, -1] != pad_id]  # (window, length + 1)
    codes, counts = np.unique(windows @ vocab ** np.arange(length, -1, -1), return_counts=True)  # one number for each window
    contexts, begin = np.unique(codes // vocab, return_index=True)
    parts = zip(np.split(codes % vocab, begin[1:]), np.split(counts, begin[1:]), strict=True)
    digits = contexts[:, None] // vocab ** np.arange(length - 1, -1, -1) % vocab  # (context, length)
    return dict(zip(map(tuple, digits.tolist()), parts, strict=True))
