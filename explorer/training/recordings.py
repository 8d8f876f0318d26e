"""Runs that are trained once for the whole server, and played back to everybody."""

import math
import threading
from dataclasses import dataclass
from functools import partial

from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory
from explorer.training.scheduler import Scheduler

_LAST = 20  # the final loss is averaged over this many steps


@dataclass(frozen=True)
class Recording:
    """A run from its first step to its last. Where it failed, `history.message` says why."""

    plan: TrainingPlan
    history: RunHistory

    @property
    def right(self) -> float:
        """The share right in the end, of so many `rows` that had no say in when that was."""
        return self.history.final.exact_match if self.history.final is not None else 0.0

    @property
    def rows(self) -> int:
        return self.history.final.rows if self.history.final is not None else 0

    @property
    def likely(self) -> float:
        """The probability of the right next token in training, at the end (a geometric mean)."""
        return math.exp(-self.history.loss[-_LAST:].mean())


class Recordings:
    """The recordings of a server, by name."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._lock = threading.Lock()
        self._runs: dict[str, TrainingRun] = {}  # under way
        self._made: dict[str, Recording] = {}

    def get(self, name: str, plan: TrainingPlan, viewer: str) -> Recording | None:
        """The recording with this name; None while it is under way. It begins when it is asked for, and is given up only when
        everybody who has asked is gone; the plan of whoever comes first holds.

        Raises InputError when the server has no room for it.
        """
        with self._lock:
            if name in self._made:
                return self._made[name]
            run = self._runs.get(name)
            if run is None or run.given_up:
                run = TrainingRun(plan, "whoever sees a recording")  # no browser controls it
                run.when_over = partial(self._keep, name)
                self._runs[name] = self._scheduler.add(run, viewer=viewer)
        self._scheduler.get(run.id, viewer)
        return None

    def _keep(self, name: str, run: TrainingRun) -> None:
        """Called by the worker that ended it."""
        with self._lock:
            self._made[name] = Recording(run.plan, run.history())
            self._runs.pop(name, None)
        self._scheduler.remove(run)
