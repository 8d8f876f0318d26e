"""Trains likely next models while nobody has another run, and no other program wants the cores."""

import logging
import threading
from collections.abc import Callable, Sequence

from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import Status
from explorer.learning.scheduler import Scheduler
from explorer.learning.store import ModelStore
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import seconds_of_a_step

_log = logging.getLogger(__name__)
_TICK = 0.5  # seconds between two looks at whether there is something else to do
_BUSY = 2.0  # times as long as on an idle machine: training would be felt in other programs
_LONGEST = 20.0  # estimated seconds of learning: a larger model is not prefetched


class Prefetch:
    """Trains one model at a time, and pauses as soon as anybody has another run, or this machine is busy."""

    def __init__(self, store: ModelStore, scheduler: Scheduler, tick: float = _TICK) -> None:
        self._store, self._scheduler, self._tick = store, scheduler, tick
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._plans: Callable[[], Sequence[TrainingPlan]] | None = None
        self._left: list[TrainingPlan] = []
        self._tried: set[str] = set()
        self._next: str | None = None  # the key about to begin, unless a visitor wants it meanwhile
        self._viewer = ""
        self._run: TrainingRun | None = None

    def look(self, plans: Callable[[], Sequence[TrainingPlan]], viewer: str) -> None:
        """Registers a window that shows a learned model; `plans` are those it may turn to next, the likeliest first."""
        with self._lock:
            self._plans, self._viewer = plans, viewer
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._work, name="prefetch", daemon=True)
                self._thread.start()

    def pause(self) -> None:
        """Pauses because somebody wants a model now."""
        with self._lock:
            if self._run is not None:
                self._run.pause()

    def take(self, key: str) -> TrainingRun | None:
        """Hands over the run that learns this model, if it is under way. It may be paused."""
        with self._lock:
            run = self._run
            if self._next == key:
                self._next = None
            if run is None or run.over or run.plan.key != key:
                return None
            self._run = None
            return run

    def stop(self) -> None:
        """Stops prefetching; the scheduler ends the run."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._closing.wait(self._tick):
            try:
                self._go_on()
            except Exception:  # nobody waits for it
                _log.exception("no model was prefetched")
                return

    def _go_on(self) -> None:
        """Begins, resumes or pauses. Files are read without the lock, so that pages do not wait."""
        with self._lock:
            if self._run is not None and self._run.over:
                self._run = None
            run = self._run
            is_at_work = run is not None and run.status is Status.RUNNING
            is_free = self._scheduler.crowd <= is_at_work and self._scheduler.slowness.now() < _BUSY
            if run is not None and not is_free:
                run.pause()
        if is_free and run is None:
            self._begin()
        elif is_free and run is not None and not is_at_work:
            with self._lock:
                if self._run is run:  # else `take` has handed it over
                    run.play()
                    self._scheduler.wake_run(run)

    def _begin(self) -> None:
        with self._lock:
            if self._plans is not None:
                self._left, self._plans = list(self._plans()), None
        while self._left:
            plan = self._left.pop(0)
            if plan.key in self._tried or plan.recipe.steps * seconds_of_a_step(plan) > _LONGEST:
                continue
            self._tried.add(plan.key)
            with self._lock:
                self._next = plan.key
            if not self._is_there(plan.key):
                with self._lock:
                    self._run = self._started(plan) if self._next == plan.key else None
                return

    def _is_there(self, key: str) -> bool:
        """True if it has been learned, here or by another copy of the app."""
        return key in self._store

    def _started(self, plan: TrainingPlan) -> TrainingRun | None:
        try:
            run = TrainingRun(plan, "whoever comes next", spare=True)
            run.when_over = self._over
            run.viewers.add(self._viewer)  # when that window is closed, it is given up
            self._scheduler.add_run(run)
        except InputError as error:
            _log.info("not prefetched: %s", error)
            return None
        return run

    def _over(self, run: TrainingRun) -> None:
        if run.outcome is not None and (model := run.learned()) is not None:
            self._store.put(model)
        self._scheduler.remove_run(run)
