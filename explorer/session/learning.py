"""The models that this window waits for: the one of its settings, if nobody has learned it yet."""

from collections.abc import Sequence
from dataclasses import replace

from explorer import limits, resources
from explorer.learning.plan import TrainingPlan
from explorer.model_on_screen.settings import ModelSettings, neighbours
from explorer.session import model_choice
from explorer.session.runs import viewer
from explorer.session.session import BackgroundModels, Session, current
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import LearningPlan


def look_after(session: Session) -> None:
    """Requests the learning of the model on screen, if nobody has learned it; call it before that model is asked for.

    A link to step 0 shows the model as it is initialised, and so does a window that has cancelled. When the screen needs no
    learning, the models requested besides have their turn.
    """
    if not session.shows_model:
        _request_next(session)
        return
    settings = session.settings
    try:
        plans = () if settings.model is not None else settings.plans()
    except InputError:  # the page says what is wrong
        plans = ()
    plan = plans[-1] if plans else None
    if session.learning.background_models is not None and (
        plan is None or plan.key != session.learning.background_models.screen
    ):
        session.learning.background_models = None
    if plan is None or resources.model_store().learned_by(plans) is not None:
        session.learning.cancelled = None
        _request_next(session)
        if plan is not None and session.learning.background_models is None and resources.learns_ahead():
            resources.prefetch().look(lambda: _lacking(neighbours(settings)[: limits.PREPARE_NEIGHBOURS]), viewer())
    elif settings.step == 0 or plan.key == session.learning.cancelled:
        _request_next(session)
    else:
        session.learning.cancelled = None
        resources.learning().want(_of_run(plan), viewer())


def _request_next(session: Session) -> None:
    """Requests the next of the models besides the one on screen: one at a time, because a window waits for one. Each is
    forgotten once it has learned, or cannot begin.
    """
    besides = session.learning.background_models
    others = () if besides is None else tuple(each for each in besides.others if not _is_over(each.plans()))
    if besides is None or not others:
        session.learning.background_models = None
        resources.learning().unwant(viewer())
    else:
        session.learning.background_models = replace(besides, others=others)
        resources.learning().want(_of_run(others[0].plan()), viewer())


def _lacking(settings: Sequence[ModelSettings]) -> list[TrainingPlan]:
    """Returns how those of these models learn that nobody has."""
    store = resources.model_store()
    return [_of_run(each.plan()) for each in settings if not any(plan.key in store for plan in each.plans())]


def _is_over(plans: Sequence[LearningPlan]) -> bool:
    key = plans[-1].key
    refused = resources.learning().wish_of(viewer()) == key and resources.learning().refused(key) is not None
    return refused or resources.model_store().learned_by(plans) is not None


def learn_in_background(others: Sequence[ModelSettings]) -> None:
    """Requests that these learn, one after another, besides the model on screen (call it in a callback)."""
    session = current()
    session.learning.background_models = BackgroundModels(session.settings.plan().key, tuple(others))


def cancel_background() -> None:
    """Cancels the models requested besides (call it in a callback)."""
    current().learning.background_models = None


def begin_next() -> None:
    """Begins the next model when one is done; call it now and then while a page waits for them."""
    if current().learning.background_models is not None:
        _request_next(current())


def _of_run(plan: LearningPlan) -> TrainingPlan:
    return TrainingPlan(plan.cfg, plan.task, plan.recipe, plan.target, plan.beyond, plan.gives_up)


def cancel() -> None:
    """Stops waiting in this window (call it in a callback); others go on waiting."""
    session = current()
    session.learning.cancelled = (
        resources.learning().wish_of(viewer()) or session.learning.cancelled
    )  # the button may be pressed twice
    resources.learning().unwant(viewer())


def begin() -> None:
    """Begins to learn the model on screen, which is at step 0 or was cancelled (call it in a callback)."""
    current().learning.cancelled = None
    model_choice.choose("step", None)
