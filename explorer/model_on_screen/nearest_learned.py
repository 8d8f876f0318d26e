"""Models that need not learn first, for pictures that follow a knob while it is dragged."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from explorer import resources
from explorer.model_on_screen.model_at_step import find_model
from explorer.model_on_screen.settings import EPSILONS, RANGES, SEEDS, ModelSettings, stops
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel, show_model
from transformer_core.errors import InputError
from transformer_core.training.cost import count_by_formula

_MOST = 2_000_000  # parameters: a larger model takes longer to build than a picture may


def nearest_learned(settings: ModelSettings, turned: str) -> tuple[ShownModel, ModelSettings] | None:
    """Returns the model of these settings and the settings; if it has not been learned, the one with the nearest learned
    value of the setting `turned`. None if there is none, or if it is too large. Raises InputError for settings that cannot be
    shown.
    """
    if _needs_no_learning(settings):
        return show_model(settings), settings
    nearest = next((each for each in around(settings, turned) if _needs_no_learning(each)), None)
    return None if nearest is None else (show_model(nearest), nearest)


def as_built(settings: ModelSettings) -> ShownModel | None:
    """Returns the model of these settings before its first step, for pictures that do not depend on weights; None if it is
    too large. Raises InputError for settings that cannot be shown.
    """
    if settings.model is not None or count_by_formula(settings.plan().cfg) > _MOST:
        return None
    return show_model(settings, waits=False)


def learning_now(settings: ModelSettings) -> ShownModel | None:
    """Returns the model of these settings while it is learning; None if it is not, or is too large to be redrawn often.
    Raises InputError for settings that cannot be shown.
    """
    if settings.model is not None or count_by_formula(settings.plan().cfg) > _MOST:
        return None
    shown = show_model(settings)
    return shown if shown.learning.state == "learning" else None


def around(settings: ModelSettings, turned: str) -> Sequence[ModelSettings]:
    """Returns the settings at the other positions of a knob, the nearest first. Raises InputError for what cannot be shown."""
    if turned != "step":
        return _outward(settings, turned, _places(settings, turned))
    steps = find_model(settings).learning.steps if _needs_no_learning(settings) else ()
    return _outward(settings, turned, tuple(None if step == steps[-1] else step for step in steps))


def _places(settings: ModelSettings, turned: str) -> tuple[Any, ...]:
    """Returns the positions of a knob that do not depend on what has been learned, in order."""
    if turned in ("seed", "norm_eps"):
        return tuple(sorted({*(SEEDS if turned == "seed" else EPSILONS), getattr(settings, turned)}))
    if turned in ("d_ff", "dropout"):
        low, high, step = RANGES[turned]
        return tuple(round(low + i * step, 2) for i in range(round((high - low) / step) + 1))
    return tuple(stops(settings).get(turned, ()))


@shared_cache(2**24)  # asked for at each picture of a dragged knob
def _outward(settings: ModelSettings, turned: str, values: tuple[Any, ...]) -> Sequence[ModelSettings]:
    """Returns the settings at the other values, the nearest first; empty if the current value is not on the knob."""
    now = getattr(settings, turned, None)
    if now not in values:
        return ()
    others = sorted(range(len(values)), key=lambda place: abs(place - values.index(now)))[1:]
    changes: list[dict[str, Any]] = [{turned: values[place]} for place in others]
    return tuple(replace(settings, **change) for change in changes)


def prepare(settings: ModelSettings) -> None:
    """Computes the forward pass of these settings in advance, if their model need not learn first."""
    try:
        if _needs_no_learning(settings):
            show_model(settings).forward()
    except InputError:  # nobody waits for an answer
        return


def _needs_no_learning(settings: ModelSettings) -> bool:
    """True if the model need not learn first and is small enough."""
    store = resources.model_store()
    if settings.model is not None:
        model = store.get(settings.model)
        return model is None or count_by_formula(model.cfg) <= _MOST
    try:
        plans = settings.plans()
    except InputError:
        return False
    if count_by_formula(plans[-1].cfg) > _MOST:
        return False
    is_there = settings.step == 0 or any(plan.key in store for plan in plans)
    return is_there or resources.learning().live(plans[-1].key) is not None
