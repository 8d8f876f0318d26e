"""Checks the share of rows answered exactly against rows that are decoded and compared one by one."""

import torch

from tools import longer_rows
from transformer_core import CopyTask, ReverseTask, Transformer, TransformerConfig, greedy_decode
from transformer_core.analysis.longer_rows import ASKED, TRAINED, exact_by_length, measured, read_lines, shares_right
from transformer_core.data.batch import Batch


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


@torch.no_grad()
def test_a_row_that_is_right_behind_right_tokens_is_what_greedy_decoding_writes():
    cfg = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=12, n_heads=3, d_ff=20, n_layers=1)
    model = Transformer(cfg, torch.Generator().manual_seed(4)).eval()
    batches = [CopyTask(3, n).batch(30, torch.Generator().manual_seed(7), held_out=True) for n in (2, 4)]
    rows, tokens = shares_right(model, batches)
    decoded = [greedy_decode(model, each.src, 1, each.labels.size(1))[:, 1:] == each.labels for each in batches]
    assert rows == [float(each.all(dim=1).double().mean()) for each in decoded]
    assert tokens[0] == rows[0] and tokens[1] >= rows[1]


def test_labels_of_padding_are_not_counted():
    cfg = TransformerConfig(src_vocab=4, tgt_vocab=4, d_model=12, n_heads=3, d_ff=20, n_layers=1, stacks="decoder")
    model = Transformer(cfg, torch.Generator().manual_seed(4)).eval()
    tgt = torch.tensor([[1, 2, 3, 1]])
    right = model(tgt[:, :0], tgt).argmax(dim=-1)
    labels = torch.tensor([[0, 0, *right[0, 2:].tolist()]])
    assert shares_right(model, [Batch(tgt[:, :0], tgt, labels)]) == ([1.0], [1.0])


def test_the_rows_of_the_package_are_those_that_the_tool_plans():
    plans = [(task.name, cfg.stacks, cfg.position, cfg.cross_position, seed) for task, cfg, seed in longer_rows.planned(5)]
    rows = measured()
    assert [(each.task, each.stacks, each.position, each.cross_position, each.seed) for each in rows] == plans
    assert {each.steps for each in rows} == {longer_rows.STEPS}
    assert {len(each.rows) for each in rows} == {len(each.tokens) for each in rows} == {len(ASKED)}
    assert read_lines("\n".join(each.to_line() for each in rows)) == rows


def test_a_decoder_alone_is_given_the_row_a_mark_and_the_answer():
    task = longer_rows.MixedLengths(CopyTask(), in_one=True)
    batch = task.of_length(5, 3, torch.Generator().manual_seed(1), held_out=True)
    assert batch.src.shape == (3, 0) and batch.tgt.shape == (3, 9) and task.vocab == 12
    assert (batch.tgt[:, 5] == 11).all() and torch.equal(batch.tgt[:, 1:5], batch.labels[:, 5:])
    assert (batch.labels[:, :5] == 0).all() and torch.equal(batch.tgt[:, 6:], batch.labels[:, 5:-1])


def test_batches_for_training_have_all_the_lengths_and_those_for_evaluation_the_longest():
    task, draws = longer_rows.MixedLengths(CopyTask()), torch.Generator().manual_seed(1)
    assert {task.batch(2, draws).src.size(1) for _ in range(60)} == {*TRAINED}
    assert task.batch(2, draws, held_out=True).src.size(1) == TRAINED[-1]
