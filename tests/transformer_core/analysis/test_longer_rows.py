"""Checks the share of rows answered exactly against rows that are decoded and compared one by one."""

import torch

from transformer_core import CopyTask, ReverseTask, Transformer, TransformerConfig, greedy_decode
from transformer_core.analysis.longer_rows import exact_by_length


def test_the_share_is_that_of_rows_decoded_one_by_one():
    cfg = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=12, n_heads=3, d_ff=20, n_layers=1)
    model = Transformer(cfg, torch.Generator().manual_seed(4)).eval()
    found = exact_by_length(model, CopyTask(3), (2, 4, 8), rows=40, seed=7)
    assert list(found) == [2, 4, 8]
    for length, count in ((2, 2), (4, 8), (8, 18)):  # all there are, and of the longest all that are held out
        rows = CopyTask(3, length).batch(40, torch.Generator().manual_seed(7), held_out=True).src
        assert len(rows) == len(set(map(tuple, rows.tolist()))) == count
        right = sum(greedy_decode(model, row[None], 1, length - 1).tolist() == [row.tolist()] for row in rows)
        assert found[length] == right / count
    assert 0 < found[2] < 1  # one symbol of two, so that some rows are right by luck and not all


def test_every_task_of_numbers_has_its_own_right_answers():
    cfg = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=12, n_heads=3, d_ff=20, n_layers=1)
    model = Transformer(cfg, torch.Generator().manual_seed(4)).eval()
    (share,) = exact_by_length(model, ReverseTask(3), (4,), rows=60, seed=8).values()
    rows = ReverseTask(3, 4).batch(8, torch.Generator().manual_seed(8), held_out=True).src
    answers = (greedy_decode(model, row[None], 1, 3)[0, 1:].tolist() for row in rows)
    assert share == sum(answer == row[1:].tolist()[::-1] for answer, row in zip(answers, rows, strict=True)) / 8
