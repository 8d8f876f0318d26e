"""Pins that a model which has learned nothing has no head that follows the answer."""

import pytest

from tests.transformer_core.helpers import generator
from transformer_core import CopyTask, SentenceTask, SortTask, Transformer, TransformerConfig
from transformer_core.analysis.alignment import aligned_places, aligned_weights, telling_places

UNTRAINED = 10  # seeds
FOLLOWS = 0.5  # of its weight


@pytest.mark.parametrize("task", [CopyTask(length=3), CopyTask(length=4), SortTask(), SentenceTask("small-fr")], ids=str)
def test_next_to_no_untrained_model_has_a_head_that_follows_the_answer(task):
    assert followed(task, telling_places) <= 1


def test_of_a_source_of_two_tokens_every_untrained_model_would_have_one():
    task = CopyTask(length=2)
    assert followed(task, aligned_places) == UNTRAINED and not telling_places(task, rows_of(task)).any()


def rows_of(task):
    return task.batch(8, generator(0), held_out=True)


def followed(task, places) -> int:
    """How many models with random weights have a head with this share of its weight on these places."""
    batch = rows_of(task)
    cfg = TransformerConfig(task.vocab, task.vocab, d_model=64, n_heads=4, d_ff=128, n_layers=2, norm="pre")
    models = (Transformer(cfg, generator=generator(seed)).eval() for seed in range(UNTRAINED))
    return sum((aligned_weights(model, batch, places(task, batch)) >= FOLLOWS).any() for model in models)
