"""What a server has one of: the scheduler of training runs, the recordings, and the store of trained models.

Streamlit reloads our modules when one of their files changes, but keeps its cache of resources: runs and models survive an
edit.
"""

import streamlit as st
from streamlit import runtime

from explorer.model_store.store import ModelStore
from explorer.training.recordings import Recordings
from explorer.training.scheduler import Scheduler


@st.cache_resource(show_spinner=False)
def training_scheduler() -> Scheduler:
    return Scheduler(is_open)


@st.cache_resource(show_spinner=False)
def recordings() -> Recordings:
    return Recordings()


@st.cache_resource(show_spinner=False)
def model_store() -> ModelStore:
    return ModelStore()


def is_open(session: str) -> bool:
    """Whether a browser tab is connected. Without a server (in a test) it always is."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def stop() -> None:
    """Ends all training, and waits for it; afterwards everything starts afresh."""
    recordings().stop()
    training_scheduler().stop()
    training_scheduler.clear()
    recordings.clear()
