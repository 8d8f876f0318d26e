"""Trains the models on screen that have not been learned, once for everybody who waits for the same."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from explorer.learning.learned_model import LearnedModel, of_learned
from explorer.learning.plan import TrainingPlan
from explorer.learning.prefetch import Prefetch
from explorer.learning.run import TrainingRun
from explorer.learning.scheduler import Scheduler
from explorer.learning.store import ModelStore
from transformer_core.errors import InputError, WordedError
from transformer_core.training.learning_plan import check_in_time

_PATIENCE = 0.3  # seconds without another setting before learning begins
_REFUSED = 256  # models whose refusal is remembered
_RELOAD = 10.0  # seconds that a wish outlives its window: a reloaded page comes back as another window


@dataclass
class _Wish:
    """The model on a window's screen, since when, and when the window was last seen open."""

    key: str
    since: float
    seen: float


class Learner:
    """Trains every model that is on screen somewhere and has not been learned, as long as it is on screen.

    A window waits for one model at a time, so that nobody holds more than a fair share. Models that no window wants are
    given up.
    """

    def __init__(
        self,
        store: ModelStore,
        scheduler: Scheduler,
        is_open: Callable[[str], bool] = lambda viewer: True,
        patience: float = _PATIENCE,
        prefetch: Prefetch | None = None,
        reload: float = _RELOAD,
    ) -> None:
        """`is_open` tells whether a window is still connected; `prefetch` may be training the model already."""
        self._store, self._scheduler, self._is_open, self._patience = store, scheduler, is_open, patience
        self._prefetch, self._reload = prefetch, reload
        self._lock = threading.Lock()
        self._beginning = threading.Lock()  # held while files are read; pages do not wait for it
        self._wishes: dict[str, _Wish] = {}  # by window
        self._plans: dict[str, TrainingPlan] = {}  # by key, of what is wished for
        self._runs: dict[str, TrainingRun] = {}  # under way, by key
        self._began: dict[str, float] = {}  # by key
        self._refused: dict[str, InputError] = {}
        self.computed = 0  # runs begun so far

    def want(self, plan: TrainingPlan, viewer: str) -> None:
        """Registers that a window shows a model to be learned by this plan. Learning begins when the window has not turned to
        another model for a moment.
        """
        key = plan.key
        if self._prefetch is not None:
            self._prefetch.pause()
        with self._lock:
            before, run = self._wishes.get(viewer), self._runs.get(key)
            is_new = before is None or before.key != key or (run is not None and run.given_up)
            if is_new:
                self._wishes[viewer] = _Wish(key, now := time.monotonic(), now)
                self._refused.pop(key, None)
            self._plans[key] = plan
            given_up = self._given_up()
            run = self._runs.get(key)
        self._end(given_up)
        if run is not None:
            self._scheduler.view_run(run.id, viewer)
        elif is_new:
            self._later(key)

    def unwant(self, viewer: str) -> None:
        """Registers that a window shows a model that need not learn."""
        with self._lock:
            if self._wishes.pop(viewer, None) is None:
                return
            given_up = self._given_up()
        self._end(given_up)

    def run(self, key: str) -> TrainingRun | None:
        """Returns the run that learns this model, once it has begun."""
        with self._lock:
            run = self._runs.get(key)
            return None if run is None or run.given_up else run  # the scheduler ends runs that all windows have left

    def seconds(self, key: str) -> float:
        """Returns how long a model has been learning, in wall time."""
        with self._lock:
            return time.monotonic() - self._began[key] if key in self._runs else 0.0

    def live(self, key: str) -> LearnedModel | None:
        """Returns the model that is being learned, up to its newest weights; None before the first step."""
        run = self.run(key)
        so_far = None if run is None else run.learned()
        if run is None or so_far is None:
            return None
        model, newest = of_learned(so_far), run.weights()
        if newest is None or newest[0] <= model.last:
            return model
        step, parameters = newest
        return replace(model, states={**model.states, step: parameters})

    def wish_of(self, viewer: str) -> str | None:
        """Returns the key of the model that a window waits for."""
        with self._lock:
            wish = self._wishes.get(viewer)
            return None if wish is None else wish.key

    def is_wanted(self, key: str) -> bool:
        """True if a window waits for this model, and not in vain: while a computer sleeps, its windows count as closed."""
        with self._lock:
            run = self._runs.get(key)
            return not (run is not None and run.given_up) and any(wish.key == key for wish in self._wishes.values())

    @property
    def watched(self) -> int:
        """The number of windows that wait for a model."""
        with self._lock:
            return len(self._wishes)

    @property
    def under_way(self) -> int:
        """The number of models that are being learned."""
        with self._lock:
            return len(self._runs)

    def note(self, key: str) -> WordedError | None:
        """Returns a message about a model that is being learned, such as that its worker process ended."""
        run = self.run(key)
        return None if run is None else run.note

    def refused(self, key: str) -> InputError | None:
        """Returns why a model could not begin or go on to learn."""
        with self._lock:
            return self._refused.get(key)

    def stop(self) -> None:
        """Drops all wishes and ends their runs."""
        with self._lock:
            self._wishes.clear()
            given_up = self._given_up()
        self._end(given_up)

    def _later(self, key: str) -> None:
        timer = threading.Timer(self._patience, self._begin, (key,))
        timer.daemon = True
        timer.start()

    def _begin(self, key: str) -> None:
        """Begins if some window has waited long enough; otherwise that window's own timer will."""
        with self._beginning:
            with self._lock:
                if not self._is_due(key):
                    return
            self._learn(key)

    def _is_due(self, key: str) -> bool:
        """True if some window has waited long enough for a model that has not begun. The lock is held."""
        waited = [time.monotonic() - wish.since for wish in self._wishes.values() if wish.key == key]
        return bool(waited) and key not in self._runs and max(waited) >= 0.9 * self._patience

    def _learn(self, key: str) -> None:
        """Begins unless the model has been learned meanwhile, here or by another copy of the app."""
        is_there = self._store.get(key) is not None
        with self._lock:
            run = None
            if is_there:
                self._grant(key)
            elif self._is_due(key):
                run = self._begun(key)
            viewers = [viewer for viewer, wish in self._wishes.items() if wish.key == key]
        if run is not None:
            for viewer in viewers:
                self._scheduler.view_run(run.id, viewer)

    def _begun(self, key: str) -> TrainingRun | None:
        """Begins a run; None if the model cannot be learned. The lock is held."""
        try:
            check_in_time(self._plans[key])
            begun = self._prefetch.take(key) if self._prefetch is not None else None
            run = begun or TrainingRun(self._plans[key], f"everybody who waits for {key}")  # no browser controls it
            run.when_over = self._over
            run.play()
            self._runs[key] = run
            if begun is None:
                self._scheduler.add_run(run)
            else:
                self._scheduler.wake_run(run)
            self._began[key] = time.monotonic()
            self.computed += 1
            return run
        except InputError as error:
            self._runs.pop(key, None)
            self._refuse(key, error)
            return None

    def _over(self, run: TrainingRun) -> None:
        """Stores what has been learned and removes the run. Called by the worker that ended it."""
        model = run.learned() if run.outcome is not None else None
        if model is not None:
            self._store.put(model)
        with self._lock:
            self._runs.pop(run.plan.key, None)
            self._began.pop(run.plan.key, None)
            if model is not None:
                self._grant(run.plan.key)
            elif (why := run.history().message) is not None:  # shown to those who wait; a new run would end like this one
                self._refuse(run.plan.key, InputError(why.template, **why.values))
        self._scheduler.remove_run(run)

    def _refuse(self, key: str, error: InputError) -> None:
        """Keeps the reason without its traceback, and forgets the oldest. The lock is held."""
        self._refused[key] = error.with_traceback(None)
        while len(self._refused) > _REFUSED:
            del self._refused[next(iter(self._refused))]

    def _grant(self, key: str) -> None:
        """Drops the wishes for a model that has been learned. The lock is held."""
        self._wishes = {viewer: wish for viewer, wish in self._wishes.items() if wish.key != key}

    def _given_up(self) -> list[TrainingRun]:
        """Takes the runs from the list that no window waits for, or that have ended. The lock is held."""
        now = time.monotonic()
        for viewer, wish in self._wishes.items():
            if self._is_open(viewer):
                wish.seen = now
        self._wishes = {viewer: wish for viewer, wish in self._wishes.items() if now - wish.seen <= self._reload}
        wanted = {wish.key for wish in self._wishes.values()}
        self._plans = {key: plan for key, plan in self._plans.items() if key in wanted}
        unwanted = [key for key, run in self._runs.items() if key not in wanted or run.given_up]
        for key in unwanted:
            self._began.pop(key, None)
        return [self._runs.pop(key) for key in unwanted]

    def _end(self, runs: list[TrainingRun]) -> None:
        for run in runs:
            self._scheduler.remove_run(run)
