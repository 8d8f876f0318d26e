"""Pins: what the copy task draws, that a seed names its data, and what it refuses."""

import pytest
import torch

from tests.core.helpers import generator
from transformer_core import TASKS, CopyTask


def test_e5_a_batch_is_the_source_said_again():
    batch = CopyTask(vocab=13, length=9).batch(7, generator(0))
    assert (batch.src.shape, batch.tgt.shape, batch.labels.shape) == ((7, 9), (7, 8), (7, 8))
    assert (batch.src[:, 0] == 1).all()
    assert torch.equal(torch.cat([batch.tgt, batch.labels[:, -1:]], 1), batch.src)
    assert torch.equal(batch.labels, batch.src[:, 1:]), "a label is the token after the one that is given"


def test_every_id_but_padding_is_drawn_about_equally_often():
    task = CopyTask(vocab=7, length=21)
    drawn = task.batch(500, generator(1)).src[:, 1:]
    counts = torch.bincount(drawn.flatten(), minlength=7)
    assert counts[task.pad_id] == 0
    share = counts[1:] / drawn.numel()
    assert ((share - 1 / 6).abs() < 0.02).all()


def test_the_generator_alone_decides():
    task = CopyTask()
    state = torch.get_rng_state()
    draws, again = generator(5), generator(5)
    first, second = task.batch(4, draws), task.batch(4, draws)
    assert not torch.equal(first.src, second.src)
    assert torch.equal(task.batch(4, again).src, first.src)
    assert torch.equal(task.batch(4, again).src, second.src)
    assert not torch.equal(task.batch(4, generator(6)).src, first.src)
    assert torch.equal(torch.get_rng_state(), state)


def test_defaults_are_those_of_the_small_preset():
    task = TASKS["copy"]()
    assert (task.name, task.vocab, task.length, task.start_id, task.pad_id) == ("copy", 11, 10, 1, 0)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"vocab": 2}, "vocab must be 3 or more, not 2"),
        ({"length": 1}, "length must be 2 or more, not 1"),
    ],
)
def test_too_small_a_task_is_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        CopyTask(**sizes)


def test_the_smallest_task():
    assert CopyTask(vocab=3, length=2).batch(5, generator(0)).labels.shape == (5, 1)


def test_a_batch_moves_as_a_whole():
    moved = CopyTask().batch(3, generator(0)).to(torch.device("meta"))
    assert {moved.src.device.type, moved.tgt.device.type, moved.labels.device.type} == {"meta"}
