"""Live training: runs, the scheduler that steps them, and the shelf of trained models. One of each per server."""

from functools import cache

from explorer.runs.history import History, Status
from explorer.runs.run import Plan, Run
from explorer.runs.scheduler import Scheduler
from explorer.runs.shelf import Shelf, StoredModel
from explorer.runs.snapshots import Snapshot

__all__ = ["History", "Plan", "Run", "Scheduler", "Shelf", "Snapshot", "Status", "StoredModel", "scheduler", "shelf"]


@cache
def scheduler() -> Scheduler:
    return Scheduler()


@cache
def shelf() -> Shelf:
    return Shelf()
