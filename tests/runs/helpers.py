"""Plans that train in a blink, and waiting for a state."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.runs import History, Plan, Run
from transformer_core import CopyTask, Recipe, TransformerConfig

CFG = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=1, dropout=0.2, norm="pre")
TASK = CopyTask(vocab=7, length=4)
RECIPE = Recipe(steps=12, batch_size=5, evaluate_every=4, evaluate_on=6, device="cpu")
NEVER = 1.1  # a goal that no run reaches


def plan(goal: float = NEVER, **recipe: Any) -> Plan:
    """A small model with dropout: a generator shared by two runs would show in the numbers."""
    return Plan(CFG, TASK, replace(RECIPE, **recipe), goal)


DIVERGES = plan(rate=1e30)  # at its second step


def advance(run: Run, steps: int) -> None:
    for _ in range(steps):
        run.advance(0)


def finish(run: Run) -> History:
    run.advance(float("inf"))
    return run.history()


def same(a: History, b: History) -> bool:
    """Whether two runs went through the same numbers, to the last bit."""
    pairs = ((a.loss, b.loss), (a.gradient_norm, b.gradient_norm), (a.learning_rate, b.learning_rate), (a.looks, b.looks))
    return all(np.array_equal(x, y) for x, y in pairs)


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Waits for a state that other threads bring about; gives up after a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"waited a minute for: {what}"
        time.sleep(0.002)
