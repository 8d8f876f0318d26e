"""A run: the page before it, the run on screen, and what can be done with the model."""

from dataclasses import replace

import streamlit as st

from explorer.exhibits.shared import model_files, run_progress
from explorer.exhibits.training import before_start
from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.ui import document, navigation
from transformer_core import Trainer


def draw(plan: TrainingPlan | None, run: TrainingRun | None) -> None:
    with st.container():  # the box below keeps its place when a run starts, and stays open
        if run is not None:
            _progress(run, plan)
        elif plan is not None:
            before_start.draw(plan)
    model_files.draw(run, plan)
    document.details("live_run", lambda: _details(plan if run is None else None))


def _details(plan: TrainingPlan | None) -> None:
    if plan is not None:
        before_start.details(plan)
    navigation.link("one_step", _("See a single step from within"))
    navigation.link("sentences", _("Teach a model sentences of your own"))
    navigation.link("compare", _("Compare this run with earlier ones"))
    navigation.link("heads", _("See what the model has learned, head by head"))
    document.try_this(
        _("Look at cross-attention: which source token does each query attend to, before and after the task is learned?"),
        _("Jump to the step by which half of the answers were right, go one step back, and press **Resume from here**."),
        _("Press **Reset**: the same run starts again, with the same seed and the same numbers."),
        _("Set the peak learning rate to 1000, and watch the loss."),
        _("Remove a part under **More settings** (positions, cross-attention, the causal mask), and start a new run."),
    )
    document.the_code(Trainer)


def _progress(run: TrainingRun, plan: TrainingPlan | None) -> None:
    with document.notes():
        if plan is not None and plan != replace(run.plan, resume_from=None):
            st.caption(_("The settings have changed since this run was started. **New run** uses the new ones."))
    run_progress.draw(run)
