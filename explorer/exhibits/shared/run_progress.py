"""The run on screen, redrawn several times a second while it is under way."""

import streamlit as st

from explorer import i18n, resources
from explorer.exhibits.shared import run_status, run_timeline, run_verdict
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from explorer.session import run_all_again, runs
from explorer.ui import document
from explorer.ui.format import plain
from explorer.ui.fragment import fragment

_POLL, _POLL_PAUSED = 0.2, 0.5  # seconds between two redraws of a run under way


def draw(run: TrainingRun) -> None:
    """Draws the progress of the run, and the model at any of its steps."""
    status, every = run.status, _seconds(run)

    @fragment(run_every=None if run.over else every)
    def view() -> None:
        resources.training_scheduler().view_run(run.id, runs.viewer())  # keeps the run alive while this window is open
        history = run.history()
        with document.notes():
            _headline(run, history)
        run_timeline.draw(run, history)
        if run.status != status or (not run.over and _seconds(run) != every):
            run_all_again()  # the whole page: other buttons can be pressed, and the polling ends or changes its pace

    view()


def _seconds(run: TrainingRun) -> float:
    return run_status.poll_seconds(_POLL if run.status == Status.RUNNING else _POLL_PAUSED)


def _headline(run: TrainingRun, history: RunHistory) -> None:
    run_status.queue_note(run)
    run_status.busy_note(run)
    run_status.worker_note(history)
    if history.status == Status.FAILED:
        st.error(plain(i18n.error(history.message)), icon=":material/error:")
    elif (verdict := run_verdict.of(run, history)) is not None:
        (st.success if verdict.reached else st.warning)(verdict.words, icon=":material/flag:")
    elif history.message:
        st.warning(plain(i18n.error(history.message)), icon=":material/timer_off:")
