"""One training run: how far it is, and the controls that a page may use.

A worker thread advances it in short slices; pages read and control it from threads of their own. Nothing here uses Streamlit.
"""

import logging
import secrets
import threading
import time

import torch

from explorer.i18n import N_
from explorer.training import limits
from explorer.training.plan import TrainingPlan
from explorer.training.run_history import RunHistory, RunRecord, Status
from explorer.training.snapshots import Keyframe, Timeline, snapshot
from transformer_core import (
    CopyTask,
    Trainer,
    TrainingDiverged,
    Transformer,
    checkpoint,
)
from transformer_core.errors import WordedError
from transformer_core.training.checkpoint import Training

_log = logging.getLogger(__name__)


class TrainingRun:
    """A run on the server.

    Attributes:
        owner: the browser that may control it, known by a token that is in no link; everyone who knows the run's id may watch.
        viewers: the sessions (browser tabs) that have shown it, including the owner's.
    """

    def __init__(self, plan: TrainingPlan, owner: str):
        plan.check()
        self.id = secrets.token_hex(9)  # only letters and digits: Streamlit refuses a component whose name has two underscores
        self.plan = plan
        self.owner = owner
        self.viewers: set[str] = set()
        self.last_seen = time.monotonic()
        self._lock = threading.Lock()
        self._model_lock = threading.Lock()  # held while a step changes the weights
        self._record = RunRecord(plan.first_step, plan.recipe.evaluate_every)
        self._keyframes: Timeline[Keyframe] = Timeline(plan.recipe.evaluate_every, limits.KEYFRAMES, limits.KEYFRAME_BYTES)
        self._status = Status.RUNNING
        self._message: WordedError | None = None
        self._single_steps = 0
        self._seconds = 0.0  # of compute, including steps that were undone
        self._pause_at: int | None = None
        self.branch = 0  # how often it went back to a step
        self._trainer: Trainer | None = None

    @property
    def status(self) -> Status:
        return self._status

    @property
    def has_memory(self) -> bool:
        """Whether a model has been built for it."""
        return self._trainer is not None

    @property
    def over(self) -> bool:
        return self._status in (Status.DONE, Status.STOPPED, Status.FAILED)

    def play(self) -> None:
        self._switch(Status.RUNNING)

    def pause(self) -> None:
        self._switch(Status.PAUSED)

    def stop(self) -> None:
        self._switch(Status.STOPPED)

    def step_once(self) -> None:
        """One step, then pause again."""
        with self._lock:
            if not self.over:
                self._status, self._pause_at = Status.PAUSED, None
                self._single_steps += 1

    def _switch(self, status: Status) -> None:
        with self._lock:
            if not self.over:
                self._status, self._single_steps, self._pause_at = status, 0, None

    def wants_work(self) -> bool:
        with self._lock:
            return not self.over and (self._status is Status.RUNNING or self._single_steps > 0)

    def history(self) -> RunHistory:
        with self._lock:
            return self._record.history(self._status, self._message)

    def rewind(self, step: int, pause: bool = False) -> None:
        """Goes back to the state after `step` and resumes, by the same numbers again; with `pause`, it waits there.

        The nearest state kept at or before that step is restored, and the steps in between are repeated. Waits for the step
        under way.
        """
        with self._model_lock:
            kept = self._keyframes.latest(step)
            if kept is not None:
                kept.put_back(self._ensure_trainer())
            else:
                self._trainer = None  # built anew, according to the plan
            self.branch += 1
            back = kept.state.step if kept is not None else self.plan.first_step
            with self._lock:
                self._keyframes.cut(back)
                self._record.cut(back)
                self._pause_at = step if pause else None
                self._message, self._single_steps = None, 0
                if back == self.plan.recipe.steps:
                    self._status = Status.DONE
                else:
                    self._status = Status.PAUSED if back == self._pause_at else Status.RUNNING

    def checkpoint(self, training: bool = False) -> bytes:
        """The model as it is now, as a safetensors file; `training` makes it resumable. Waits for the step under way; the run
        must not be running."""
        with self._model_lock:
            history = self.history()
            facts = {
                "task": self.plan.task.name,
                **({"length": self.plan.task.length} if isinstance(self.plan.task, CopyTask) else {}),
                "seed": self.plan.recipe.seed,
                "steps": history.step,
                "exact_match": history.exact_match,
            }
            trainer = self._ensure_trainer()
            kept = Training(self.plan.task, self.plan.recipe, trainer.state()) if training else None
            return checkpoint.to_bytes(trainer.model, facts, kept)

    def advance(self, seconds: float) -> None:
        """Trains for about this long (at least one step). Called by one worker at a time."""
        end = time.perf_counter() + seconds
        while self.wants_work():
            try:
                with self._model_lock:  # weights and history change together
                    self._step()
            except TrainingDiverged as error:
                self._fail(WordedError(error.template, **error.values))  # without what its traceback refers to
            except Exception as error:  # whatever it is, it concerns this run alone, and is shown on its page
                _log.exception("run %s failed", self.id)
                self._fail(WordedError(N_("The run ended with an error: {error}"), error=str(error)))
            if time.perf_counter() >= end:
                return

    def _ensure_trainer(self) -> Trainer:
        if self._trainer is None:
            plan = self.plan
            model = Transformer(plan.cfg, torch.Generator().manual_seed(plan.recipe.seed))
            if plan.resume_from is not None:
                model.load_state_dict(plan.resume_from.model.state_dict())
            trainer = Trainer(model, plan.task, plan.recipe)
            if plan.resume_from is not None and plan.resume_from.training is not None:
                trainer.restore(plan.resume_from.training.state)
            self._trainer = trainer
            with self._lock:
                self._record.snapshots.add(trainer.steps_taken, snapshot(trainer, None))
        return self._trainer

    def _step(self) -> None:
        trainer = self._ensure_trainer()
        report = trainer.step()
        if report.evaluation is not None and self._keyframes.wants(report.step):
            self._keyframes.add(report.step, Keyframe.of(trainer))
        seen = snapshot(trainer, report) if report.evaluation is not None else None
        with self._lock:
            self._record.add(report)
            if seen is not None:
                self._record.snapshots.add(report.step, seen)
            self._single_steps = max(0, self._single_steps - 1)
            self._seconds += report.seconds
            if self.over:
                return
            if (
                report.evaluation is not None and report.evaluation.exact_match >= self.plan.target
            ) or report.step == self.plan.recipe.steps:
                self._status = Status.DONE
            elif self._seconds > 60 * limits.MAX_MINUTES:
                message = N_("This run was stopped after {n:g} minutes of computing, the limit for one run here.")
                self._status, self._message = Status.STOPPED, WordedError(message, n=limits.MAX_MINUTES)
            elif report.step == self._pause_at:
                self._status, self._pause_at = Status.PAUSED, None

    def _fail(self, message: WordedError) -> None:
        with self._lock:
            if not self.over:
                self._status, self._message, self._single_steps = Status.FAILED, message, 0
