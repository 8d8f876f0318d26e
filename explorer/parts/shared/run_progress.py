"""The run on screen, redrawn several times a second while it is under way."""

import streamlit as st

from explorer import i18n, resources
from explorer.i18n import _
from explorer.parts.shared import pairs_learned, run_status, run_timeline
from explorer.session import run_all_again, runs
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory, Status
from explorer.ui import document
from explorer.ui.format import plain, share_words
from explorer.ui.fragment import fragment
from transformer_core.data.tasks import PairsTask

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
    target, seen, final = run.plan.target, history.exact_match, history.final
    run_status.queue_note(run)
    run_status.worker_note(history)
    if history.status == Status.FAILED:
        st.error(plain(i18n.error(history.message)), icon=":material/error:")
    elif run.over and history.step and isinstance(run.plan.task, PairsTask):
        pairs_learned.draw(run)
    elif history.status == Status.DONE and final is not None and seen is not None:
        words = _ending(run.plan, seen >= target).format(
            steps=history.step, s=history.seconds, target=target, seen=seen, rows=run.plan.evaluated_on,
            exact=share_words(final.exact_match, final.rows), n=final.rows,
        )  # fmt: skip
        (st.success if seen >= target else st.warning)(words, icon=":material/flag:")
    elif history.message:
        st.warning(plain(i18n.error(history.message)), icon=":material/timer_off:")


def _ending(plan: TrainingPlan, reached: bool) -> str:
    """Returns the sentence about a run that ended by itself, as a template. `rows`: those of its evaluations; `n`: those of the
    final test."""
    if plan.has_other_rows and reached:
        return _(
            "After {steps:,} steps and {s:.1f} seconds of compute, {seen:.1%} of {rows} held-out sequences were decoded "
            "exactly, so training stopped. Such a first success is often a lucky one. Tested again, on {n:,} different "
            "ones, the model decodes {exact} exactly (in brackets: the 95% confidence interval)."
        )
    if plan.has_other_rows:
        return _(
            "All {steps:,} steps are done and the target of {target:.0%} was not reached: {exact} of {n:,} different "
            "held-out sequences are decoded exactly (in brackets: the 95% confidence interval). Try more steps, another "
            "learning rate, or a larger model."
        )
    if reached:
        return _(
            "After {steps:,} steps and {s:.1f} seconds of compute, {seen:.1%} of the {rows} sequences that there are were "
            "decoded exactly, so training stopped. There are no others to test the model on."
        )
    return _(
        "All {steps:,} steps are done and the target of {target:.0%} was not reached: {seen:.1%} of the {rows} sequences that "
        "there are were decoded exactly. Try more steps, another learning rate, or a larger model."
    )
