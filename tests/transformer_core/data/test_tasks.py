"""Pins: what the copy task draws, that a seed names its data, and what it refuses."""

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import generator
from transformer_core import TASKS, CopyTask, ReverseTask, SentenceTask, SortTask
from transformer_core.analysis.alignment import aligned_places


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


@pytest.mark.parametrize(("sizes", "count"), [((11, 10), 200), ((11, 4), 200), ((5, 4), 64), ((3, 2), 2)])
def test_rows_to_be_asked_are_drawn_once_and_are_all_there_are_where_these_are_few(sizes, count):
    task = ReverseTask(*sizes)
    batch = task.batch(200, generator(3), held_out=True)
    rows = set(map(tuple, batch.src.tolist()))
    assert len(batch.src) == len(rows) == count == min(200, task.held_out_rows)
    assert torch.equal(batch.labels, batch.src[:, 1:].flip(1)) and {row[0] for row in rows} == {1}
    if count == 200:
        assert rows != set(map(tuple, task.batch(200, generator(4), held_out=True).src.tolist())), "which, is drawn"


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


@pytest.mark.parametrize("task", [CopyTask(11, 6), ReverseTask(11, 6), SortTask(5, 8)], ids=lambda task: task.name)
def test_what_is_said_comes_from_its_origin(task):
    batch = task.batch(9, generator(3))
    places = aligned_places(task, batch)
    assert places.shape == (9, task.length - 1, task.length)
    assert not places[:, :, 0].any(), "the first one is given"
    for row, src, labels in zip(places, batch.src, batch.labels, strict=True):
        for n, label in enumerate(labels.tolist()):
            found = np.flatnonzero(row[n]).tolist()
            if task.name == "sort":
                assert found == [i for i in range(1, task.length) if src[i] == label]
            else:
                assert found == [n + 1 if task.name == "copy" else task.length - 1 - n]
            assert all(src[i] == label for i in found)


@pytest.mark.parametrize("name", ["pronoun-en", "pronoun-zh"])
def test_the_origins_of_a_sentence_are_those_of_its_grammar(name):
    task = SentenceTask(name)
    batch = task.batch(20, generator(4), held_out=True)
    places = aligned_places(task, batch)
    vocabulary = task.vocabulary
    for row, src, labels in zip(places, batch.src.tolist(), batch.labels.tolist(), strict=True):
        example = task.corpus.by_source[tuple(vocabulary.decode(i for i in src if i != 0))]
        assert vocabulary.decode(labels)[: len(example.tgt)] == list(example.tgt)
        assert [set(np.flatnonzero(each).tolist()) for each in row[: len(example.tgt)]] == [
            set() if origin is None else {origin} for origin in example.origin
        ]
        assert not row[len(example.tgt) :].any()
    assert places.any()
