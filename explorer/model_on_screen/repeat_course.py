"""A decoder alone that learns to repeat: its heads' shares of attention after each kept step, and what cutting them costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.analysis.repeat_heads import CutHeads, HeadScores, head_scores, without_heads
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import RepeatTask

TASK = RepeatTask.name
CHANGES: Mapping[str, Mapping[str, Any]] = {"one": {}, "four": {"n_heads": 4}, "flat": {"n_layers": 1}}  # by model
CLIFF = 0.3, 0.8  # shares right, between which a curve is steep
LOOKS = 0.3  # share of attention from which a head counts as one that looks at such a place
ROWS = 200  # held-out rows, by which no training ends
_SEED = 2


@dataclass(frozen=True, eq=False)
class RepeatCourse:
    """The course of a model's heads.

    Shape: after and before (step, layer, head), see `HeadScores`
    """

    steps: tuple[int, ...]
    after: np.ndarray
    before: np.ndarray

    @property
    def last(self) -> HeadScores:
        return HeadScores(self.after[-1], self.before[-1])


def models() -> dict[str, ModelSettings]:
    """Returns the settings of the models that are compared: they differ in one setting."""
    return {name: replace(of_task(TASK), **change) for name, change in CHANGES.items()}


def rows() -> Batch:
    """Returns the rows on which heads are measured."""
    return RepeatTask().batch(ROWS, torch.Generator().manual_seed(_SEED), held_out=True)


def judged() -> int:
    """Counts the letters that are judged in these rows."""
    judged = rows().judged
    assert judged is not None
    return int(judged.sum())


def course_of(shown: ShownModel) -> RepeatCourse:
    """Measures the heads of a model that learns to repeat after each kept step of its learning."""
    return _course(tuple(shown.model.choice_at(step) for step in shown.learning.steps), shown.learning.steps)


@shared_cache(2**20, size=lambda found: found.after.nbytes + found.before.nbytes + 2**10)
def _course(choices: tuple[ModelChoice, ...], steps: tuple[int, ...]) -> RepeatCourse:
    measured = rows()
    scores = [head_scores(model_of(choice), measured) for choice in choices]
    return RepeatCourse(steps, np.stack([each.after for each in scores]), np.stack([each.before for each in scores]))


def repeated_places(tokens: Sequence[int]) -> dict[int, int]:
    """Returns the places whose token and next token have stood beside each other before, each with the place of that earlier
    next token, the last one.
    """
    pairs = [*pairwise(tokens)]
    last = {at: max((key for key in range(1, at) if pairs[key] == pair), default=0) for at, pair in enumerate(pairs)}
    return {at: key + 1 for at, key in last.items() if key}


def cliff(share: np.ndarray) -> tuple[int, int] | None:
    """Finds where the share right begins to rise steeply, and where it ends; None if it stays below. Shape: (evaluation,)"""
    low, high = CLIFF
    below, above = np.flatnonzero(share < low), np.flatnonzero(share >= high)
    return (int(below[-1]), int(above[0])) if len(below) and len(above) else None


def cost_of_heads(shown: ShownModel, heads: Sequence[HeadCut]) -> CutHeads:
    """Measures the share of judged letters that the model gets right at the end of its learning, with these heads and without
    them.
    """
    return _cost(shown.model.choice_at(shown.learning.last), tuple(heads))


@shared_cache(2**18)
def _cost(choice: ModelChoice, heads: tuple[HeadCut, ...]) -> CutHeads:
    return without_heads(model_of(choice), RepeatTask(), rows(), heads)


def after_without(shown: ShownModel, looking: HeadCut, off: HeadCut) -> float:
    """Measures the share of attention that a head gives to what came after, at the end of learning, with another head off."""
    return _after_without(shown.model.choice_at(shown.learning.last), looking, off)


@shared_cache(2**16)
def _after_without(choice: ModelChoice, looking: HeadCut, off: HeadCut) -> float:
    return float(head_scores(cut_out(model_of(choice), [off]), rows()).after[looking.layer, looking.head])


__all__ = [
    "CHANGES", "LOOKS", "ROWS", "TASK", "RepeatCourse", "after_without", "cliff", "cost_of_heads", "course_of", "judged",
    "models", "repeated_places", "rows",
]  # fmt: skip
