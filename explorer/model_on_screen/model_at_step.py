"""The model on screen, from the settings alone: which one it is, and how far it has learned. Of no sentence."""

from dataclasses import dataclass, replace
from weakref import ref

from explorer import resources
from explorer.learning.learned_model import LearnedModel
from explorer.model_on_screen.forward import Learned, ModelChoice, Random, cache_snapshot
from explorer.model_on_screen.learning_state import LearningState, initial_state, learning_state, state_at, waiting_state
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.translator import HasVocabulary
from transformer_core import TransformerConfig, Vocabulary
from transformer_core.data.tasks import Task
from transformer_core.errors import InputError
from transformer_core.training.cost import count_by_formula
from transformer_core.training.learning_plan import LearningPlan


@dataclass(frozen=True)
class ModelAtStep(HasVocabulary):
    """A model at a step of its learning, without cuts.

    Attributes:
        task: the name of what it learns; "" if a file does not name it.
        taught: the task with its sizes; None if a file does not name it.
        learning: how far it has learned, and the step.
    """

    task: str
    taught: Task | None
    vocabulary: Vocabulary
    cfg: TransformerConfig
    learning: LearningState

    @property
    def choice(self) -> ModelChoice:
        """The model itself."""
        return self.choice_at(self.learning.step)

    def choice_at(self, step: int) -> ModelChoice:
        """Returns the model after a kept step of its learning."""
        if step == 0 and (initial := self._before_learning()) is not None:
            return initial
        assert self.learning.model is not None
        return ModelChoice(self.cfg, Learned(self.learning.model, step))

    @property
    def initial(self) -> ModelChoice | None:
        """The same model before its first step; None if that is unknown, or on screen."""
        return self._before_learning() if self.learning.step > 0 else None

    def _before_learning(self) -> ModelChoice | None:
        seed, steps = self.learning.seed, self.learning.steps
        return None if seed is None or steps[0] else ModelChoice(self.cfg, Random(seed))

    @property
    def parameters(self) -> int:
        return count_by_formula(self.cfg)


def find_model(settings: ModelSettings, waits: bool = True) -> ModelAtStep:
    """Finds the model that these settings describe: in the store, among those that are learning now, or before its first step.

    `waits`: whether it is shown while it learns; otherwise a model that has not learned is shown at step 0.

    Raises:
        InputError: for a model that is not on this server any more, or settings that describe none.
    """
    store = resources.model_store()
    found = store.learned_by(settings.plans()) if settings.model is None else store.get(settings.model)
    if found is not None:
        return _of_store(found, settings.step)
    if settings.model is not None:
        raise InputError("This model is no longer here: it was deleted, or nobody had opened it for long.")
    plan = settings.plan()
    learning = _unlearned(settings, plan) if waits else initial_state(settings.seed)
    return ModelAtStep(settings.task, plan.task, plan.task.vocabulary, plan.cfg, learning)


@shared_cache(2**22, key=lambda found, step: (ref(found), step))  # one object per step: what is shown is cached by it
def _of_store(found: LearnedModel, step: int | None) -> ModelAtStep:
    """Returns a stored model at the last kept step up to `step`. It does not keep the weights in memory."""
    return ModelAtStep(found.task, found.taught, found.vocabulary, found.cfg, state_at(found, step))


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
