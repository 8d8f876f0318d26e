"""Pins: equal plans give equal weights; what is kept, and when it ends, follows from the curve alone."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import carried_out, config, generator
from transformer_core import CopyTask, Recipe, ReverseTask, Trainer, TrainingDiverged, Transformer
from transformer_core.training.learned import from_bytes, initial, to_bytes
from transformer_core.training.learning import Course, Learning, kept_steps, last_step, outcome_of, spread_steps, stands_still
from transformer_core.training.learning_plan import LearningPlan

CFG = config(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, n_layers=1)


def small_plan(steps=40, **changes):
    recipe = Recipe(steps=steps, batch_size=4, warmup=5, seed=2, device="cpu", evaluate_every=10, evaluate_on=20)
    return replace(LearningPlan(CFG, CopyTask(7, 5), recipe), **changes)


def curve(steps, share, loss):
    """What is measured every ten steps, from functions of the step."""
    return np.array([[step, share(step), loss(step)] for step in range(10, steps + 1, 10)], dtype=np.float64)


def wobbling(size, seed=0):
    draws = np.random.default_rng(seed)
    return lambda _step: size * draws.standard_normal()


# What is kept


def test_the_steps_that_are_kept_stand_close_together_in_the_beginning():
    steps = kept_steps(1500)
    assert steps[:4] == [10, 20, 30, 40] and steps[-1] == 1500 and len(steps) < 20
    assert all(step % 10 == 0 for step in steps) and steps == sorted(set(steps))
    assert all(later <= 1.6 * step for step, later in pairwise(steps[3:]))
    assert kept_steps(7) == [7] and kept_steps(10) == [10] and kept_steps(25) == [10, 20, 25]
    assert spread_steps(26_000, 5)[-1] == 26_000 and len(spread_steps(26_000, 5)) == 5


def test_equal_plans_give_equal_weights_and_curves_to_the_last_bit():
    first, second = carried_out(small_plan()), carried_out(small_plan())
    assert np.array_equal(first.curve, second.curve)
    assert list(first.states) == list(second.states) == kept_steps(40)
    assert all(torch.equal(state, second.states[step]) for step, state in first.states.items())
    other = carried_out(replace(small_plan(), recipe=replace(small_plan().recipe, seed=3)))
    assert not torch.equal(other.states[10], first.states[10])


@pytest.mark.parametrize("rows", [None, ReverseTask(7, 5)], ids=["of its task", "others"])
def test_what_is_kept_is_what_training_passes_through_and_named_by_its_plan(rows):
    plan = small_plan(rows=rows)
    learned = carried_out(plan, keep=[20, 30]).learned()
    assert learned.steps == (0, 20, 30, 40) and learned.outcome == "learned" and learned.rows == 20
    assert (learned.task, learned.key) == (plan.task, plan.key) and (plan.key == small_plan().key) == (rows is None)
    trainer = Trainer(Transformer(CFG, generator(2)), rows or plan.task, plan.recipe)
    for _ in range(20):
        trainer.step()
    for mine, its in zip(learned.model(20).parameters(), trainer.model.parameters(), strict=True):
        assert torch.equal(mine, its.half().float())
    with torch.no_grad():
        assert all(map(torch.equal, learned.model(0).parameters(), initial(CFG, 2).parameters()))
    assert [step for step, *_ in learned.curve] == [10, 20, 30, 40]
    assert to_bytes(from_bytes(to_bytes(learned))) == to_bytes(learned)


def test_steps_that_are_kept_are_measured():
    learning = carried_out(small_plan(steps=30), keep=[15])
    assert learning.curve[:, 0].tolist() == [10, 15, 20, 30] and list(learning.states) == [15, 30]


def test_once_it_has_learned_only_what_is_kept_is_measured():
    """The share right is what takes time; the steps are the same, whoever looks at them."""
    plan = small_plan(steps=1500, task=CopyTask(7, 4), target=0.6, gives_up=0.0)
    plan = replace(plan, recipe=replace(plan.recipe, batch_size=16, rate=1e-2))
    keep, reports = [60, 100, 200, 300, 400, 500], []
    alone, looked_at = carried_out(plan, keep), Learning(plan, keep, probes=True)
    while looked_at.outcome is None:
        reports.append(looked_at.step())
    measured = alone.curve
    reached = int(measured[measured[:, 1] >= plan.target, 0][0])
    assert alone.outcome == "learned" and alone.steps_taken == looked_at.steps_taken == round(1.5 * reached) < 1500
    assert measured[measured[:, 0] <= reached, 0].tolist() == sorted({*range(10, reached + 1, 10)})
    later = [step for step in keep if reached < step < alone.steps_taken]
    assert measured[measured[:, 0] > reached, 0].tolist() == [*later, alone.steps_taken]
    every = looked_at.curve
    assert every[:, 0].tolist() == sorted({*range(10, alone.steps_taken, 10), alone.steps_taken})
    assert np.array_equal(measured, every[np.isin(every[:, 0], measured[:, 0])])
    assert [report.step for report in reports if report.evaluation] == every[:, 0].tolist()
    assert all(torch.equal(state, looked_at.states[step]) for step, state in alone.states.items())


def test_one_that_diverges_keeps_what_it_had():
    learning = Learning(small_plan())
    for _ in range(12):
        learning.step()
    with torch.no_grad():
        learning.trainer._parameters.fill_(torch.nan)
    with pytest.raises(TrainingDiverged):
        learning.step()
    learned = learning.learned()
    assert learned.outcome == "diverged" and learned.last == 12
    with torch.no_grad():
        learning.trainer._parameters.fill_(0.0)
    assert from_bytes(to_bytes(replace(learned, states={10: learned.states[10]}))).curve[-1, 0] == 12


def test_it_goes_on_from_a_step_that_was_restored():
    plan, whole = small_plan(), carried_out(small_plan())
    first = Learning(plan)
    for _ in range(25):
        first.step()
    second = Learning(plan)
    second.trainer.model.load_state_dict(first.trainer.model.state_dict())
    second.trainer.restore(first.trainer.state())
    second.go_to(whole.curve, whole.states)
    assert second.curve[:, 0].tolist() == [10, 20] and second.outcome is None
    while second.outcome is None:
        second.step()
    assert np.array_equal(second.curve, whole.curve)
    assert all(torch.equal(state, second.states[step]) for step, state in whole.states.items())


def test_a_course_that_is_cut_is_what_it_was_at_that_step_and_ends_as_it_did():
    whole = carried_out(small_plan())
    course = Course(whole.plan)
    course.rows, course.states, course.outcome = [*whole.rows], dict(whole.states), whole.outcome
    course.cut(40)
    assert to_bytes(replace(course.learned(), seconds=whole.seconds)) == to_bytes(whole.learned())
    assert course.outcome == whole.outcome == "learned"
    course.cut(25)
    assert [row[0] for row in course.rows] == [10, 20] and course.outcome is None
    assert list(course.states) == [step for step in whole.states if step <= 25]


# When it ends


def test_it_is_trained_on_for_half_as_long_as_it_took():
    plan = small_plan(steps=1500)
    learning = curve(600, lambda step: min(step / 200, 1.0), lambda step: 1 / step)
    assert [outcome_of(plan, learning[:n]) for n in (1, 19, 20, 29)] == [None] * 4
    assert (last_step(plan, learning[:19]), last_step(plan, learning)) == (1500, 300)
    assert outcome_of(plan, learning[:30]) == "learned"
    assert last_step(replace(plan, beyond=None), learning) == 1500
    late = curve(1100, lambda step: step / 1100, lambda step: 1 / step)
    assert last_step(plan, late) == 1500, "no more than there are"


@pytest.mark.parametrize(
    ("name", "share", "loss"),
    [
        ("copying without positions", lambda _: 0.0, lambda step: 1.35 + 0.2 * np.exp(-step / 100)),
        ("nothing is taken from the source", lambda _: 0.0, lambda _: 1.73),
        ("without the mask: a loss of nothing, and nothing right", lambda _: 0.0, lambda step: 0.3 * np.exp(-step / 40)),
        ("some right, not more", lambda step: 0.7 * (1 - np.exp(-step / 60)), lambda step: 0.2 + np.exp(-step / 30)),
    ],
)
def test_what_cannot_learn_is_given_up_early(name, share, loss):
    noise, wobble = wobbling(0.02), wobbling(0.03, 1)
    measured = curve(
        1500, lambda step: max(share(step) + (share(step) > 0) * noise(step), 0), lambda s: loss(s) * (1 + wobble(s))
    )
    given_up = next(n for n in range(1, 151) if outcome_of(small_plan(steps=1500), measured[:n]) == "cannot-learn")
    assert 40 <= given_up <= 70, name
    assert outcome_of(small_plan(steps=1500, gives_up=0.0), measured[:100]) is None


@pytest.mark.parametrize(
    ("name", "share", "loss"),
    [
        ("sums", lambda step: 1 / (1 + np.exp((450 - step) / 50)), lambda step: 1.5 - step / 1000),
        ("few right for long", lambda step: max(0.0, (step - 800) / 700), lambda step: 2 * np.exp(-step / 1200)),
        ("slow and steady", lambda step: step / 2000, lambda _: 0.5),
        ("near the target", lambda step: min(step / 100, 0.95), lambda _: 0.1),
    ],
)
def test_what_learns_late_is_not(name, share, loss):
    noise, wobble = wobbling(0.01), wobbling(0.03, 1)
    measured = curve(1490, lambda step: min(max(share(step) + noise(step), 0), 0.98), lambda s: loss(s) * (1 + wobble(s)))
    assert {outcome_of(small_plan(steps=1500), measured[:n]) for n in range(1, 150)} == {None}, name


def test_standing_still_needs_something_to_compare():
    assert not stands_still(np.array([[10, 0.0, 1.0]]))
    assert not stands_still(np.array([[10, 0.0, 1.0], [20, 0.0, 1.0]]))
    assert stands_still(curve(40, lambda _: 0.0, lambda _: 1.0))
