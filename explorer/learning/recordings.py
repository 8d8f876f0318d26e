"""Recordings: runs that are trained once for the whole server, and played back to everybody."""

import math
import threading
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory
from explorer.learning.scheduler import Scheduler

_LAST = 20  # the final loss is averaged over this many steps


@dataclass(frozen=True)
class Recording:
    """A run from its first step to its last. If it failed, `history.message` says why.

    Attributes:
        weights: its last ones, in the order of `Transformer.parameters`; None where they are not known.
        day: on which it was made, such as 2026-11-27, of one that comes with the app; "" for one that this server has trained.
    """

    plan: TrainingPlan
    history: RunHistory
    weights: Tensor | None = None
    day: str = ""

    @property
    def right(self) -> float:
        """The share of `rows` answered right in the end; other rows decided when the run ended."""
        return self.history.final.exact_match if self.history.final is not None else 0.0

    @property
    def rows(self) -> int:
        return self.history.final.rows if self.history.final is not None else 0

    @property
    def likely(self) -> float:
        """The probability of the right next token at the end of training (a geometric mean)."""
        return math.exp(-self.history.loss[-_LAST:].mean())


class Recordings:
    """The recordings of a server, by name."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._lock = threading.Lock()
        self._runs: dict[str, TrainingRun] = {}  # under way
        self._made: dict[str, Recording] = {}

    def get(self, name: str, plan: TrainingPlan, viewer: str) -> Recording | None:
        """The recording with this name; None while it is under way. It begins at the first call, by the plan given then, and
        is given up when all viewers are gone.

        Raises InputError when the server has no room for it.
        """
        with self._lock:
            if name in self._made:
                return self._made[name]
            run = self._runs.get(name)
            if run is None or run.given_up:
                run = TrainingRun(plan, f"whoever sees {name}")  # no browser controls it
                run.when_over = partial(self._keep, name)
                self._runs[name] = self._scheduler.add_run(run, viewer=viewer)
        self._scheduler.view_run(run.id, viewer)
        return None

    def under_way(self, name: str) -> RunHistory | None:
        """Returns how far the recording with this name is; None if it has not begun. It stays under way by `get` alone."""
        with self._lock:
            made, run = self._made.get(name), self._runs.get(name)
        return made.history if made is not None else run.history() if run is not None else None

    def _keep(self, name: str, run: TrainingRun) -> None:
        """Keeps the recording of a run. Called by the thread that ended it."""
        newest = run.weights()
        with self._lock:
            self._made[name] = Recording(run.plan, run.history(), None if newest is None else newest[1])
            self._runs.pop(name, None)
        self._scheduler.remove_run(run)
