"""Pins what is said of a run at its end: the share right of held-out rows that had no say in when it ended."""

from dataclasses import replace

import pytest
import torch

from transformer_core import TASKS, CopyTask, Recipe, Trainer, Transformer, TransformerConfig, greedy_decode
from transformer_core.training.evaluation import exact_match

TASK = CopyTask(vocab=9, length=4)  # 512 rows, a hundred of them held out
CFG = TransformerConfig(src_vocab=9, tgt_vocab=9, d_model=12, n_heads=3, d_ff=14, n_layers=1, dropout=0.0, norm="pre")
RECIPE = Recipe(steps=600, batch_size=8, rate=0.01, evaluate_every=5, evaluate_on=8, device="cpu")


def trainer(cfg=CFG, task=TASK, **recipe):
    recipe = replace(RECIPE, **recipe)
    return Trainer(Transformer(cfg, torch.Generator().manual_seed(recipe.seed)), task, recipe)


def to_the_first_evaluation_with(share, **recipe):
    """A trainer that stopped there, and what it saw."""
    training = trainer(**recipe)
    while (found := training.step().evaluation) is None or found.exact_match < share:
        pass
    return training, found.exact_match


def true_share(model):
    """Of all rows that are held out."""
    return exact_match(model, TASK, TASK.batch(1000, torch.Generator().manual_seed(0), held_out=True))


@pytest.mark.slow
def test_stopping_at_the_first_evaluation_that_reaches_a_share_flatters_and_other_rows_tell_the_truth():
    seen, told, so = [], [], []
    for seed in range(12):
        training, share = to_the_first_evaluation_with(0.75, seed=seed)
        seen.append(share)
        told.append(training.evaluate_finally().exact_match)
        so.append(true_share(training.model))
    seen, told, so = (sum(shares) / len(shares) for shares in (seen, told, so))
    assert seen > so + 0.1, "what it stopped by is too high"
    assert told == pytest.approx(so, abs=0.05)


def sources(batch):
    return [tuple(row) for row in batch.src.tolist()]


@pytest.mark.parametrize("task", [CopyTask(), TASKS["pronoun-zh"](), TASKS["small-fr"]()])
def test_the_rows_are_held_out_and_different_and_no_evaluation_has_looked_at_them(task):
    cfg = replace(CFG, src_vocab=task.vocab, tgt_vocab=task.vocab)
    training = trainer(cfg, task, evaluate_on=40)
    rows = sources(training.final_rows())
    assert len(rows) == len(set(rows)) == training.evaluate_finally().rows > 100
    assert not set(rows) & set(sources(training._test))
    if not isinstance(task, CopyTask):
        words = (" ".join(task.vocabulary.decode(i for i in row if i)) for row in rows)
        assert set(words) <= {" ".join(each.src) for each in task.corpus.held_out["source"]}
    assert sources(trainer(cfg, task, evaluate_on=40).final_rows()) == rows
    assert sources(trainer(cfg, task, evaluate_on=40, seed=1).final_rows()) != rows


def test_where_there_are_no_other_rows_it_is_all_that_there_are():
    task = CopyTask(vocab=3, length=2)
    training = trainer(replace(CFG, src_vocab=3, tgt_vocab=3), task)
    assert sorted(sources(training.final_rows())) == [(1, 1), (1, 2)]


@pytest.mark.parametrize("causal", [True, False])
def test_it_is_the_share_that_greedy_decoding_gets_right(causal):
    training = trainer(replace(CFG, causal=causal), average=0.1)
    while training.steps_taken < 60:
        training.step()
    rows, model = training.final_rows(), training.averaged()
    right = [greedy_decode(model.eval(), src[None], 1, 3)[0, 1:].tolist() == src[1:].tolist() for src in rows.src]
    assert training.evaluate_finally().exact_match == sum(right) / len(right)
    assert not causal or 0 < sum(right) < len(right)


def test_a_run_goes_on_as_if_nobody_had_looked():
    looked_at, alone = trainer(average=0.1), trainer(average=0.1)
    for training in (looked_at, alone):
        training.step()
    looked_at.evaluate_finally()
    assert looked_at.step().loss == alone.step().loss
