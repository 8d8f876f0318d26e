"""Checks the share of rows copied exactly against rows that are decoded and compared one by one."""

import torch

from transformer_core import CopyTask, Transformer, TransformerConfig, greedy_decode
from transformer_core.analysis.longer_rows import exact_by_length


def test_the_share_is_that_of_rows_decoded_one_by_one():
    cfg = TransformerConfig(src_vocab=3, tgt_vocab=3, d_model=12, n_heads=3, d_ff=20, n_layers=1)
    model = Transformer(cfg, torch.Generator().manual_seed(4)).eval()
    found = exact_by_length(model, (2, 4), rows=40, seed=7)
    assert list(found) == [2, 4]
    for length, share in found.items():
        rows = CopyTask(3, length).batch(40, torch.Generator().manual_seed(7)).src
        right = sum(greedy_decode(model, row[None], 1, length - 1).tolist() == [row.tolist()] for row in rows)
        assert share == right / 40
    assert 0 < found[2] < 1  # one symbol of two, so that some rows are right by luck and not all
