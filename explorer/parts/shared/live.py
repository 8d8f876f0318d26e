"""Runs under way: how often to look at one, and its place in the queue."""

import streamlit as st

from explorer import server
from explorer.i18n import _
from explorer.training.run import TrainingRun


def poll_seconds(seconds: float) -> float:
    """How long to leave between two looks at a run. To draw one takes the server longer than some steps of a small model: the
    more runs share the workers, the longer, so that drawing does not take what training and other pages need."""
    shared = min((max(server.training_scheduler().crowd, 1) - 1).bit_length(), 4)
    return seconds * 2**shared


def queue(run: TrainingRun) -> bool:
    """Whether a run waits for its turn; says so."""
    position = server.training_scheduler().queue_position(run)
    if position is not None:
        words = _("Many runs are under way on this server. This one is number {n} in the queue and starts by itself.")
        st.info(words.format(n=position), icon=":material/hourglass_top:")
    return position is not None
