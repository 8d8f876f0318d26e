"""The state of a model's learning: how far it has come, and which steps can be shown."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.learning.learned_model import LearnedModel
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.errors import InputError, WordedError

State = Literal["learned", "learning", "initial", "cannot-learn"]


@dataclass(frozen=True, eq=False)
class LearningState:
    """The progress of a model's learning, and the step that is on screen.

    Attributes:
        state: "initial" if only its initial weights are known; "cannot-learn" also if the loss became infinite.
        steps: steps that can be shown, in order; the last is the end, unless the model is still learning.
        right: share of held-out rows answered right at this step; None if it was not measured. rows: how many.
        curve: (evaluations, 3): step, share right, loss; None if there is none.
        seed: of the initial weights; None if a file does not name it, and step 0 cannot be shown.
        model: its id in the store; None if it is not there.
        diverged: whether the loss became infinite.
        refused: why learning could not begin, or could not go on.
        says_steps: whether the number of steps is known.
        note: a message about the learning, such as that its worker process ended.
    """

    state: State
    step: int
    steps: tuple[int, ...]
    right: float | None = None
    rows: int | None = None
    curve: np.ndarray | None = None
    seed: int | None = None
    model: str | None = None
    diverged: bool = False
    refused: InputError | None = None
    note: WordedError | None = None
    says_steps: bool = True

    @property
    def last(self) -> int:
        return self.steps[-1]

    @property
    def is_at_end(self) -> bool:
        return self.state in ("learned", "cannot-learn") and self.step == self.last

    @property
    def is_final(self) -> bool:
        """True if the model is in the store: it no longer changes."""
        return self.model is not None and self.state != "learning"


@shared_cache(2**20)  # one object per seed: answers are cached by it
def initial_state(seed: int) -> LearningState:
    """Returns the state of a model of which only the initial weights are known."""
    return LearningState("initial", 0, (0,), seed=seed)


def waiting_state(seed: int, refused: InputError | None) -> LearningState:
    """Returns the state of a model that somebody waits for, before its first step."""
    return LearningState("learning" if refused is None else "cannot-learn", 0, (0,), seed=seed, refused=refused)


def learning_state(model: LearnedModel, step: int | None) -> LearningState:
    """Returns the state of a model that is learning, at the newest step or an earlier one, with the share right that was last
    measured until then.
    """
    at = model.nearest(step)
    measured = model.curve[model.curve[:, 0] <= at]
    right = float(measured[-1, 1]) if len(measured) else None
    return LearningState("learning", at, model.steps, right, model.rows, model.curve, model.seed, model.id)


def state_at(model: LearnedModel, step: int | None) -> LearningState:
    """Returns the state of a stored model at the last kept step up to `step`; None: at its end."""
    at = model.nearest(step)
    return LearningState(
        "learned" if model.outcome == "learned" else "cannot-learn",
        at,
        model.steps,
        model.right_at(at),
        model.rows_at(at),
        model.curve,
        model.seed,
        model.id,
        model.outcome == "diverged",
        says_steps=model.says_steps,
    )
