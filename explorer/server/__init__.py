"""The objects of which a server has one: the scheduler of training runs, the recordings, the store of models and its learner.

Streamlit's cache of resources holds them: it outlives a reload of our modules, so that runs and models survive an edit.
"""

import streamlit as st

from explorer.model_store.learner import Learner
from explorer.model_store.prefetch import Prefetch
from explorer.model_store.store import ModelStore
from explorer.streamlit_patches import sessions
from explorer.training import limits
from explorer.training.ray_workers import cluster_address
from explorer.training.recordings import Recordings
from explorer.training.saved_runs import SavedRuns
from explorer.training.scheduler import Scheduler
from transformer_core.training.folder import default_folder


@st.cache_resource(show_spinner=False)
def training_scheduler() -> Scheduler:
    serves = sessions.serves()
    return Scheduler(is_open, serves and limits.WORKER_PROCESSES > 0, cluster_address() if serves else None)


@st.cache_resource(show_spinner=False)
def recordings() -> Recordings:
    return Recordings(training_scheduler())


@st.cache_resource(show_spinner=False)
def model_store() -> ModelStore:
    return ModelStore()


@st.cache_resource(show_spinner=False)
def prefetch() -> Prefetch:
    return Prefetch(model_store(), training_scheduler())


@st.cache_resource(show_spinner=False)
def learning() -> Learner:
    return Learner(model_store(), training_scheduler(), is_open, prefetch=prefetch())


@st.cache_resource(show_spinner=False)
def saved_runs() -> SavedRuns:
    return SavedRuns(default_folder() / "runs")


def learns_ahead() -> bool:
    """Returns whether models are learned before anybody asks for them."""
    return sessions.serves() and limits.PREPARE_NEIGHBOURS > 0


def is_open(session: str) -> bool:
    """Returns whether a browser window is connected. Without a server (in a test) it always is."""
    return not sessions.serves() or sessions.is_open(session)


def stop() -> None:
    """Ends all training and waits for it. Later calls make new objects."""
    prefetch().stop()
    learning().stop()
    saved_runs().stop()
    training_scheduler().stop()
    prefetch.clear()
    learning.clear()
    training_scheduler.clear()
    recordings.clear()
    saved_runs.clear()
