"""Notes about a run: its place in the queue, a busy computer, a worker that ended, a run that is gone; how often to redraw."""

import streamlit as st

from explorer import i18n, limits, resources
from explorer.i18n import _
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from explorer.learning.slowness import BUSY
from explorer.session import current
from explorer.ui.format import plain


def poll_seconds(seconds: float) -> float:
    """Returns the time between two redraws of a run.

    A redraw costs the server more than some steps of a small model. The more runs share the workers, the longer the time.
    """
    shared: int = min((max(resources.training_scheduler().crowd, 1) - 1).bit_length(), 4)
    return seconds * 2**shared


def queue_note(run: TrainingRun) -> None:
    """Says which place a run has in the queue, while it waits there."""
    position = resources.training_scheduler().queue_position(run)
    if position is not None:
        words = _("Many runs are under way on this server. This one is number {n} in the queue and starts by itself.")
        st.info(words.format(n=position), icon=":material/hourglass_top:")


def busy_words() -> str | None:
    """Returns a sentence about a computer that is busy with other programs; None where training is not much slower for it."""
    slowness = resources.training_scheduler().slowness.now()
    if slowness < BUSY:
        return None
    words = _("This computer is busy: training takes about {n} times as long as usual.")
    return words.format(n=round(slowness) if slowness < 10 else 10 * round(slowness / 10))


def busy_note(run: TrainingRun) -> None:
    """Says that the computer is busy, while a run trains there."""
    if run.status is Status.RUNNING and (words := busy_words()) is not None:
        st.info(words, icon=":material/speed:")


def worker_note(history: RunHistory) -> None:
    """Says that a run's worker process ended, and where the run went on."""
    if history.note is not None:
        st.info(plain(i18n.error(history.note)), icon=":material/restart_alt:")


def gone_note(run: TrainingRun | None) -> None:
    """Says that the server no longer has the run that the address names."""
    if run is None and current().run_id is not None:
        words = _(
            "The run in this link is not on this server. A run that no window shows is kept for {n:g} minutes, and not so long "
            "where others need the room."
        )
        st.warning(words.format(n=limits.REST / 60), icon=":material/link_off:")
