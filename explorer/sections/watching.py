"""The run on screen, looked at several times a second while it is under way."""

import streamlit as st

from explorer import runs
from explorer.lab import in_line, session
from explorer.runs import History, Run, Status
from explorer.sections.time_machine import time_machine
from explorer.turns import fragment
from explorer.words import _

_POLL, _POLL_PAUSED = 0.2, 0.5  # seconds between two looks at a run under way

STATUS = {
    Status.RUNNING: _("learning"),
    Status.PAUSED: _("paused"),
    Status.DONE: _("finished"),
    Status.STOPPED: _("stopped"),
    Status.FAILED: _("failed"),
}


def watching(run: Run) -> None:
    """How far it is, and what it does at any of its steps."""
    status, every = run.status, _pace(run)

    @fragment(run_every=None if run.over else every)
    def view() -> None:
        runs.scheduler().get(run.id, session())  # somebody is looking
        history = run.history()
        _headline(run, history)
        time_machine(run, history)
        _numbers(history)
        if run.status != status or (not run.over and _pace(run) != every):
            st.rerun()  # as a whole: the buttons change, and the looking ends or takes another pace

    view()


def _pace(run: Run) -> float:
    return unhurried(_POLL if run.status == Status.RUNNING else _POLL_PAUSED)


def unhurried(seconds: float) -> float:
    """How long to leave between two looks at a run. To draw one takes the server longer than some steps of a small model: the
    more runs share the workers, the longer, so that drawing does not take what training and other pages need."""
    shared = min((max(runs.scheduler().crowd, 1) - 1).bit_length(), 4)
    return seconds * 2**shared


def _headline(run: Run, history: History) -> None:
    goal, exact = run.plan.goal, history.exact_match
    in_line(run)
    status = STATUS[history.status]
    if history.status == Status.FAILED:
        st.error(history.message, icon=":material/error:")
    elif history.status == Status.DONE and exact is not None and exact >= goal:
        words = _("Goal reached: {exact:.1%} of the rows answered exactly, after {n:,} steps and {s:.1f} seconds of compute.")
        st.success(words.format(exact=exact, n=history.step, s=history.seconds), icon=":material/flag:")
    elif history.status == Status.DONE:
        words = _(
            "All {n:,} steps are done, and the goal of {goal:.0%} was not reached: {exact:.1%}. Try more "
            "steps, another rate, or a larger model."
        )
        st.warning(words.format(n=history.step, goal=goal, exact=exact or 0.0), icon=":material/flag:")
    elif history.message:
        st.warning(history.message, icon=":material/timer_off:")
    else:
        words = _("Goal: {goal:.0%} of unseen rows answered without a slip · {status}").format(goal=goal, status=status)
        st.progress(min((exact or 0.0) / goal, 1.0), words)


def _numbers(history: History) -> None:
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
