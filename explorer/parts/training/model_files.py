"""A trained model to open on other pages or to download, and a model file to open or to train on."""

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer import i18n, server
from explorer.i18n import _
from explorer.session import Notice, current, model_choice, runs
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.ui import navigation
from transformer_core import checkpoint
from transformer_core.training.checkpoint import Checkpoint, CheckpointError


def draw(run: TrainingRun | None, plan: TrainingPlan | None) -> None:
    if run is not None and run.status != Status.RUNNING and run.history().step > 0:
        _take_home(run)
    _upload(plan)


def _take_home(run: TrainingRun) -> None:
    """The model as it is now."""
    row = st.container(horizontal=True)
    if row.button(_("Open on Heads"), icon=":material/view_module:", type="primary", on_click=_open, args=(run,)):
        _go("heads")
    if row.button(_("Open on Attention"), icon=":material/footprint:", on_click=_open, args=(run,)):
        _go("attention")
    row.download_button(
        _("Download the model"), partial(run.checkpoint, training=True), file_name=f"{run.plan.task.name}-{run.id}.safetensors",
        icon=":material/download:", mime="application/octet-stream", on_click="ignore",
    )  # fmt: skip


def _open(run: TrainingRun) -> None:
    try:
        model_choice.open_model(server.model_store().add(run.checkpoint()).id)
    except CheckpointError as error:  # the weights of a run that failed may not be numbers any more
        current().notice = Notice("training", error)


def _go(page: str) -> None:
    if current().notice is not None:
        st.rerun()
    navigation.switch(page, kind="cross")


def _upload(plan: TrainingPlan | None) -> None:
    """A model that was downloaded here, or saved by `python -m transformer_core train --out`."""
    with st.expander(_("Open a model file"), icon=":material/upload_file:"):
        file = st.file_uploader(_("a .safetensors file that was saved here"), type="safetensors", key="upload")
        if file is None:
            return
        try:
            loaded, stored = checkpoint.from_bytes(file.getvalue()), server.model_store().add(file.getvalue())
        except CheckpointError as error:
            st.error(i18n.error(error), icon=":material/error:")
            return
        st.success(stored.name)
        row = st.container(horizontal=True)
        if row.button(_("Open on Heads"), key="open-upload", on_click=model_choice.open_model, args=(stored.id,)):
            navigation.switch("heads", kind="cross")
        if loaded.training is not None and plan is not None:
            row.button(
                _("Continue training"), icon=":material/play_arrow:", key="go-on", on_click=runs.start,
                args=(_continued(loaded, plan),),
            )  # fmt: skip
            words = _(
                "Its training stopped after step {n:,}. It continues from there, up to the target and the maximum steps set above."
            )
            st.caption(words.format(n=loaded.training.state.step))


def _continued(loaded: Checkpoint, plan: TrainingPlan) -> TrainingPlan:
    """The training that a file was saved in the midst of, up to where the page's settings say."""
    assert loaded.training is not None
    recipe = replace(loaded.training.recipe, steps=plan.recipe.steps)
    return TrainingPlan(loaded.model.cfg, loaded.training.task, recipe, plan.target, loaded)
