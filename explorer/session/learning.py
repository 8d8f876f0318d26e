"""What this window waits for: the model of its settings, where nobody has learned it yet."""

from dataclasses import dataclass

import numpy as np

from explorer import server
from explorer.inference.settings import neighbours
from explorer.session import model_choice
from explorer.session.runs import viewer
from explorer.session.session import Session, current
from explorer.training import limits
from explorer.training.plan import TrainingPlan
from transformer_core.errors import InputError, WordedError
from transformer_core.training.learning import last_step
from transformer_core.training.learning_plan import LearningPlan


@dataclass(frozen=True)
class Progress:
    """How far a model has come: its newest step, the seconds since it began, and whether there is nothing to wait for any more
    (it is done, or cannot be begun); and what else is to be told of it."""

    step: int
    seconds: float
    over: bool
    note: WordedError | None = None


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


def awaited() -> str | None:
    """The key of the model that this window waits for."""
    return server.learning().wish_of(viewer())


def progress(key: str) -> Progress:
    """How far this model has come by now."""
    demand = server.learning()
    if server.model_store().get(key) is not None or demand.refused(key) is not None:
        return Progress(0, 0.0, over=True)
    run = demand.run(key)
    newest = None if run is None else run.weights()
    return Progress(0 if newest is None else newest[0], demand.seconds(key), not demand.is_wanted(key), demand.note(key))


def seconds_left() -> tuple[int, bool] | None:
    """About how long this window still has to wait: the steps that are left, at the pace so far; and whether that is known, or
    only the most that it can take."""
    key = awaited()
    run = None if key is None else server.learning().run(key)
    if key is None or run is None or (newest := run.weights()) is None or newest[0] == 0:
        return None
    so_far = run.learned()
    curve = np.empty((0, 3)) if so_far is None else so_far.curve
    left = last_step(run.plan, curve) - newest[0]
    known = run.plan.beyond is None or bool(len(curve) and curve[:, 1].max() >= run.plan.target)
    return max(1, round(server.learning().seconds(key) * left / newest[0])), known


def cancel() -> None:
    """This window waits no longer (call it in a callback); others go on waiting."""
    session = current()
    session.cancelled = server.learning().wish_of(viewer()) or session.cancelled  # the button may be pressed twice
    server.learning().unwant(viewer())


def begin() -> None:
    """The model on screen, which is at step 0 or was cancelled, is to learn after all (call it in a callback)."""
    current().cancelled = None
    model_choice.choose("step", None)
