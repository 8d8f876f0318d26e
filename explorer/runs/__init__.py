"""Live training: runs, the scheduler that steps them, and the shelf of trained models. One of each per server.

Streamlit forgets our modules when one of their files changes, but not what it holds in its cache of resources: runs and models
survive an edit.
"""

import streamlit as st

from explorer.runs.history import History, Status
from explorer.runs.past import PastRun
from explorer.runs.recorder import Recorder, Recording
from explorer.runs.run import Plan, Run
from explorer.runs.scheduler import Scheduler
from explorer.runs.shelf import Shelf, StoredModel
from explorer.runs.snapshots import Snapshot

__all__ = [
    "History", "PastRun", "Plan", "Recorder", "Recording", "Run", "Scheduler", "Shelf", "Snapshot", "Status", "StoredModel",
    "recorder", "scheduler", "shelf",
]  # fmt: skip


@st.cache_resource(show_spinner=False)
def scheduler() -> Scheduler:
    return Scheduler()


@st.cache_resource(show_spinner=False)
def recorder() -> Recorder:
    return Recorder()


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    return Shelf()
