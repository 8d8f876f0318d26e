"""Pins: every reason is measured, holds for what it is about, and does not hold for a model that can learn."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.pages.helpers import PARTS
from tests.transformer_core.helpers import carried_out, config, generator, perturbed_model
from transformer_core import CopyTask, Recipe, Transformer
from transformer_core.analysis import why_not
from transformer_core.data.tasks import RepeatTask
from transformer_core.training.learned import Learned, parameters_of
from transformer_core.training.learning_plan import LearningPlan

TASK = CopyTask(7, 6)
CFG = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, n_layers=2)
STILL = np.array([[step, 0.1, 1.0] for step in range(10, 401, 10)])


def model(**changes):
    return perturbed_model(replace(CFG, **changes))


def rows(n=40):
    return TASK.batch(n, generator(5))


def course(curve=STILL, outcome="cannot-learn", **changes):
    cfg = replace(CFG, **changes)
    state = parameters_of(perturbed_model(cfg))
    return Learned(cfg, TASK, Recipe(), outcome, curve, 200, {int(curve[-1, 0]): state}, 1.0)


def test_without_positions_no_answer_depends_on_the_order_of_the_source():
    assert why_not.same_when_shuffled(model(position="none"), TASK, rows()) == 40
    assert why_not.same_when_shuffled(model(), TASK, rows()) < 40


def test_shuffled_rows_hold_the_same_tokens_and_padding_stays():
    src = torch.tensor([[1, 2, 3, 4, 5, 6], [3, 4, 5, 0, 0, 0]] * 10)
    moved = why_not.shuffled(src, pad_id=0)
    assert torch.equal(moved.sort(dim=1).values, src.sort(dim=1).values) and not torch.equal(moved, src)
    assert torch.equal(moved == 0, src == 0)


@pytest.mark.parametrize("cross", [True, False])
def test_the_query_cancels_in_one_score_alone(cross):
    assert why_not.difference_between_queries(model(score="concat_linear", cross_attention=cross), rows()) < 1e-6
    for score in ("scaled_dot", "dot", "additive"):
        assert why_not.difference_between_queries(model(score=score, cross_attention=cross), rows()) > 1e-4, score


def test_without_cross_attention_there_is_one_answer():
    assert why_not.different_answers(model(cross_attention=False), TASK, rows()) == 1
    assert why_not.different_answers(model(), TASK, rows()) > 1


def test_how_much_of_the_output_varies_between_positions():
    assert why_not.variance_between_positions(model(residual=False), TASK, rows()) < 0.1
    assert why_not.variance_between_positions(model(norm="pre"), TASK, rows()) > 0.3
    flat = model()
    with torch.no_grad():
        for parameter in flat.parameters():
            parameter.zero_()
    assert why_not.variance_between_positions(flat, TASK, rows()) == 0
    untrained = Transformer(replace(CFG, residual=False), generator(0)).eval()
    assert why_not.variance_between_positions(untrained, TASK, rows()) < 0.05, "learning has not made them alike"


def test_padding_does_not_count_as_a_position():
    batch = rows()
    padded = batch.padded((9, 9), 0)
    found = [why_not.variance_between_positions(model(), TASK, each) for each in (batch, padded)]
    assert found[0] == pytest.approx(found[1], abs=1e-5)


def test_without_the_mask_it_learns_to_look_ahead():
    cfg = replace(CFG, causal=False, n_layers=1, norm="pre", d_model=32, n_heads=2)
    plan = LearningPlan(cfg, TASK, Recipe(steps=250, rate=5e-3, device="cpu"))
    learning = carried_out(plan)
    seen, hidden = why_not.right_when_given(learning.trainer.model.eval(), TASK, rows())
    assert seen > 35 > 30 > hidden
    reason = why_not.why_not(learning.learned())
    assert reason is not None and reason.part == "triangle" and 0 < reason.values["seen"] <= reason.values["n"]


def test_where_the_mask_hides_all_that_comes_later_nothing_is_seen_of_it():
    seen, hidden = why_not.right_when_given(model(), TASK, rows())
    assert seen == hidden


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"position": "none"}, "positions"),
        ({"score": "concat_linear"}, "query"),
        ({"residual": False}, "residual"),
        ({"cross_attention": False}, "cross-attention"),
        ({}, "unknown"),
    ],
)
def test_one_sentence_for_each_cause(changes, cause):
    reason = why_not.why_not(course(**changes))
    assert reason is not None and reason.cause == cause
    assert reason.part in PARTS[reason.page]
    words = str(reason)
    assert words.endswith(".") and words.count(". ") == 0 and len(words) < 160 and "{" not in words
    assert str(reason.values["n"]) in words


def test_what_is_not_found_is_not_claimed(monkeypatch):
    """Without residual connections, but with positions that differ."""
    monkeypatch.setattr(why_not, "variance_between_positions", lambda *_: 0.6)
    reason = why_not.why_not(course(residual=False))
    assert reason is not None and reason.cause == "unknown" and "20 of 200" in str(reason)


def test_of_residual_connections_that_are_missing_it_says_what_is_seen_before_and_after_learning_and_no_more():
    learned = course(residual=False)
    first, last = (
        why_not.variance_between_positions(learned.model(step), TASK, TASK.batch(200, generator(1), held_out=True))
        for step in (0, learned.last)
    )
    said = str(why_not.why_not(learned))
    assert f"{last:.0%} of the variance" in said and f"{first:.0%} at step 0" in said
    assert "become" not in said, "it may well have been so at the beginning"


def test_one_that_was_still_getting_better():
    rising = np.array([[step, step / 1000, 1.0] for step in range(10, 401, 10)])
    reason = why_not.why_not(course(rising, "learned"))
    assert reason is not None and reason.cause == "too-short"
    assert str(reason) == "It ran out of its 400 steps while it was still getting better: 80 of 200 answers are right."


REPEATING = RepeatTask(9, 8)
ALONE = replace(CFG, src_vocab=9, tgt_vocab=9, stacks="decoder")


def alone(curve=STILL, outcome="cannot-learn", **changes):
    cfg = replace(ALONE, **changes)
    state = parameters_of(perturbed_model(cfg))
    return Learned(cfg, REPEATING, Recipe(), outcome, curve, 200, {int(curve[-1, 0]): state}, 1.0)


@pytest.mark.parametrize("changes", [{}, {"position": "none"}, {"score": "concat_linear"}], ids=str)
def test_of_a_decoder_alone_nothing_is_said_of_a_source_and_tokens_are_counted(changes):
    reason = why_not.why_not(alone(**changes))
    assert reason is not None and reason.cause == "unknown" and "ended with 10% right of the tokens that count." in str(reason)
    rising = np.array([[step, step / 1000, 1.0] for step in range(10, 401, 10)])
    assert str(why_not.why_not(alone(rising, "learned"))).endswith("getting better: 40% of the tokens that count are right.")
    nearly = np.array([[10, 0.5, 1.0], [20, 0.85, 0.4]])
    assert why_not.why_not(alone(nearly, "learned")) is None, "more cannot be asked of it"


def test_what_a_decoder_alone_cannot_do_without_its_mask():
    """Its query cancels in one score; and it learns to look ahead."""
    reason = why_not.why_not(alone(score="concat_linear", causal=False))
    assert reason is not None and reason.cause == "query" and reason.values["difference"] < 1e-6
    cfg = replace(ALONE, causal=False, norm="pre", d_model=32, n_heads=2)
    learning = carried_out(LearningPlan(cfg, REPEATING, Recipe(steps=250, rate=5e-3, device="cpu")))
    batch = REPEATING.batch(400, generator(5), held_out=True)
    seen, hidden = why_not.right_when_given(learning.trainer.model.eval(), REPEATING, batch)
    assert seen > 1.5 * hidden > 0


def test_one_that_diverged_and_one_that_has_nothing_to_explain():
    diverged = np.array([[10, 0.1, 2.5], [14, 0.0, np.nan]])
    reason = why_not.why_not(course(diverged, "diverged"))
    assert reason is not None and (reason.cause, reason.values) == ("diverged", {"step": 14, "loss": 2.5})
    assert "2.50" in str(reason) and reason.part in PARTS[reason.page]
    well = np.array([[10, 0.5, 1.0], [20, 0.99, 0.1]])
    assert why_not.why_not(course(well, "learned", position="none")) is None


def test_of_a_decoder_alone_the_tokens_that_the_text_decides_are_counted():
    task = RepeatTask(8, 12)
    cfg = replace(CFG, src_vocab=8, tgt_vocab=8, stacks="decoder", cross_attention=False)
    for changes in ({}, {"position": "none"}, {"score": "concat_linear"}):
        own = replace(cfg, **changes)
        state = parameters_of(perturbed_model(own))
        reason = why_not.why_not(Learned(own, task, Recipe(), "cannot-learn", STILL, 200, {400: state}, 1.0))
        assert reason.cause == "unknown" and "10% right of the tokens that count" in str(reason)
