"""The run on screen, looked at several times a second while it is under way."""

import streamlit as st

from explorer import server
from explorer.lab import in_line, session
from explorer.sections.time_machine import time_machine
from explorer.training.run import TrainingRun
from explorer.training.run_history import STATUS_WORDS, RunHistory, Status
from explorer.words import _

_POLL, _POLL_PAUSED = 0.2, 0.5  # seconds between two looks at a run under way


def watching(run: TrainingRun) -> None:
    """How far it is, and what it does at any of its steps."""
    status, every = run.status, _pace(run)

    @st.fragment(run_every=None if run.over else every)
    def view() -> None:
        server.training_scheduler().get(run.id, session())  # somebody is looking
        history = run.history()
        _headline(run, history)
        time_machine(run, history)
        _numbers(history)
        if run.status != status or (not run.over and _pace(run) != every):
            st.rerun()  # as a whole: the buttons change, and the looking ends or takes another pace

    view()


def _pace(run: TrainingRun) -> float:
    return unhurried(_POLL if run.status == Status.RUNNING else _POLL_PAUSED)


def unhurried(seconds: float) -> float:
    """How long to leave between two looks at a run. To draw one takes the server longer than some steps of a small model: the
    more runs share the workers, the longer, so that drawing does not take what training and other pages need."""
    shared = min((max(server.training_scheduler().crowd, 1) - 1).bit_length(), 4)
    return seconds * 2**shared


def _headline(run: TrainingRun, history: RunHistory) -> None:
    target, exact = run.plan.target, history.exact_match
    in_line(run)
    status = _(STATUS_WORDS[history.status])
    if history.status == Status.FAILED:
        st.error(history.message, icon=":material/error:")
    elif history.status == Status.DONE and exact is not None and exact >= target:
        words = _("Target reached: {exact:.1%} of the rows answered exactly, after {n:,} steps and {s:.1f} seconds of compute.")
        st.success(words.format(exact=exact, n=history.step, s=history.seconds), icon=":material/flag:")
    elif history.status == Status.DONE:
        words = _(
            "All {n:,} steps are done, and the target of {target:.0%} was not reached: {exact:.1%}. Try more "
            "steps, another rate, or a larger model."
        )
        st.warning(words.format(n=history.step, target=target, exact=exact or 0.0), icon=":material/flag:")
    elif history.message:
        st.warning(history.message, icon=":material/timer_off:")
    else:
        words = _("Target: {target:.0%} of unseen rows answered exactly · {status}").format(target=target, status=status)
        st.progress(min((exact or 0.0) / target, 1.0), words)


def _numbers(history: RunHistory) -> None:
    """Under the pictures, which are to be seen without turning the page."""
    exact = history.exact_match
    cells = (
        (_("step"), f"{history.step:,}"),
        (_("loss"), f"{history.loss[-1]:.3f}" if len(history.loss) else "–"),
        (_("exact"), f"{exact:.1%}" if exact is not None else "–"),
        (_("tokens per second"), f"{history.tokens_per_second:,.0f}" if len(history.loss) else "–"),
        (_("learning rate"), f"{history.learning_rate[-1]:.1e}" if len(history.loss) else "–"),
        (_("seconds of compute"), f"{history.seconds:.1f}"),
    )
    row = st.container(horizontal=True)
    for name, value in cells:
        row.metric(name, value, width=140)
