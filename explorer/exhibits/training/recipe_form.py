"""The form of a run: the settings of this page, and the shared ones of the sidebar."""

from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.model_on_screen.setting_table import RUN
from explorer.model_on_screen.settings import ModelSettings
from explorer.session import Value, current
from explorer.ui import document
from explorer.ui.number_field import number
from explorer.ui.setting_names import setting_help, setting_name
from explorer.ui.widgets import choose, set_next, slider
from transformer_core import TASKS, Recipe, Task
from transformer_core.data.tasks import SYMBOL_TASKS, LettersTask, has_source
from transformer_core.errors import InputError
from transformer_core.training.trainer import OPTIMISERS, devices

PAPER = Recipe(rate=None, warmup=4000, label_smoothing=0.1)  # sections 5.3 and 5.4; Adam's constants are the usual ones


def draw(place: DeltaGenerator) -> TrainingPlan | None:
    """Draws the form at a place, behind a button. Returns the plan; None, after drawing the reason, if it cannot be trained.

    The task is the sidebar's. Settings that nobody has chosen are those of the model on screen.
    """
    settings = current().settings
    _have_device()
    try:
        usual = settings.plan().recipe
        with place.popover(_("Training settings"), icon=":material/tune:"):
            plan = _form(settings, usual)
        plan.check()
    except InputError as error:
        current().rerun.shown = error  # so that the sidebar marks the settings that do not go together
        document.refusal(error)
        return None
    return plan


def _form(settings: ModelSettings, usual: Recipe) -> TrainingPlan:
    left, middle, right = st.columns(3)
    with left:
        task = _task(settings.task)
        target = slider(
            "goal",
            _("target exact match (%)") if has_source(task) else _("target, tokens right (%)"),
            50,
            100,
            99,
            setting_help("target", has_source(task)),
        )
        batch_size = slider("batch_size", default=usual.batch_size, **_shown("batch_size"))
    with middle:
        rate = _rate(settings.d_model, usual)
        warmup = slider("warmup", default=usual.warmup, **_shown("warmup"))
        clip = number("clip", setting_name("clip"), 1.0, setting_help("clip"))
        smoothing = slider("smoothing", default=0.0, **_shown("label_smoothing"))
    with right:
        steps = slider("steps", default=usual.steps, **_shown("steps"))
        optimiser = choose("optimiser", setting_name("optimiser"), OPTIMISERS, help=setting_help("optimiser"))
        device = _device()
    recipe = replace(
        usual,
        steps=steps,
        batch_size=batch_size,
        rate=rate,
        warmup=warmup,
        optimiser=optimiser,
        clip=clip,
        label_smoothing=smoothing,
        device=device,
        schedule=usual.schedule if rate is not None else "noam",
        **_adam(usual),
    )
    st.button(
        _("The paper's recipe"),
        icon=":material/article:",
        key="paper-recipe",
        on_click=_take_paper_recipe,
        help=_("Adam, the learning rate and label smoothing of sections 5.3 and 5.4: the rate rises for 4,000 steps."),
    )
    return TrainingPlan(settings.config(task.vocab), task, recipe, target / 100)


def _rate(d_model: int, usual: Recipe) -> float | None:
    """Draws the choice of the peak rate, and returns it; None: the paper's, which follows from width and warm-up."""
    titles = {"chosen": _("chosen"), "paper": _("the paper's")}
    rule = choose("rate_rule", _("peak"), list(titles), titles, help=_("The paper's follows from d_model and the warm-up."))
    if rule == "paper":
        st.caption(_("Peak: (d_model · warm-up)^−0.5, here with d_model {d}.").format(d=d_model))
        return None
    assert usual.rate is not None
    return number("rate", setting_name("rate"), usual.rate, setting_help("rate"))


def _shown(name: str) -> dict[str, Any]:
    """How the slider of a setting is shown: its name, ends, step and help."""
    ends = RUN[name].range
    assert ends is not None
    low, high, step = ends
    return {"label": setting_name(name), "low": low, "high": high, "step": step, "help": setting_help(name)}


def _have_device() -> None:
    """Takes the CPU if this server lacks the device that a link asks for, and says so."""
    news = current().address.news
    asked = news.get("device")
    if asked is not None and not devices().get(asked, True):
        news["device"] = "cpu"
        words = _("This server has no {device} device. Training uses the CPU.")
        st.warning(words.format(device=asked), icon=":material/memory:")


def _device() -> str:
    """Draws the choice among the devices that this server has."""
    there = [kind for kind, is_there in devices().items() if is_there]
    return choose("device", setting_name("device"), there, help=setting_help("device"))


def _adam(usual: Recipe) -> dict[str, Any]:
    """Draws Adam's own constants (section 5.3)."""
    first, second, third = st.columns(3)
    help_1 = _("Decay rate of the running mean of the gradients; 0.9 in the paper.")
    help_2 = _("Decay rate of the running mean of their squares; 0.98 in the paper.")
    with first:
        beta_1 = number("beta_1", _("Adam's β₁"), usual.betas[0], help_1)
    with second:
        beta_2 = number("beta_2", _("Adam's β₂"), usual.betas[1], help_2)
    with third:
        eps = number("adam_eps", setting_name("eps"), usual.eps, setting_help("eps"))
    return {"betas": (beta_1, beta_2), "eps": eps}


def _take_paper_recipe() -> None:
    """Gives the controls the values of sections 5.3 and 5.4 (call it in a callback)."""
    values: dict[str, Value] = {
        "rate_rule": "paper",
        "warmup": PAPER.warmup,
        "smoothing": PAPER.label_smoothing,
        "optimiser": PAPER.optimiser,
        "beta_1": PAPER.betas[0],
        "beta_2": PAPER.betas[1],
        "adam_eps": PAPER.eps,
    }
    for name, value in values.items():
        set_next(name, value)


def _task(name: str) -> Task:
    if name not in SYMBOL_TASKS:
        return TASKS[name]()
    kind = SYMBOL_TASKS[name]
    if kind is LettersTask:
        symbols = slider("letters", _("different letters"), 2, len(ascii_uppercase), kind.vocab - 1, _("From A to this one."))
        length = slider("row_length", _("sequence length"), 2, 32, kind.length, _("Letters in a row; the first is always A."))
    else:
        symbols = slider("symbols", default=kind.vocab - 1, **_shown("symbols"))
        length = slider("length", default=kind.length, **_shown("length"))
    return kind(symbols + 1, length)
