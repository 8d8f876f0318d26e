"""Recordings: runs that are trained once for the whole server, and played back to everybody."""

import threading
from dataclasses import replace
from functools import partial

from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory
from explorer.learning.scheduler import Scheduler


class Recordings:
    """The recordings of a server, by name."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._lock = threading.Lock()
        self._runs: dict[str, TrainingRun] = {}  # under way
        self._made: dict[str, RunHistory] = {}

    def get(self, name: str, plan: TrainingPlan, viewer: str) -> RunHistory | None:
        """The history of the run with this name, from its first step to its last; None while it is under way. If it failed, its
        `message` says why. It begins at the first call, by the plan given then, and is given up when all viewers are gone.

        Raises InputError when the server has no room for it.
        """
        with self._lock:
            if name in self._made:
                return self._made[name]
            run = self._runs.get(name)
            if run is None or run.given_up:
                run = TrainingRun(plan, f"whoever sees {name}", spare=True)  # no browser controls it
                run.when_over = partial(self._keep, name)
                self._runs[name] = self._scheduler.add_run(run, viewer=viewer)
        self._scheduler.view_run(run.id, viewer)
        return None

    def under_way(self, name: str) -> RunHistory | None:
        """Returns how far the recording with this name is; None if it has not begun. It stays under way by `get` alone."""
        with self._lock:
            made, run = self._made.get(name), self._runs.get(name)
        return made if made is not None else run.history() if run is not None else None

    def _keep(self, name: str, run: TrainingRun) -> None:
        """Keeps the recording of a run. Called by the thread that ended it."""
        newest = run.weights()
        with self._lock:
            self._made[name] = replace(run.history(), weights=None if newest is None else newest[1])
            self._runs.pop(name, None)
        self._scheduler.remove_run(run)
