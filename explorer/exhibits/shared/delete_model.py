"""A visitor deletes a model that this browser has opened from a run or a file."""

import streamlit as st

from explorer import resources
from explorer.exhibits.shared.run_model import model_of
from explorer.i18n import _
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.session import current, model_choice, runs
from explorer.session.session import Notice
from explorer.ui.format import plain
from explorer.ui.widgets import drop_file
from transformer_core.errors import InputError
from transformer_core.training.checkpoint import CheckpointError

FILE = "upload"  # the field for a model file


def draw() -> None:
    """Names the model that is open on the other pages, if this browser has opened it, and offers to delete it; call it when a
    file has been opened."""
    model_id = current().settings.model
    model = resources.model_store().get(model_id) if may_delete(model_id) and model_id is not None else None
    if model is None:
        return
    with st.container(key="opened-model", horizontal=True, vertical_alignment="center"):
        words = _(":material/draft: Open on the other pages: {name}").format(name=plain(model.name))
        st.markdown(words, width="content")
        offer(model.id)


def may_delete(model_id: str | None) -> bool:
    """Returns whether this browser has opened a model that is still here, from a run or a file."""
    return model_id is not None and resources.model_store().is_made_by(model_id, runs.owner())


def offer(model_id: str) -> None:
    """Draws the button that deletes a model, with what that means."""
    with st.popover(_("Delete this model"), icon=":material/delete:", type="tertiary", key=f"delete-{model_id}"):
        st.markdown(
            _("Its file and its run are deleted from this server; whoever opens a link to it reads that it is no longer here.")
        )
        st.button(_("Delete it"), type="primary", key=f"delete-now-{model_id}", on_click=_delete, args=(model_id,))


def _delete(model_id: str) -> None:
    session, run = current(), runs.current_run()
    is_its_run = run is not None and runs.is_mine(run) and _id_of(run) == model_id
    try:
        resources.model_store().delete(model_id, runs.owner())
    except InputError as error:
        session.notice = Notice(session.rerun.page, error)
        return
    if is_its_run and run is not None:
        runs.remove(run)
    if session.settings.model == model_id:
        model_choice.open_task(session.settings.task)
    drop_file(FILE)


def _id_of(run: TrainingRun) -> str | None:
    """Returns the id of a run's model; None if it has none to open now."""
    if run.status is Status.RUNNING or run.history().step == 0:
        return None
    try:
        return model_of(run).id
    except CheckpointError:
        return None
