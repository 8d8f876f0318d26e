"""Pins: what a large model measures in lots of rows is what it would measure on all of them at once."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer import limits
from explorer.model_on_screen import decoding, incremental, lenses, other_seeds
from explorer.model_on_screen.cut_costs import damages, damages_of_links
from explorer.model_on_screen.decoding import Drawing
from explorer.model_on_screen.forward import ModelChoice, Random, model_of
from explorer.model_on_screen.held_out import ROWS, lots_of, operations, rows_of, shares_right
from explorer.model_on_screen.view_limits import operations_of
from transformer_core import TASKS, TransformerConfig
from transformer_core.analysis.cutting import HeadCut, PartCut
from transformer_core.analysis.decoder_lens import after_layers
from transformer_core.model.decoding import Sampling, decode_steps
from transformer_core.model.stages import SublayerPath
from transformer_core.training.evaluation import exact_match

TASK = TASKS["pronoun-en"]()
CFG = TransformerConfig(src_vocab=TASK.vocab, tgt_vocab=TASK.vocab, d_model=12, n_heads=2, d_ff=14, n_layers=2)
CHOICE, OTHER = (ModelChoice(CFG, Random(seed)) for seed in (3, 4))
WHOLE_ROW = 17  # rows that go through the model in one go


@pytest.fixture
def slowly(monkeypatch):
    """Forgets what is known, and has a model look at a few rows at a time."""

    def forget(rows: int | None) -> None:
        incremental._finding.clear()
        other_seeds._rows.clear()
        if rows is not None:
            most = rows * operations_of(CFG, TASK.longest[0], TASK.longest[1])
            monkeypatch.setattr(limits, "TURN_OPERATIONS", most)

    yield forget
    forget(None)


def test_every_row_is_in_one_lot_and_rows_of_like_length_together(slowly):
    assert [lot.tolist() for lot in lots_of(TASK, CFG)] == [list(range(ROWS))]
    slowly(WHOLE_ROW)
    lots, lengths = lots_of(TASK, CFG), (rows_of(TASK).labels != CFG.pad_id).sum(dim=1)
    assert len(lots) > 5 and sorted(torch.cat(lots).tolist()) == list(range(ROWS))
    assert lengths[torch.cat(lots)].diff().min() >= 0
    assert len(lots_of(TASK, CFG, passes=WHOLE_ROW)) == ROWS
    assert operations(TASK, CFG) <= ROWS * operations_of(CFG, rows_of(TASK).src.size(1), rows_of(TASK).labels.size(1))


def test_losses_and_shares_are_those_of_all_rows_at_once(slowly):
    cuts = [HeadCut("cross", 1, 0), PartCut(SublayerPath("decoder", 0, "feed_forward"))]
    links = [("encoder", "all"), ("decoder", "first")]

    def all_of_it():
        shares = [*shares_right([CHOICE], TASK, math.inf), *lenses.early_shares_right(CHOICE, TASK, math.inf)]
        costs = [*damages(CHOICE, TASK, cuts, "zero", math.inf)]
        of_links = damages_of_links(CHOICE, TASK, links, math.inf)
        (match,) = other_seeds.matches([(CHOICE, OTHER)], TASK, math.inf)
        alike = [each.alike for each in match.values()]
        aligned = [each.weights for each in other_seeds.aligned([CHOICE, OTHER], TASK, math.inf)]
        both = [each for link in of_links for each in (link.compared, link.without_decisive) if each is not None]
        of_links = [*(link.every for link in of_links), *(cost for each in both for cost in (each.of_kind, each.others))]
        numbers = [*shares, *(n for each in (*costs, *of_links) for n in (each.loss, each.low, each.high))]
        return np.concatenate([np.ravel(each) for each in (numbers, *alike, *aligned)])

    slowly(10**6)
    at_once = all_of_it()
    slowly(WHOLE_ROW)
    assert len(lots_of(TASK, CFG)) > 5
    np.testing.assert_allclose(all_of_it(), at_once, rtol=1e-4, atol=2e-6)
    rows, model = rows_of(TASK), model_of(CHOICE)
    assert lenses.early_shares_right(CHOICE, TASK, 0) == [
        exact_match(after_layers(model, layers), TASK, rows) for layers in range(3)
    ]


def test_the_answers_of_unfinished_encoders_are_those_of_each_alone():
    model, source = model_of(CHOICE), torch.tensor([[4, 5, 6, 7]])
    answers = lenses._answers(CHOICE, (4, 5, 6, 7), 1, 6, 2)
    for layers, answer in enumerate(answers):
        *_, last = decode_steps(after_layers(model, layers), source, 1, 6, end_id=2)
        ids = last.tokens[0, 1:].tolist()
        assert answer == tuple(ids[: ids.index(2)] if 2 in ids else ids)
    assert len(answers) == 3


def test_answers_are_drawn_a_few_at_a_time_and_none_twice(slowly, monkeypatch):
    how = Drawing((4, 5, 6), 1, 5, Sampling(1.0), seed=7)
    whole = decoding.sampled_answers(CHOICE, how, 40, math.inf)
    assert whole.n == 40 and whole.progress == (40, 40) and decoding.draws_at_once(CFG, how, 40) == 40
    monkeypatch.setattr(limits, "TURN_OPERATIONS", 15 * operations_of(CFG, 1, 5))
    incremental._finding.clear()
    assert decoding.draws_at_once(CFG, how, 40) == 15
    assert decoding.sampled_answers(CHOICE, how, 40, 0).progress == (0, 40)
    slow = decoding.sampled_answers(CHOICE, how, 40, math.inf)
    assert slow.n == 40 and slow.counts != whole.counts
    assert decoding.sampled_answers(CHOICE, replace(how, seed=22), 40, math.inf).counts != slow.counts
    answers = tuple(slow.counts)
    lots = decoding.many_probabilities(CHOICE, how.src, 1, answers, how.sampling, math.inf)
    assert len(lots) > 1
    whole = decoding.answer_probabilities(CHOICE, how.src, 1, answers, how.sampling)
    np.testing.assert_allclose(np.concatenate(lots), whole, rtol=1e-5)
