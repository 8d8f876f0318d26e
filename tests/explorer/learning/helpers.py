"""Plans that train in a blink, and waiting for a state."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from explorer.learning.workers import Place
from transformer_core import CopyTask, Recipe, TransformerConfig, checkpoint
from transformer_core.training import learned

CFG = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=1, dropout=0.2, norm="pre")
TASK = CopyTask(vocab=7, length=4)
RECIPE = Recipe(steps=12, batch_size=5, evaluate_every=4, evaluate_on=6, device="cpu")
NEVER = 1.1  # a target that no run reaches
FOREVER = float("inf")
HANGS = 600  # seconds after which what other threads should have done will not be done any more


def plan(target: float = NEVER, **recipe: Any) -> TrainingPlan:
    """A small model with dropout: a generator shared by two runs would show in the numbers."""
    return TrainingPlan(CFG, TASK, replace(RECIPE, **recipe), target)


DIVERGES = plan(rate=1e30)  # at its second step


def advance(run: TrainingRun, steps: int) -> None:
    for _ in range(steps):
        run.advance(0)


def finish(run: TrainingRun) -> RunHistory:
    run.advance(float("inf"))
    return run.history()


def same(a: RunHistory, b: RunHistory) -> bool:
    """Whether two runs went through the same numbers, to the last bit."""
    pairs = (
        (a.loss, b.loss),
        (a.gradient_norm, b.gradient_norm),
        (a.learning_rate, b.learning_rate),
        (a.evaluations, b.evaluations),
    )
    return all(np.array_equal(x, y) for x, y in pairs)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Waits for a state that other threads bring about. To give up ends a test that would hang; no machine is that slow."""
    deadline = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for: {what}"
        time.sleep(0.002)


def all_of(run: TrainingRun) -> bytes:
    """All of a run that its file tells, but for which run it is."""
    loaded = checkpoint.from_bytes(run.checkpoint(training=True))
    course = learned.to_bytes(learned.from_bytes(loaded.course)) if loaded.course else b""
    return checkpoint.to_bytes(loaded.model, loaded.facts, loaded.training, course=course)


def equal(run: TrainingRun, other: TrainingRun) -> bool:
    pairs = zip(run.history().snapshots, other.history().snapshots, strict=True)
    alike = all(
        a.step == b.step
        and a.gradient_norms == b.gradient_norms
        and (a.probabilities == b.probabilities).all()
        and all(np.array_equal(a.weights[name], b.weights[name]) for name in b.weights)
        for a, b in pairs
    )
    (step, weights), (other_step, other_weights) = run.weights(), other.weights()
    alike = alike and step == other_step and torch.equal(weights, other_weights)
    return alike and same(run.history(), other.history()) and all_of(run) == all_of(other)


def finished(a_plan: TrainingPlan) -> TrainingRun:
    """A run that never left this process."""
    run = TrainingRun(a_plan, "me")
    finish(run)
    return run


def over(*runs: TrainingRun) -> None:
    wait_until(lambda: all(run.over for run in runs), "the end of all runs")


def three_single_steps(run: TrainingRun, place: Place) -> None:
    """Pauses a run that has just begun, and has it take three steps at a place, one by one: with them it is where it would be
    here."""
    run.pause()
    run.advance(FOREVER, place)
    assert run.history().step == 0 and run.weights() is None
    for step in (1, 2, 3):
        run.step_once()
        run.advance(FOREVER, place)
        assert (run.status, run.history().step, run.weights()[0]) == (Status.PAUSED, step, step)
    at_three = TrainingRun(run.plan, "me")
    advance(at_three, 3)
    assert all_of(run) == all_of(at_three)
