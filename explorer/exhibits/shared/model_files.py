"""A trained model to open on other pages or to download, and a model file to open or to train on."""

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer import i18n, resources
from explorer.exhibits.shared import delete_model, run_report
from explorer.i18n import _, current_language
from explorer.learning.learned_model import LearnedModel
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.session import current, runs
from explorer.ui import navigation
from explorer.ui.format import plain
from explorer.ui.widgets import key_of_file, pressed, set_next
from transformer_core import checkpoint
from transformer_core.data.pairs import as_lines
from transformer_core.data.tasks import PairsTask, TextTask
from transformer_core.model.stages import AttentionKind, attention_kinds
from transformer_core.training.checkpoint import CheckpointError


def draw(run: TrainingRun | None, plan: TrainingPlan | None) -> None:
    take_home(run)
    opened = st.container()
    upload(plan)
    with opened:
        delete_model.draw()


def take_home(run: TrainingRun | None) -> None:
    """Draws the buttons that open the run's model, as it is now, on other pages, or download it, and the report; none while it
    learns."""
    row = st.container(horizontal=True)  # always there: what is below it keeps its place, and what is open or coming in stays
    if run is None or run.status == Status.RUNNING or run.history().step == 0:
        return
    on_heads = pressed(_("Open on Heads"), place=row, icon=":material/view_module:", type="primary", key="open-heads")
    on_attention = pressed(_("Open on Attention"), place=row, icon=":material/footprint:", key="open-attention")
    row.download_button(
        _("Download the model"),
        partial(run.checkpoint, training=True),
        file_name=f"{run.plan.task.name}-{run.id}.safetensors",
        icon=":material/download:",
        mime="application/octet-stream",
        on_click="ignore",
    )
    row.download_button(
        _("Save a report"),
        partial(run_report.render, run, current_language()),
        file_name=f"{run.plan.task.name}-{run.id}.html",
        icon=":material/description:",
        mime="text/html",
        on_click="ignore",
        help=_("One file to read, print or hand in: settings, curves, attention, and the command that repeats the run."),
    )
    if on_heads or on_attention:
        try:
            stored = resources.model_store().add(run.checkpoint(), runs.owner())
        except CheckpointError as error:  # a run that failed may have weights that are NaN
            _refused(error)
            return
        navigation.switch("heads" if on_heads else "attention", model=stored.id, kind=_first_kind(stored))


def _refused(error: CheckpointError) -> None:
    st.error(plain(i18n.error(error)), icon=":material/error:")


def upload(plan: TrainingPlan | None) -> None:
    """Opens a model downloaded here, or saved by `python -m transformer_core train --out`."""
    with st.expander(_("Open a model file"), icon=":material/upload_file:"):
        file = st.file_uploader(
            _("A .safetensors file that was downloaded here"), type="safetensors", key=key_of_file(delete_model.FILE)
        )
        if file is None:
            return
        try:
            opened = resources.model_store().open(data := file.getvalue(), runs.owner())
        except CheckpointError as error:
            _refused(error)
            return
        st.success(plain(opened.model.name))
        row = st.container(horizontal=True)
        if pressed(_("Open on Heads"), place=row, key="open-upload"):
            navigation.switch("heads", model=opened.model.id, kind=_first_kind(opened.model))
        if opened.model.id != current().settings.model and delete_model.may_delete(opened.model.id):
            with row:
                delete_model.offer(opened.model.id)
        if isinstance(task := opened.model.taught, PairsTask) and current().rerun.page == "sentences":
            row.button(_("Show its pairs above"), key="show-pairs", on_click=_take_pairs, args=(task,))
        elif isinstance(task, TextTask) and current().rerun.page == "sentences":
            row.button(_("Show its text above"), key="show-text", on_click=_take_text, args=(task,))
        if opened.resumes_after is not None and plan is not None:
            row.button(
                _("Continue training"),
                icon=":material/play_arrow:",
                key="continue-upload",
                on_click=_go_on,
                args=(data, plan),
            )
            words = _("Its training stopped after step {n:,}. It continues up to the target and the maximum steps set above.")
            st.caption(words.format(n=opened.resumes_after))


def _take_pairs(task: PairsTask) -> None:
    """Puts the pairs that a model has learned into the field (call it in a callback)."""
    current().pairs = as_lines(task.pairs)
    set_next("learns", "pairs")


def _take_text(task: TextTask) -> None:
    """Puts the text that a model has learned into the field (call it in a callback)."""
    current().own_text = "\n".join(task.lines)
    set_next("learns", "text")


def _first_kind(model: LearnedModel) -> AttentionKind:
    """Returns the attention that a page opens with: the one between sentence and answer, if there is one."""
    kinds = attention_kinds(model.cfg)
    return "cross" if "cross" in kinds else kinds[-1]


def _go_on(data: bytes, plan: TrainingPlan) -> None:
    """Resumes the training that a file holds, up to the target and the maximum steps of the page's settings."""
    loaded = checkpoint.from_bytes(data)
    assert loaded.training is not None
    recipe = replace(loaded.training.recipe, steps=plan.recipe.steps)
    begun = replace(loaded, course=b"")  # a worker needs none
    runs.start(TrainingPlan(loaded.model.cfg, loaded.training.task, recipe, plan.target, resume_from=begun))
