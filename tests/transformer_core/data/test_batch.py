"""Pins: which rows and places of a batch are taken, and that parts by length hold every row once."""

import torch

from transformer_core.data.batch import Batch, padded_rows

LENGTHS = (3, 1, 5, 2, 4)
LABELS = padded_rows([range(1, n + 1) for n in LENGTHS], 0)  # (5, 5)
WIDER = Batch(*(torch.nn.functional.pad(ids, (0, 3)) for ids in (LABELS.flip(0), LABELS + 10, LABELS)))


def test_trimmed_is_as_long_as_the_longest_source_and_labels():
    batch = WIDER.rows(torch.tensor([4, 0])).trimmed(0)
    assert batch.src.tolist() == [[1, 2, 3, 0], [1, 2, 3, 4]]
    assert batch.labels.tolist() == [[1, 2, 3, 4], [1, 2, 3, 0]]
    assert torch.equal(batch.tgt, WIDER.tgt[[4, 0], :4])


def test_parts_hold_rows_of_like_length_and_every_row_once():
    parts = list(WIDER.by_length(0))
    assert [places.tolist() for places, _part in parts] == [[1, 3], [0, 4], [2]]
    assert [part.labels.size(1) for _places, part in parts] == [2, 4, 5]
    for places, part in parts:
        assert torch.equal(part.src, WIDER.src[places, : part.src.size(1)])


def test_rows_of_one_length_are_one_part():
    batch = Batch(LABELS, LABELS, torch.full_like(LABELS, 7))
    ((places, part),) = batch.by_length(0)
    assert places.tolist() == [*range(5)] and torch.equal(part.labels, batch.labels)


def test_the_places_that_are_judged_stay_with_their_rows():
    batch = Batch(WIDER.src, WIDER.tgt, WIDER.labels, judged=WIDER.labels == 2)
    taken = batch.rows(torch.tensor([4, 0])).trimmed(0).to(torch.device("cpu"))
    assert taken.judged.tolist() == [[False, True, False, False], [False, True, False, False]]
    assert batch.padded((0, 10), 0).judged.tolist() == [[*row, False, False] for row in (WIDER.labels == 2).tolist()]
    assert [part.judged.sum().item() for _places, part in batch.by_length(0)] == [1, 2, 1]
    assert WIDER.rows(slice(2)).padded((9, 9), 0).to(torch.device("cpu")).judged is None


def test_rows_without_a_source():
    batch = Batch(padded_rows([[], []], 0), LABELS[:2], LABELS[:2])
    assert (batch.src.shape, batch.src.dtype) == ((2, 0), torch.int64)
    assert [part.src.shape for _places, part in batch.by_length(0)] == [(1, 0), (1, 0)]
    assert batch.padded((2, 5), 0).src.tolist() == [[0, 0], [0, 0]]
