"""Pins: which rows and places of a batch are taken, also of those that are judged, and that parts by length hold every row
once."""

import torch

from transformer_core.data.batch import Batch, padded_rows, row_lengths

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


JUDGED = LABELS % 2 == 1  # of each row, the labels 1, 3 and 5
ALONE = Batch(LABELS[:, :0], LABELS + 10, LABELS, judged=JUDGED)  # of a decoder alone


def test_the_judged_places_go_where_their_labels_go():
    wider = ALONE.padded((4, 8), 0)
    assert wider.src.tolist() == [[0] * 4] * 5 and wider.labels.shape == wider.judged.shape == (5, 8)
    few = wider.rows(torch.tensor([1, 4]))
    short = few.trimmed(0)
    assert few.judged.shape == (2, 8) and short.labels.tolist() == [[1, 0, 0, 0], [1, 2, 3, 4]] and short.src.size(1) == 0
    parts = list(wider.by_length(0))
    assert sorted(int(place) for places, _part in parts for place in places) == [*range(5)]
    for batch in (ALONE, wider, few, short, ALONE.to(torch.device("cpu")), *(part for _places, part in parts)):
        assert torch.equal(batch.judged, batch.labels % 2 == 1) and batch.judged.dtype == torch.bool
    for batch in (WIDER, WIDER.padded((9, 9), 0), WIDER.rows(slice(2)), WIDER.trimmed(0), WIDER.to(torch.device("cpu"))):
        assert batch.judged is None


def test_a_row_without_tokens_has_a_length_of_0():
    assert row_lengths(LABELS[:, :0], 0).tolist() == [0] * 5 and row_lengths(LABELS, 0).tolist() == [*LENGTHS]
    assert row_lengths(torch.tensor([[0, 0], [0, 7]]), 0).tolist() == [0, 2]


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
