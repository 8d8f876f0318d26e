"""What to learn and how: the settings of this page, and the shared ones of the sidebar."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.i18n import _
from explorer.inference.settings import ModelSettings
from explorer.session import current
from explorer.training.plan import TrainingPlan
from explorer.ui import document
from explorer.ui.widgets import choose, number, slider
from transformer_core import TASKS, CopyTask, Recipe, ReverseTask, SortTask, Task
from transformer_core.data.corpora import CORPORA
from transformer_core.errors import InputError
from transformer_core.training.trainer import OPTIMISERS

_NUMBER_TASKS = {kind.name: kind for kind in (CopyTask, ReverseTask, SortTask)}


def draw(place: DeltaGenerator) -> TrainingPlan | None:
    """The form, unfolded by a button at a place; returns the plan, or None, with one clear sentence, where that cannot be
    trained. The task is the sidebar's, and what nobody has chosen is as the model on screen learns it."""
    settings = current().settings
    try:
        usual = settings.plan().recipe
        with place.popover(_("Training settings"), icon=":material/tune:"):
            plan = _form(settings, usual)
        plan.check()
    except InputError as error:
        document.refusal(error)
        return None
    return plan


def _form(settings: ModelSettings, usual: Recipe) -> TrainingPlan:
    assert usual.rate is not None
    left, middle, right = st.columns(3)
    with left:
        task = _task(settings.task)
        target = slider(
            "goal", _("target exact match (%)"), 50, 100, 99,
            _("Training stops when this share of the held-out sequences is answered without an error; where several answers "
              "are right, each of them counts."),
        )  # fmt: skip
        batch_size = slider("batch_size", _("batch size"), 4, 256, usual.batch_size, _("Sequences in each training step."), 4)
    with middle:
        peak = number(
            "rate", _("peak learning rate"), usual.rate, "%.5f",
            _("How large the updates are when they are largest. If it is too high, nothing is learned."),
        )  # fmt: skip
        warmup = slider(
            "warmup",
            _("warm-up steps"),
            1,
            1000,
            usual.warmup,
            _("The learning rate rises to its peak over this many steps, and then falls."),
        )
        clip = number(
            "clip", _("gradient clipping"), 1.0, "%.2f", _("A gradient with a larger norm is scaled down to this norm.")
        )
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
        help_device = _("auto uses a graphics card if there is one. On cuda, wide models (512) multiply in half precision.")
        device = choose("device", _("device"), ["auto", "cpu", "cuda", "mps"], help=help_device)
    recipe = replace(
        usual, steps=steps, batch_size=batch_size, rate=peak, warmup=warmup, optimiser=optimiser, clip=clip,
        label_smoothing=smoothing, device=device,
    )  # fmt: skip
    return TrainingPlan(settings.config(task.vocab), task, recipe, target / 100)


def _task(name: str) -> Task:
    if name in CORPORA:
        return TASKS[name]()
    symbols = slider("symbols", _("different symbols"), 2, 50, 10, _("The numbers from 1 to this one. More are harder."))
    length = slider("length", _("sequence length"), 2, 32, 10, _("Numbers in a sequence; the first is always 1."))
    return _NUMBER_TASKS[name](symbols + 1, length)
