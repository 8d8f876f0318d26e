"""One training run: its history so far, and the controls that a page may use.

A thread of the scheduler advances it in short slices; pages read and control it from threads of their own. The server keeps all
that is known of it here. An engine computes its steps, mostly in another process, and may be lost at any time (see `workers`).
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from explorer import limits
from explorer.i18n import N_
from explorer.learning import run_file
from explorer.learning.ablations import AblationPair
from explorer.learning.engine import Order, Progress
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory, RunRecord, Status
from explorer.learning.run_state import RunState
from explorer.learning.snapshots import Packed, Timeline
from explorer.learning.workers import CALLING_THREAD, Place, RunEngine, Worker, WorkerEnded
from transformer_core.errors import WordedError
from transformer_core.training.learned import Learned, Outcome
from transformer_core.training.race import RaceRow

_log = logging.getLogger(__name__)


class TrainingRun(RunState):
    """A run on the server.

    Attributes:
        owner: token of the browser that may control it; no link contains it. Everyone who knows the run's id may watch.
        viewers: sessions (browser tabs) that have shown it, including the owner's.
        lasts: whether it rests, rather than ends, when none of these is open any more.
        spare: whether nobody waits for it yet, so that the runs of people begin first.
        forgotten: whether the scheduler has dropped it, so that nobody can come back to it.
        number: its number among the runs of its owner; pair: the ablation that it belongs to, if any.
        note: what else a person should know of it, see `RunHistory`.
        spent: seconds of compute, and those in which it had a core; evaluations and steps that were undone are included.
        branch: how often it went back to a step. Progress that was ordered before the last time is dropped.
        when_over: called by the thread that trains it when it ends by itself.
    """

    def __init__(self, plan: TrainingPlan, owner: str, watched: bool = False, lasts: bool = False, spare: bool = False):
        plan.check()
        super().__init__(watched)
        self.id = secrets.token_hex(9)  # only letters and digits: Streamlit refuses a component whose name has two underscores
        self.plan = plan
        self.owner = owner
        self.viewers: set[str] = set()
        self.lasts, self.spare, self.forgotten, self.number = lasts, spare, False, 0
        self.pair: AblationPair | None = None
        self.last_seen = time.monotonic()
        self._model_lock = threading.Lock()  # held while the engine is at work
        self._record = RunRecord(plan)
        self._keyframes: Timeline[Packed] = Timeline(plan.recipe.evaluate_every, limits.KEYFRAMES, limits.KEYFRAME_BYTES)
        self.note: WordedError | None = None
        self.spent = (0.0, 0.0)
        self.branch = 0
        self._engine: RunEngine | None = None  # its newest step is that of the record
        self._saved: Packed | None = None  # the state that a new engine goes on from; None: the beginning of the plan
        self.when_over: Callable[[TrainingRun], None] | None = None
        self._told = False  # `when_over` has been called
        self._deaths = 0  # of workers while they trained it, since a state was last saved

    @property
    def outcome(self) -> Outcome | None:
        """The end of its learning, if it ended by itself."""
        return self._record.outcome

    @property
    def goes_further(self) -> bool:
        """Returns whether it can be resumed: it is under way or at rest, though forgotten, or done with steps left."""
        done = self.status is Status.DONE and self._record.step < self.plan.recipe.steps
        return (self.resting or not self.forgotten) and (done or not self.over)

    @property
    def has_memory(self) -> bool:
        """Returns whether it takes the memory of a model."""
        return self._engine is not None or self._saved is not None

    def wait(self) -> float:
        """Seconds until its next step is due; 0 unless it is in slow motion."""
        with self._lock:
            return self._clock.wait(self._record.step) if self.watched and self._status is Status.RUNNING else 0.0

    def history(self) -> RunHistory:
        with self._lock:
            history = self._record.history(self._status, self._message, self.note, self._clock.seconds)
            return replace(history, number=self.number)

    def weights(self) -> tuple[int, Tensor] | None:
        """The newest weights: the step, and all parameters, (parameters,) float16 in the order of `Transformer.parameters`.
        While it trains there are new ones several times a second; when it pauses, those of its step."""
        with self._lock:
            return self._record.newest

    def race(self) -> tuple[RaceRow, ...]:
        """Returns how the models of a race have run so far; none before they have begun, or if it is no race."""
        with self._lock:
            return self._record.race

    def learned(self) -> Learned | None:
        """Returns what it has learned so far; None before the first step that is kept, and when an error has ended it."""
        with self._lock:
            return None if self._has_failed() else self._record.learned(not self._wants_work())

    def _has_failed(self) -> bool:
        """Returns whether an error has ended it. Called with the lock held."""
        return self._status is Status.FAILED and self._record.outcome is None

    def rewind(self, step: int, pause: bool = False) -> None:
        """Goes back to the state after `step` and resumes with the same numbers; with `pause`, it waits there. Steps since the
        nearest state that is kept are repeated."""
        with self._lock:
            self._go_back(self._keyframes.latest(step))
            back = self._record.step
            self._pause_at = step if pause else None
            self._message, self.note, self._single_steps, self._deaths = None, None, 0, 0
            if back == self.plan.recipe.steps or self._record.outcome is not None:
                self._status = Status.DONE
            else:
                self._status = Status.PAUSED if back == self._pause_at else Status.RUNNING

    def _go_back(self, state: Packed | None) -> None:
        """Goes back to a state, or to the beginning of the plan. Called with the lock held."""
        back = state.step if state is not None else self.plan.first_step
        self._engine, self._saved = None, state
        self._clock.stop()
        self.branch += 1
        self._keyframes.cut(back)
        self._record.cut(back)
        self._told = False

    @property
    def saved(self) -> Packed | None:
        """The newest state that a new engine can go on from; None: the beginning of the plan."""
        with self._lock:
            return self._saved

    def checkpoint(self, training: bool = False) -> bytes:
        """The model of a run that is paused or over, as a safetensors file, with the course of its learning; `training` makes
        it resumable."""
        with self._model_lock:
            self._settle()
            with self._lock:
                saved, history = self._saved, self._record.history(self._status, self._message)
                course = None if self._has_failed() else self._record.course()
        return run_file.to_bytes(history, saved, training, course, self.id)

    def advance(self, seconds: float, place: Place | None = None) -> None:
        """Trains for about `seconds` at a place; None: where its engine is, or else in this thread. Takes at least one step; in
        slow motion, no others before they are due. Called by one thread at a time."""
        end = time.perf_counter() + seconds
        while self.wants_work():
            with self._model_lock:
                stays = self._train(place, max(0.0, end - time.perf_counter()))
            if not stays or time.perf_counter() >= end or self.wait():
                break
        if not self.wants_work():
            with self._model_lock:
                self._settle()
            self._tell()

    def leave_place(self) -> None:
        """Fetches its state, then drops its engine if it still rests."""
        with self._model_lock:
            self._settle()
            with self._lock:
                self._engine = None if self.resting else self._engine

    def _tell(self) -> None:
        """Calls `when_over`, once, unless somebody stopped the run."""
        with self._lock:
            by_itself = self.over and not self.given_up
            call = self.when_over if by_itself and not self._told else None
            self._told = self._told or by_itself
        if call is not None:
            try:
                call(self)
            except Exception:  # the thread goes on with other runs
                _log.exception("what follows on run %s failed", self.id)

    def _train(self, place: Place | None, seconds: float) -> bool:
        """Orders some steps and takes in the progress. Returns whether the place is still there."""
        with self._lock:
            most = None if self._status is Status.RUNNING else self._single_steps
            due = self._clock.due(self._record.step) if self.watched else None
            order = Order(seconds, most, self._pause_at, due, self.watched, self._keyframes.every)
            branch = self.branch
        if most == 0 or self.over:
            return True
        try:
            progress = self._engine_at(place, branch).advance(order)
        except WorkerEnded as ended:
            self.lost(ended.worker, working=True)
            return place is None or not place.is_remote
        except Exception as error:
            self._failed(error)
        else:
            self._take(progress, branch)
        return True

    def _failed(self, error: Exception) -> None:
        """Ends the run with an unexpected error, which is shown on its page alone. Called in an `except`."""
        _log.exception("run %s failed", self.id)
        words = WordedError(N_("The run ended with an error: {error}"), error=str(error))
        with self._lock:
            if self.over:
                self.note = words
            self._fail(words)

    def _engine_at(self, place: Place | None, branch: int) -> RunEngine:
        """Returns its engine at this place: there already, moved there, or new. Raises WorkerEnded, OSError."""
        worker = place.worker() if place is not None else None
        with self._lock:
            engine, saved = self._engine, self._saved
        if engine is not None and worker is not None and engine.worker is not worker:
            handed_over = engine.advance(Order(most=0))
            self._take(handed_over, branch)
            if handed_over.state is None:
                raise RuntimeError("its state could not be moved")
            with self._lock:
                engine, saved = None, self._saved
        if engine is None:
            engine = (worker or CALLING_THREAD.worker()).engine(self.plan, saved)
            with self._lock:
                if self.branch == branch:
                    self._engine = engine
        return engine

    def _settle(self) -> None:
        """Fetches the state and the weights of a run that has paused. Called while no step is under way."""
        with self._lock:
            engine, branch = self._engine, self.branch
            here = self._saved.step if self._saved is not None else self.plan.first_step
            if engine is None or here == self._record.step:
                return
        try:
            self._take(engine.advance(Order(most=0)), branch)
        except WorkerEnded as ended:
            self.lost(ended.worker)
        except Exception as error:
            self._failed(error)
            with self._lock:
                self._go_back(self._saved)  # the state that its file would hold

    def _take(self, progress: Progress, branch: int) -> None:
        """Records the progress of an engine, unless the run went back meanwhile."""
        if progress.failure is not None and progress.failure.log is not None:
            _log.error("run %s failed:\n%s", self.id, progress.failure.log)
        with self._lock:
            if self.branch != branch:
                return
            self._record.add_progress(progress)
            self._clock.count_step()
            self.spent = (self.spent[0] + progress.seconds, self.spent[1] + progress.computed)
            for step in progress.steps:
                self._record.add_step(step.report, step.exact_match, step.snapshot)
                if step.state is not None:
                    self._saved, self._deaths = step.state, 0
                    if self._keyframes.wants(step.report.step):
                        self._keyframes.add(step.report.step, step.state)
                self._single_steps = max(0, self._single_steps - 1)
                self._judge(step.report.step)
            if progress.state is not None:
                self._saved, self._deaths = progress.state, 0
            if progress.failure is not None:
                self._fail(WordedError(progress.failure.template, **progress.failure.values))
            elif progress.outcome is not None and not self.over:
                self._status = Status.DONE

    def _judge(self, step: int) -> None:
        """Ends or pauses it after a step: the last one, the one to pause at, or one beyond the limit of compute."""
        if self.over:
            return
        if step == self.plan.recipe.steps:
            self._status = Status.DONE
        elif self.spent[0] > 60 * limits.MAX_MINUTES:
            message = N_("This run was stopped after {n:g} minutes of computing, the limit for one run here.")
            self._status, self._message = Status.STOPPED, WordedError(message, n=limits.MAX_MINUTES)
        elif step == self._pause_at:
            self._status, self._pause_at = Status.PAUSED, None

    def lost(self, worker: Worker | None, working: bool = False) -> None:
        """Goes back to the last saved state if this worker, which has ended, had the run's engine. `working`: it was computing
        for this run; after several such ends in a row the run fails."""
        if worker is None:
            return
        with self._lock:
            at = self._record.step
            if self._engine is not None and self._engine.worker is worker:
                self._go_back(self._saved)
            back = self._record.step
            if back < at or (working and self.note is None):
                self.note = WordedError(worker.ended_message, n=at, m=back)
            self._deaths += working
            if self._deaths >= limits.WORKER_DEATHS:
                words = N_(
                    "The worker process of this run ended {n} times in a row before it got any further. Its last output is in "
                    "the log of the server."
                )
                self._fail(WordedError(words, n=self._deaths))
