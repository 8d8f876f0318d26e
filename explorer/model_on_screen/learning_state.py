"""The state of a model's learning: how far it has come, and which steps can be shown."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from explorer import resources
from explorer.learning.learned_model import LearnedModel
from explorer.model_on_screen.forward import Learned, ModelChoice, cache_snapshot
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.translator import HasVocabulary
from transformer_core import TransformerConfig, Vocabulary
from transformer_core.data.tasks import Task
from transformer_core.errors import InputError, WordedError
from transformer_core.training.learning_plan import LearningPlan

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


@shared_cache(2**20)  # one object per seed: answers are cached by it
def initial_state(seed: int) -> LearningState:
    """Returns the state of a model of which only the initial weights are known."""
    return LearningState("initial", 0, (0,), seed=seed)


def waiting_state(seed: int, refused: InputError | None) -> LearningState:
    """Returns the state of a model that somebody waits for, before its first step."""
    return LearningState("learning" if refused is None else "cannot-learn", 0, (0,), seed=seed, refused=refused)


def learning_state(found: LearnedModel, step: int | None) -> LearningState:
    """Returns the state of a model that is learning, at the newest step or an earlier one, with the share right that was last
    measured until then.
    """
    at = found.nearest(step)
    measured = found.curve[found.curve[:, 0] <= at]
    right = float(measured[-1, 1]) if len(measured) else None
    return LearningState("learning", at, found.steps, right, found.rows, found.curve, found.seed, found.id)


def state_at(found: LearnedModel, step: int | None) -> LearningState:
    """Returns the state of a stored model at the last kept step up to `step`; None: at its end."""
    at = found.nearest(step)
    return LearningState(
        "learned" if found.outcome == "learned" else "cannot-learn",
        at,
        found.steps,
        found.right_at(at),
        found.rows,
        found.curve,
        found.seed,
        found.id,
        found.outcome == "diverged",
        says_steps=found.says_steps,
    )


@dataclass(frozen=True, eq=False)
class KnownModel(HasVocabulary):
    """A model that was found: what it learns, and how far it has learned it.

    Attributes:
        task: the name of what it learns; "" where a file does not say it.
        taught: the task itself, with its sizes; None where a file does not say it.
        found: the model in the store; None where it is not there.
    """

    task: str
    taught: Task | None
    vocabulary: Vocabulary
    cfg: TransformerConfig
    learning: LearningState
    found: LearnedModel | None = None


def known_model(settings: ModelSettings, waits: bool) -> KnownModel:
    """Finds the model that these settings describe: in the store, among those that are learning now, or before its first step.

    Raises:
        InputError: for a model that is not on this server any more, or settings that describe none.
    """
    if settings.model is not None:
        found = resources.model_store().get(settings.model)
        if found is None:
            raise InputError("The model in this link is no longer on this server. Close it in the sidebar.")
        return KnownModel(found.task, found.taught, found.vocabulary, found.cfg, state_at(found, settings.step), found)
    plan = settings.plan()
    found = resources.model_store().learned_by(settings.plans())
    if found is not None:
        learning = state_at(found, settings.step)
    else:
        learning = _unlearned(settings, plan) if waits else initial_state(settings.seed)
    return KnownModel(settings.task, plan.task, plan.task.vocabulary, plan.cfg, learning, found)


def _unlearned(settings: ModelSettings, plan: LearningPlan) -> LearningState:
    """Returns the state of a model that the store lacks and that may be learning now."""
    learner = resources.learning()
    if (live := learner.live(plan.key)) is not None:
        learning = replace(learning_state(live, settings.step), note=learner.note(plan.key))
        if learning.step:
            cache_snapshot(ModelChoice(plan.cfg, Learned(plan.key, learning.step)), live)
        return learning
    if learner.is_wanted(plan.key):
        return replace(waiting_state(settings.seed, learner.refused(plan.key)), note=learner.note(plan.key))
    return initial_state(settings.seed)
