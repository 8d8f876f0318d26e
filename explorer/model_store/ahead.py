"""While nothing else is trained, models are learned that somebody is likely to ask for next, each by one copy of the app."""

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial

from explorer.model_store.claims import Claims
from explorer.model_store.store import ModelStore
from explorer.training.plan import TrainingPlan
from explorer.training.run import TrainingRun
from explorer.training.run_history import Status
from explorer.training.scheduler import Scheduler
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import seconds_of_a_step

_log = logging.getLogger(__name__)
_TICK = 0.5  # seconds between two looks at whether there is something else to do
_LONGEST = 20.0  # seconds that learning may take by estimate: whoever wants less waits hardly longer than for these


class Ahead:
    """Learns one model at a time, and pauses as soon as anybody has another run. What it is at it claims as long as it goes on:
    while it pauses, another copy of the app may learn that model.

    Attributes:
        claims: of this copy.
    """

    def __init__(self, store: ModelStore, scheduler: Scheduler, tick: float = _TICK, claims: Claims | None = None) -> None:
        self._store, self._scheduler, self._tick = store, scheduler, tick
        self.claims = claims or Claims(store.shared)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._plans: Callable[[], Sequence[TrainingPlan]] | None = None
        self._left: list[TrainingPlan] = []
        self._tried: set[str] = set()
        self._next: str | None = None  # the key that is about to begin, unless somebody here turns to it meanwhile
        self._viewer = ""
        self._run: TrainingRun | None = None

    def look(self, plans: Callable[[], Sequence[TrainingPlan]], viewer: str) -> None:
        """Call when a window shows a model that has learned; `plans` are those it may turn to next, the likeliest first."""
        with self._lock:
            self._plans, self._viewer = plans, viewer
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._work, name="learning-ahead", daemon=True)
                self._thread.start()

    def pause(self) -> None:
        """Call when somebody wants a model now."""
        with self._lock:
            if self._run is not None:
                self._run.pause()

    def take(self, key: str) -> TrainingRun | None:
        """The run that learns this model, if it is under way: from now on it is the caller's, and may be paused."""
        with self._lock:
            run = self._run
            if self._next == key:
                self._next = None
            if run is None or run.over or run.plan.key != key:
                return None
            self._run = None
            return run

    def stop(self) -> None:
        """Ends it; the scheduler ends the run."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        if self._run is not None:
            self.claims.release(self._run.plan.key)

    def _work(self) -> None:
        while not self._closing.wait(self._tick):
            try:
                self._go_on()
            except Exception:  # nobody has asked for it
                _log.exception("no model was learned ahead")
                return

    def _go_on(self) -> None:
        """Begins, goes on or pauses. Pages do not wait while files are asked: that is done without the lock."""
        with self._lock:
            if self._run is not None and self._run.over:
                self._run = None
            run = self._run
            is_at_work = run is not None and run.status is Status.RUNNING
            is_free = self._scheduler.crowd <= is_at_work
            if run is not None and not is_free:
                run.pause()
        if is_free and run is None:
            self._begin()
        elif is_free and run is not None and not is_at_work:
            self._resume(run)

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
            if not self.claims.holds(plan.key) and self._may_learn(plan.key):
                with self._lock:
                    self._run = self._started(plan) if self._next == plan.key else None
                self.claims.leave(plan.key)  # where it did not begin
                return

    def _may_learn(self, key: str) -> bool:
        """Whether nobody has learned it, and no other copy is at it: then this copy has claimed it."""
        if key in self._store or not self.claims.take(key):
            return False
        self._store.look_again()
        if key not in self._store:
            return True
        self.claims.release(key)
        return False

    def _resume(self, run: TrainingRun) -> None:
        """Goes on with what was paused, unless another copy has turned to it meanwhile."""
        mine = self._may_learn(run.plan.key)
        with self._lock:
            is_taken = self._run is not run  # by somebody here
            if mine and not is_taken:
                self._follow(run)
                run.play()
                self._scheduler.wake(run)
            elif not is_taken:
                self._run = None
        self.claims.leave(run.plan.key)  # where it does not go on
        if not mine and not is_taken:
            self._scheduler.remove(run)

    def _follow(self, run: TrainingRun) -> None:
        """Lets the claim say how far the run is, and end with it, or where it pauses."""
        self.claims.follow(run.plan.key, partial(_step, run))

    def _started(self, plan: TrainingPlan) -> TrainingRun | None:
        try:
            run = TrainingRun(plan, "whoever comes next")
            run.when_over = self._over
            run.viewers.add(self._viewer)  # when that window is closed, it is given up
            self._scheduler.add(run)
        except InputError as error:
            _log.info("not learned ahead: %s", error)
            return None
        self._follow(run)
        return run

    def _over(self, run: TrainingRun) -> None:
        if run.outcome is not None and (model := run.learned()) is not None:
            self._store.put(model)
        self._scheduler.remove(run)
        self.claims.release(run.plan.key)


def _step(run: TrainingRun) -> int | None:
    """The step that a run has come to; None while it does not go on."""
    newest = run.weights()
    return None if run.status is not Status.RUNNING else 0 if newest is None else newest[0]
