"""Compares runs: their settings, and how soon each reached the target."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.learning.snapshots import Snapshot
from transformer_core.data.tasks import task_to_dict
from transformer_core.training.cost import count_by_formula

_FOLLOW = {"src_vocab", "tgt_vocab", "pad_id", "stacks"}  # settings that follow from the task


def settings(plan: TrainingPlan) -> dict[str, Any]:
    """All settings of a run, by name."""
    cfg = {name: value for name, value in asdict(plan.cfg).items() if name not in _FOLLOW}
    task = {{"name": "task"}.get(name, name): value for name, value in task_to_dict(plan.task).items()}
    return task | cfg | asdict(plan.recipe) | {"target": plan.target}


def differences(first: TrainingPlan, other: TrainingPlan) -> dict[str, Any]:
    """The settings of `other` that differ from those of `first`, by name; None for one that its task does not have."""
    known, other_settings = settings(first), settings(other)
    return {name: other_settings.get(name) for name in (known | other_settings) if known.get(name) != other_settings.get(name)}


def reached(history: RunHistory, share: float) -> tuple[int, float] | None:
    """The step of the first evaluation with this exact match, and the seconds of compute until then; None if there is none."""
    evaluations = np.flatnonzero(history.evaluations[:, 1] >= share)
    if not len(evaluations):
        return None
    step = int(history.evaluations[evaluations[0], 0])
    return step, float(history.step_seconds[: step - history.first_step].sum())


def smallest(runs: Sequence[RunHistory], share: float) -> list[RunHistory]:
    """The runs with the fewest parameters among those that reached the target."""
    there = [(count_by_formula(run.plan.cfg), run) for run in runs if reached(run, share) is not None]
    least = min((count for count, _run in there), default=0)
    return [run for count, run in there if count == least]


def common_steps(one: RunHistory, other: RunHistory) -> dict[int, tuple[Snapshot, Snapshot]]:
    """The steps of which both have a snapshot, in order, with the two snapshots."""
    theirs = {snapshot.step: snapshot for snapshot in other.snapshots}
    return {mine.step: (mine, theirs[mine.step]) for mine in one.snapshots if mine.step in theirs}
