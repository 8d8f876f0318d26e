"""Pins the counter of triples to probabilities that were computed by hand."""

import numpy as np
import pytest
import torch

from transformer_core.analysis.ngram import TrigramModel
from transformer_core.data.batch import Batch

# 1 a b a 2 · 1 a c 2, of five tokens: padding, start, end, a = 3 and b = 4 … c = 5
ROWS = Batch(
    src=torch.zeros(2, 0, dtype=torch.int64),
    tgt=torch.tensor([[1, 3, 4, 3], [1, 3, 5, 0]]),
    labels=torch.tensor([[3, 4, 3, 2], [3, 5, 2, 0]]),
)


@pytest.fixture(scope="module")
def model():
    return TrigramModel.fit(ROWS, vocab=6, pad_id=0)


def test_by_hand(model):
    # Seven tokens follow something: a three times, the end twice, b and c once: four different ones.
    none = [(count + 4 / 6) / (7 + 4) for count in (0, 0, 2, 3, 1, 1)]
    # After a: b, c and the end, once each.
    after_a = [(count + 3 * p) / (3 + 3) for count, p in zip((0, 0, 1, 0, 1, 1), none, strict=True)]
    # After the start, a: b and c, once each.
    after_start_a = [(count + 2 * p) / (2 + 2) for count, p in zip((0, 0, 0, 0, 1, 1), after_a, strict=True)]
    assert model.next_probabilities([1, 3]) == pytest.approx(after_start_a)
    assert model.next_probabilities([4, 1, 3]) == pytest.approx(after_start_a), "what is longer ago is not known"
    # After the start: a, twice.
    after_start = [(count + p) / (2 + 1) for count, p in zip((0, 0, 0, 2, 0, 0), none, strict=True)]
    assert model.next_probabilities([1]) == pytest.approx(after_start)
    # After c, a, which never came: what is said after a; after the end, which nothing follows: what is said of any token.
    assert model.next_probabilities([5, 3]) == pytest.approx(after_a)
    assert model.next_probabilities([2]) == pytest.approx(none)
    assert model.next_probabilities([]) == pytest.approx(none)


def test_at_every_place_of_rows_they_sum_to_one(model):
    found = model.probabilities(ROWS)
    assert found.shape == (2, 4, 6)
    assert found.sum(axis=-1) == pytest.approx(np.ones((2, 4)))
    assert found[1, 2] == pytest.approx(model.next_probabilities([1, 3, 5]))


def test_a_context_of_padding_is_not_counted(model):
    assert [sorted(followed) for followed in model.followed] == [
        [()], [(1,), (3,), (4,), (5,)], [(1, 3), (3, 4), (3, 5), (4, 3)],
    ]  # fmt: skip
