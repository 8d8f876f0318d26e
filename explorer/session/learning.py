"""What this window waits for: the model of its settings, where nobody has learned it yet."""

from explorer import server
from explorer.inference.settings import neighbours
from explorer.session import model_choice
from explorer.session.runs import viewer
from explorer.session.session import Session, current
from explorer.training import limits
from explorer.training.plan import TrainingPlan
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import LearningPlan


def look_after(session: Session) -> None:
    """Has the model on screen learned, where nobody has done so yet; call it before that model is asked for.

    A link to step 0 shows the model as it is initialised, and so does a window that has cancelled.
    """
    settings = session.settings
    try:
        plan = None if settings.model is not None else settings.plan()
    except InputError:  # the page says what is wrong with these settings
        plan = None
    if plan is None or server.model_store().get(plan.key) is not None:
        session.cancelled = None
        server.learning().unwant(viewer())
        if plan is not None and server.learns_ahead():
            server.ahead().look(
                lambda: [_of_run(each.plan()) for each in neighbours(settings)[: limits.PREPARE_NEIGHBOURS]], viewer()
            )
    elif settings.step == 0 or plan.key == session.cancelled:
        server.learning().unwant(viewer())
    else:
        session.cancelled = None
        server.learning().want(_of_run(plan), viewer())


def _of_run(plan: LearningPlan) -> TrainingPlan:
    return TrainingPlan(plan.cfg, plan.task, plan.recipe, plan.target, plan.beyond, plan.gives_up)


def cancel() -> None:
    """This window waits no longer (call it in a callback); others go on waiting."""
    session = current()
    session.cancelled = server.learning().wish_of(viewer()) or session.cancelled  # the button may be pressed twice
    server.learning().unwant(viewer())


def begin() -> None:
    """The model on screen, which is at step 0 or was cancelled, is to learn after all (call it in a callback)."""
    current().cancelled = None
    model_choice.choose("step", None)
