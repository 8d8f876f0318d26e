"""Pins what an evaluation's numbers are worth: the interval of a share, and the loss of guessing."""

import math

import pytest

from transformer_core import CopyTask, ReverseTask, SentenceTask
from transformer_core.analysis.evaluation_metrics import guessing_loss, share_interval


@pytest.mark.parametrize(("share", "n"), [(0.0, 200), (0.995, 200), (1.0, 200), (0.5, 7), (0.25, 1000)])
def test_the_ends_of_the_interval_are_the_shares_that_lie_just_so_far_from_what_was_found(share, n):
    low, high = share_interval(share, n)
    assert 0 <= low <= share <= high <= 1
    for end in {low, high} - {0.0, 1.0}:
        deviation = math.sqrt(end * (1 - end) / n)
        assert abs(end - share) == pytest.approx(1.96 * deviation, rel=1e-4)


def test_all_right_of_two_hundred_is_not_all():
    assert share_interval(1.0, 200)[0] == pytest.approx(0.981, abs=1e-3)


@pytest.mark.parametrize("task", [CopyTask(vocab=7, length=4), ReverseTask(vocab=13, length=3)])
def test_guessing_knows_which_numbers_there_are(task):
    assert guessing_loss(task) == pytest.approx(math.log(task.vocab - 1))


@pytest.mark.parametrize("name", ["pronoun-en", "addition"])
def test_guessing_knows_the_words_of_the_answers_alone(name):
    task = SentenceTask(name)
    used = set(task.corpus.labels.flatten().tolist()) - {task.pad_id}
    assert guessing_loss(task) == pytest.approx(math.log(len(used)))
    assert len(used) < task.vocab - 1
