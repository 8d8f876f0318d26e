"""Pins the next word before the cuts and with them to the softmax of both models' logits, at the place where they part."""

import numpy as np
import pytest
import torch

from explorer.exhibits.shared.cut_effect import WORDS, at_first_change, first_change, next_word_cut
from tests.explorer.exhibits.helpers import model_of, run_of
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.analysis.run import Run


def softmax(run: Run) -> np.ndarray:
    with torch.inference_mode():
        return run.model(torch.tensor([run.src]), torch.tensor([run.tgt]))[0].softmax(dim=-1).numpy()


def with_cuts(*heads: HeadCut) -> Run:
    whole = model_of()
    run = run_of(whole)
    return Run(cut_out(whole, heads, "zero"), run.vocabulary, run.src, run.tgt, run.labels, original=whole)


@pytest.mark.parametrize("head", range(3))
def test_the_words_are_the_likeliest_where_the_cuts_first_change_the_answer(head):
    run = with_cuts(*(HeadCut(kind, layer, head) for kind in ("encoder", "decoder", "cross") for layer in range(2)))
    before, after = softmax(run.original), softmax(run)
    changed = [i for i in range(5) if before[i].argmax() != after[i].argmax()]
    place = changed[0] if changed else int(np.abs(before - after).sum(axis=1).argmax())
    assert first_change(run) == place
    rows = np.stack([before[place], after[place]])
    np.testing.assert_allclose(at_first_change(run), rows, atol=1e-6)
    top = sorted(np.argsort(-rows.max(axis=0))[:WORDS])
    np.testing.assert_allclose(next_word_cut(run), rows[:, top], atol=1e-6)
    assert np.abs(rows[0] - rows[1]).max() > 1e-3


def test_without_cuts_both_rows_are_the_same():
    before, after = next_word_cut(run_of(model_of()))
    np.testing.assert_array_equal(before, after)
