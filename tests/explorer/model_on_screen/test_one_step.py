"""Pins which sentence is learned from, after which kept step, and what a page says that one step moves."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer.exhibits.one_step.in_a_batch import MEASURED
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.one_step import BATCH, kept_steps, lesson_of, step_of, steps_in_a_batch
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from transformer_core.analysis import one_step
from transformer_core.errors import InputError


def lesson(task: str, after: int = 0, **changes):
    return lesson_of(show_model(replace(of_task(task), **changes)), after)


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("everyday-fr", (510, 1363, 3641, 26000)),
        ("everyday-zh", (510, 1363, 3641, 26000)),
        ("letters", (65, 122, 229, 255)),
        ("stories-en", (80, 150, 270, 525)),
    ],
)
def test_steps_are_offered_from_where_half_of_the_answers_begin_to_be_right(task, steps):
    assert kept_steps(show_model(of_task(task)).learning) == steps


def test_of_a_model_that_has_not_learned_there_is_the_beginning():
    shown = show_model(replace(of_task("copy"), d_model=16, n_heads=2), waits=False)
    assert kept_steps(shown.learning) == (0,) and lesson_of(shown, 510).choice == shown.choice.whole


@pytest.mark.parametrize(
    ("task", "given", "right"),
    [
        ("everyday-fr", {"src": "the black cat sleeps"}, ["le", "chat", "noir", "dort", "<end>"]),
        ("everyday-zh", {"src": "the black cat sleeps"}, ["那", "只", "黑", "猫", "睡觉", "<end>"]),
        ("letters", {"numbers": "A C F B"}, ["C", "F", "B"]),
        ("stories-en", {"src": "emma can not find"}, ["emma", "can", "not", "find"]),
    ],
)
def test_what_is_right(task, given, right):
    learner = lesson(task, **given)
    src, tgt, labels = learner.batch(0, 0)
    assert learner.vocabulary.decode(labels) == right
    assert list(tgt) == [learner.vocabulary.start, *labels[:-1]] and len(src) == len(learner.src)


@pytest.mark.parametrize(
    ("task", "given", "why"),
    [
        ("everyday-fr", {"input": "lengths"}, "Random words"),
        ("everyday-fr", {"src": "cat the"}, "Nobody knows"),
        ("pronoun-en", {}, "Nobody knows"),  # its first sentence is no row of the task
    ],
)
def test_where_nothing_is_right_it_says_so(task, given, why):
    with pytest.raises(InputError, match=why):
        lesson(task, **given)


def test_it_is_the_whole_model_after_the_chosen_step_or_the_first_that_is_worth_a_look():
    cut = {"cut": "cross.0.1", "step": 71}
    assert lesson("everyday-fr", 1363, **cut).choice == lesson("everyday-fr", 1363).choice
    assert lesson("everyday-fr", 71, **cut).choice.weights.step == 510


def test_one_lesson_takes_the_first_sentence_from_13_to_54_per_cent():
    found = step_of(lesson("everyday-fr"))
    assert (found.before[found.weakest], found.after[found.weakest]) == (
        pytest.approx(0.134, abs=0.001),
        pytest.approx(0.541, abs=0.001),
    )
    assert found.losses == (pytest.approx(0.815, abs=0.001), pytest.approx(0.444, abs=0.001))


def test_in_a_batch_the_sentence_is_one_of_64_and_without_it_none():
    learner = lesson("letters")
    row = one_step.row_of(*learner.batch(0, 0))
    others = learner.taught.batch(BATCH, torch.Generator().manual_seed(0))
    with_it, without = steps_in_a_batch(learner)
    model = model_of(learner.choice)
    both = one_step.differentiate(model, one_step.beside(row, others.rows(slice(1, None)), learner.cfg.pad_id))
    assert with_it.norm == pytest.approx(both.norm, rel=1e-5)
    assert without.norm == pytest.approx(one_step.differentiate(model, others).norm, rel=1e-5)
    assert len(others.src) == BATCH == 64


def rises(task: str, after: int, in_a_batch: bool) -> dict[str, np.ndarray]:
    """How much more likely the least likely right word of each held-out sentence becomes."""
    learner = lesson(task, after) if after > 71 else None
    shown = show_model(of_task(task))
    model, cut = model_of(shown.at(after).choice), shown.cfg.pad_id
    held_out = shown.taught.batch(MEASURED["n"], torch.Generator().manual_seed(0), held_out=True)
    others = shown.taught.batch(BATCH, torch.Generator().manual_seed(0)).trimmed(cut)
    without = one_step.nudged(model, one_step.differentiate(model, others))
    fewer = shown.taught.batch(BATCH - 1, torch.Generator().manual_seed(0)).trimmed(cut)
    found: dict[str, list[float]] = {"alone": [], "with_it": [], "without": []}
    for i in range(MEASURED["n"]):
        row = held_out.rows(slice(i, i + 1)).trimmed(cut)
        alone = one_step.one_step(model, row)
        at, before = alone.weakest, alone.before[alone.weakest]
        found["alone"].append(alone.after[at] - before)
        if in_a_batch:
            found["with_it"].append(one_step.one_step(model, row, one_step.beside(row, fewer, cut)).after[at] - before)
            found["without"].append(one_step.likelihoods(without, row)[at] - before)
    assert learner is None or learner.choice == shown.at(after).choice
    return {name: np.array(each) for name, each in found.items() if each}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "of"), [("everyday-fr", ""), ("everyday-zh", "zh_")])
def test_what_the_page_says_was_measured(task, of):
    for name, each in rises(task, 510, in_a_batch=True).items():
        # Without the sentence, rises are near 0: rounded otherwise, one may turn its sign.
        assert abs((each > 0).sum() - MEASURED[f"{of}{name}"]) <= (name == "without")
        if not of:
            assert np.median(each) == pytest.approx(MEASURED[f"{name}_rise"], abs=0.0006)


@pytest.mark.slow
def test_long_before_one_step_moves_next_to_nothing():
    assert np.median(rises("everyday-fr", 71, in_a_batch=False)["alone"]) == pytest.approx(MEASURED["early_rise"], abs=0.00006)


def test_a_first_visitors_model_is_the_translator():
    assert lesson(ModelSettings().task).batch(0, 0) == lesson("everyday-fr").batch(0, 0)
