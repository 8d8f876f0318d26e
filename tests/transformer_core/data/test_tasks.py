"""Pins: what the small tasks draw and hold out, that a seed names its data, and what they refuse."""

import hashlib
import json

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import generator
from transformer_core import TASKS, CopyTask, ReverseTask, SentenceTask, SortTask
from transformer_core.analysis.alignment import aligned_places
from transformer_core.data.tasks import (
    DATA_VERSIONS,
    LettersTask,
    RepeatTask,
    facts_of,
    has_source,
    is_held_out,
    is_tested_on_training,
    task_from_dict,
    task_of,
    task_to_dict,
)
from transformer_core.errors import InputError


@pytest.mark.teaches(point="E5")
def test_a_batch_is_the_source_said_again():
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


@pytest.mark.parametrize(("sizes", "count"), [((11, 10), 200), ((11, 5), 200), ((5, 4), 12), ((3, 2), 2)])
def test_rows_to_be_asked_are_drawn_once_and_are_all_there_are_where_these_are_few(sizes, count):
    task = ReverseTask(*sizes)
    batch = task.batch(200, generator(3), held_out=True)
    rows = set(map(tuple, batch.src.tolist()))
    assert len(batch.src) == len(rows) == count == min(200, task.held_out_rows)
    assert torch.equal(batch.labels, batch.src[:, 1:].flip(1)) and {row[0] for row in rows} == {1}
    if count == 200:
        assert rows != set(map(tuple, task.batch(200, generator(4), held_out=True).src.tolist())), "which, is drawn"


@pytest.mark.parametrize("task", [LettersTask(), SortTask(5, 4), CopyTask(3, 6)], ids=str)
def test_what_is_held_out_is_in_no_batch_of_training_whatever_the_seed(task):
    asked = {tuple(row) for row in task.batch(2000, generator(1), held_out=True).src.tolist()}
    trained = {tuple(row) for seed in range(8) for row in task.batch(4000, generator(seed)).src.tolist()}
    assert task.has_held_out and not asked & trained
    there_are = (task.vocab - 1) ** (task.length - 1)
    assert 0.15 < task.held_out_rows / there_are < 0.3, "about one in five"
    if there_are < 1000:
        assert len(asked) == task.held_out_rows and len(asked) + len(trained) == there_are, "each row is either"


def test_of_very_few_rows_none_is_held_out():
    """Of sixteen, a model learns all, and is asked all."""
    task = CopyTask(5, 3)
    asked = {tuple(row) for row in task.batch(200, generator(1), held_out=True).src.tolist()}
    assert not task.has_held_out and task.held_out_rows == len(asked) == 16
    assert asked == {tuple(row) for row in task.batch(2000, generator(2)).src.tolist()}
    assert is_tested_on_training(task) and not is_tested_on_training(CopyTask(6, 3)) and not is_tested_on_training(None)


def test_what_is_held_out_has_no_pattern_of_its_own():
    """Every symbol is held out as often as any other in every place, and no sum is held out alone."""
    rows = CopyTask().batch(20_000, generator(5), held_out=True).src[:, 1:]
    shares = torch.stack([(rows == symbol).double().mean(dim=0) for symbol in range(1, 11)])
    assert (shares - 0.1).abs().max() < 0.01
    assert (rows.sum(dim=1) % 5).bincount().div(len(rows)).sub(0.2).abs().max() < 0.015


DIGESTS = {  # the first rows that each version of a task draws, from a generator with seed 7: for training, and held out
    "copy": (2, "dd41361f"),
    "letters": (2, "93d8c373"),
    "reverse": (2, "637820c1"),
    "sort": (2, "ea6cc1fa"),
    "everyday-fr": (1, "e6c48b30"),
    "everyday-zh": (1, "609f317d"),
    "small-fr": (1, "29ab2e0f"),
    "small-zh": (1, "cee0f79a"),
    "pronoun-en": (1, "7dd3c6c9"),
    "pronoun-zh": (1, "d1bdff20"),
    "addition": (1, "15d3808a"),
    "addition-units-first": (1, "fe54d68e"),
    "stories-en": (1, "caa42cad"),
    "stories-zh": (1, "f5ee8776"),
    "repeat": (1, "73d12c54"),
}


@pytest.mark.parametrize("name", TASKS)
def test_who_changes_what_a_task_draws_raises_its_version(name):
    """Models that learned from other rows are other models; the version is in their key. Then this line changes as well."""
    task = TASKS[name]()
    batches = [task.batch(32, generator(7), held_out=held_out) for held_out in (False, True)]
    rows = [row for batch in batches for row in (*batch.src.tolist(), *batch.labels.tolist())]
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:8]
    assert (DATA_VERSIONS.get(name, 1), digest) == DIGESTS[name]


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("sizes", [(22, 20), (9, 8), (28, 13)])
def test_a_row_ends_in_a_part_that_is_said_twice(sizes, held_out):
    """The part has a quarter to a half of the row; judged and learned are its letters said again, behind the first."""
    task = RepeatTask(*sizes)
    batch = task.batch(300, generator(3), held_out)
    n = task.length
    assert (batch.src.shape, batch.tgt.shape, batch.labels.shape, batch.judged.shape) == ((300, 0), *[(300, n)] * 3)
    assert (batch.tgt[:, 0] == 1).all() and torch.equal(batch.tgt[:, 1:], batch.labels[:, :-1])
    assert int(batch.labels.min()) == 2 and int(batch.labels.max()) == task.vocab - 1
    parts = 1 + batch.judged.sum(dim=1)
    assert set(parts.tolist()) == set(range(n // 4, n // 2 + 1))
    for row, judged, part in zip(batch.labels.tolist(), batch.judged.tolist(), parts.tolist(), strict=True):
        assert row[n - part :] == row[n - 2 * part : n - part]
        assert judged == [place > n - part for place in range(n)]
    assert batch.right.at.tolist() == [[*at, int(batch.labels[*at])] for at in batch.judged.nonzero().tolist()]
    assert (batch.right.shares == 1).all()
    assert len(set(map(tuple, batch.labels.tolist()))) == 300


def test_rows_that_repeat_are_held_out_by_their_content_alone():
    task = RepeatTask()
    asked = {tuple(row) for row in task.batch(1000, generator(1), held_out=True).labels.tolist()}
    trained = {tuple(row) for seed in range(5) for row in task.batch(2000, generator(seed)).labels.tolist()}
    assert is_held_out(torch.tensor([*asked])).all() and not is_held_out(torch.tensor([*trained])).any()
    assert task.has_held_out and not has_source(task) and has_source(CopyTask())
    again, other = (task.batch(9, generator(seed)) for seed in (5, 6))
    assert torch.equal(task.batch(9, generator(5)).labels, again.labels) and not torch.equal(again.labels, other.labels)
    state = torch.get_rng_state()
    task.batch(9, generator(5), held_out=True)
    assert torch.equal(torch.get_rng_state(), state)


def test_of_few_letters_in_short_rows_there_are_fewer_than_are_asked_for():
    task = RepeatTask(6, 8)
    asked, trained = (task.batch(10**6, generator(2), held_out) for held_out in (True, False))
    rows = [set(map(tuple, batch.labels.tolist())) for batch in (asked, trained)]
    assert [len(each) for each in rows] == [len(asked.labels), len(trained.labels)] == [409, 4 * 409]
    assert task.held_out_rows == 409 and not rows[0] & rows[1]


@pytest.mark.parametrize(
    ("sizes", "message", "nearest"),
    [
        ({"vocab": 5}, "vocab must be from 6 to 28, not 5", {"vocab": (6,)}),
        ({"vocab": 29}, "vocab must be from 6 to 28, not 29", {"vocab": (28,)}),
        ({"length": 7}, "need 8, not 7", {"length": (8,)}),
    ],
)
def test_rows_that_cannot_repeat_are_refused(sizes, message, nearest):
    with pytest.raises(InputError, match=message) as caught:
        RepeatTask(**sizes)
    assert caught.value.nearest == nearest
    assert RepeatTask(**{name: value for name, (value,) in nearest.items()})


def test_letters_behind_a_start_token_are_typed_and_read():
    vocabulary = RepeatTask(9, 8).vocabulary
    assert len(vocabulary) == 9 and vocabulary.tokens == ("<pad>", "<start>", *"ABCDEFG")
    assert (vocabulary.pad, vocabulary.start, vocabulary.end) == (0, 1, None)
    assert vocabulary.encode("ab, G") == vocabulary.encode("A B G") == [2, 3, 8] and vocabulary.decode([2, 8]) == ["A", "G"]
    with pytest.raises(ValueError, match="is not among the symbols"):
        vocabulary.encode("ABH")


def test_a_task_that_repeats_comes_back_from_its_facts():
    task = RepeatTask(9, 11)
    assert task_from_dict(task_to_dict(task)) == task == task_of(facts_of(task), 9)
    assert facts_of(task) == {"task": "repeat", "length": 11}
    assert task_of({"task": "repeat"}, 9) is task_of({"task": "repeat", "length": 3}, 9) is task_of(facts_of(task), 40) is None


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
