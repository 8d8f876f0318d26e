"""The form of a run: the settings of this page, and the shared ones of the sidebar."""

from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.i18n import _
from explorer.inference.settings import ModelSettings
from explorer.session import Value, current
from explorer.training.plan import TrainingPlan
from explorer.ui import document
from explorer.ui.number_field import number
from explorer.ui.widgets import choose, keep, slider
from transformer_core import TASKS, Recipe, Task
from transformer_core.data.tasks import SYMBOL_TASKS, LettersTask
from transformer_core.errors import InputError
from transformer_core.training.trainer import OPTIMISERS, devices

PAPER = Recipe(rate=None, warmup=4000, label_smoothing=0.1)  # sections 5.3 and 5.4; Adam's constants are the usual ones
_MOST_WARMUP = 4000


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
            "goal", _("target exact match (%)"), 50, 100, 99,
            _("Training stops at the first evaluation at which this share of the held-out sequences is answered without an "
              "error; where several answers are right, each of them counts."),
        )  # fmt: skip
        batch_size = slider("batch_size", _("batch size"), 4, 256, usual.batch_size, _("Sequences in each training step."), 4)
    with middle:
        rate = _rate(settings.d_model, usual)
        warmup = slider(
            "warmup", _("warm-up steps"), 1, _MOST_WARMUP, usual.warmup,
            _("The learning rate rises to its peak over this many steps, and then falls; {n:,} in the paper.").format(
                n=PAPER.warmup
            ),
        )  # fmt: skip
        clip = number("clip", _("gradient clipping"), 1.0, _("A gradient with a larger norm is scaled down to this norm."))
        smoothing = slider(
            "smoothing", _("label smoothing"), 0.0, 0.3, 0.0,
            _("The share of the target probability that is spread over all tokens; 0.1 in the paper."), 0.05,
        )  # fmt: skip
    with right:
        steps = slider("steps", _("maximum steps"), 50, 5000, usual.steps, _("Training stops here at the latest."), 50)
        optimiser = choose(
            "optimiser",
            _("optimizer"),
            OPTIMISERS,
            help=_("Adam adapts the size of the update for each parameter; SGD does not."),
        )
        device = _device()
    recipe = replace(
        usual, steps=steps, batch_size=batch_size, rate=rate, warmup=warmup, optimiser=optimiser, clip=clip,
        label_smoothing=smoothing, device=device, schedule=usual.schedule if rate is not None else "noam", **_adam(usual),
    )  # fmt: skip
    st.button(
        _("The paper's recipe"), icon=":material/article:", key="paper-recipe", on_click=_take_paper_recipe,
        help=_("Adam, the learning rate and label smoothing of sections 5.3 and 5.4: the rate rises for 4,000 steps."),
    )  # fmt: skip
    return TrainingPlan(settings.config(task.vocab), task, recipe, target / 100)


def _rate(d_model: int, usual: Recipe) -> float | None:
    """Draws the choice of the peak rate, and returns it; None: the paper's, which follows from width and warm-up."""
    titles = {"chosen": _("chosen"), "paper": _("the paper's")}
    rule = choose("rate_rule", _("peak"), list(titles), titles, help=_("The paper's follows from d_model and the warm-up."))
    if rule == "paper":
        st.caption(_("Peak: (d_model · warm-up)^−0.5, here with d_model {d}.").format(d=d_model))
        return None
    assert usual.rate is not None
    return number(
        "rate", _("peak learning rate"), usual.rate,
        _("How large the updates are when they are largest. If it is too high, little or nothing may be learned."),
    )  # fmt: skip


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
    help = _(
        "The CPU is enough for models this small. cuda needs an NVIDIA graphics card and a build of PyTorch with CUDA; it "
        "multiplies wide models (512) in half precision. mps needs a Mac with an Apple chip. A device that this server lacks "
        "is not offered."
    )
    return choose("device", _("device"), [kind for kind, is_there in devices().items() if is_there], help=help)


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
        help = _("Keeps the updates from being divided by 0; 10⁻⁹ in the paper.")
        eps = number("adam_eps", _("Adam's ε"), usual.eps, help)
    return {"betas": (beta_1, beta_2), "eps": eps}


def _take_paper_recipe() -> None:
    """Gives the controls the values of sections 5.3 and 5.4 (call it in a callback)."""
    values: dict[str, Value] = {
        "rate_rule": "paper", "warmup": PAPER.warmup, "smoothing": PAPER.label_smoothing, "optimiser": PAPER.optimiser,
        "beta_1": PAPER.betas[0], "beta_2": PAPER.betas[1], "adam_eps": PAPER.eps,
    }  # fmt: skip
    for name, value in values.items():
        keep(name, value)


def _task(name: str) -> Task:
    if name not in SYMBOL_TASKS:
        return TASKS[name]()
    kind = SYMBOL_TASKS[name]
    if kind is LettersTask:
        symbols = slider("letters", _("different letters"), 2, len(ascii_uppercase), kind.vocab - 1, _("From A to this one."))
        length = slider("row_length", _("sequence length"), 2, 32, kind.length, _("Letters in a row; the first is always A."))
    else:
        symbols = slider("symbols", _("different symbols"), 2, 50, kind.vocab - 1, _("The numbers from 1 to this one."))
        length = slider(
            "length", _("sequence length"), 2, 32, kind.length, _("Numbers in a sequence; the first is always 1.")
        )  # fmt: skip
    return kind(symbols + 1, length)
