"""Models that can be shown at once, for pictures that follow a knob while it is moved."""

from dataclasses import replace
from typing import Any

from explorer import server
from explorer.inference.settings import NAMES, ModelSettings, stops
from explorer.inference.shown_model import ShownModel, show_model
from transformer_core.errors import InputError
from transformer_core.model.accounting import count_by_formula

_MOST = 2_000_000  # parameters: to build more takes longer than a picture may


def at_hand(settings: ModelSettings, turned: str) -> tuple[ShownModel, ModelSettings] | None:
    """The model of these settings, and the settings; where nobody has learned it yet, the one with the nearest value of the
    setting `turned` that has been learned. None where there is none, or it is too large. Raises InputError for what cannot be
    shown."""
    nearest = next((each for each in (settings, *around(settings, turned)) if _is_at_hand(each)), None)
    return None if nearest is None else (show_model(nearest), nearest)


def learning_now(settings: ModelSettings) -> ShownModel | None:
    """The model of these settings while it is learning; None where it is not, or is too large to be drawn again and again.
    Raises InputError for what cannot be shown."""
    if settings.model is not None or count_by_formula(settings.plan().cfg) > _MOST:
        return None
    shown = show_model(settings)
    return shown if shown.course.state == "learning" else None


def around(settings: ModelSettings, turned: str) -> list[ModelSettings]:
    """Where else the knob of a setting can stand, the nearest first. Raises InputError for what cannot be shown."""
    if turned not in NAMES:
        return []
    if turned == "step":
        steps = show_model(settings).course.steps if _is_at_hand(settings) else ()
        values = [None if step == steps[-1] else step for step in steps]
    else:
        values = [*stops(settings).get(turned, ())]
    now = getattr(settings, turned)
    if now not in values:
        return []
    others = sorted(range(len(values)), key=lambda place: abs(place - values.index(now)))[1:]
    changes: list[dict[str, Any]] = [{turned: values[place]} for place in others]
    return [replace(settings, **change) for change in changes]


def prepare(settings: ModelSettings) -> None:
    """Computes what pictures of these settings will be drawn from, if they can be had at once."""
    try:
        if _is_at_hand(settings):
            show_model(settings).forward()
    except InputError:  # nobody has asked for it
        return


def _is_at_hand(settings: ModelSettings) -> bool:
    """Whether it need not learn first, and is small enough."""
    store = server.model_store()
    if settings.model is not None:
        found = store.get(settings.model)
        return found is None or count_by_formula(found.cfg) <= _MOST
    try:
        plan = settings.plan()
    except InputError:
        return False
    if count_by_formula(plan.cfg) > _MOST:
        return False
    return settings.step == 0 or plan.key in store or server.learning().live(plan.key) is not None
