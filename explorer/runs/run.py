"""One training run: what it is to do, how far it is, and the switches that a page may turn.

A worker thread advances it in short slices; pages read it and turn its switches from threads of their own. Nothing here
touches Streamlit.
"""

import logging
import secrets
import threading
import time
from dataclasses import dataclass
from functools import cached_property

import torch

from explorer.runs import limits
from explorer.runs.history import History, Record, Status
from explorer.runs.snapshots import Keyframe, Timeline, snapshot
from explorer.words import _
from transformer_core import (
    CopyTask,
    Recipe,
    Task,
    Trainer,
    TrainingDiverged,
    Transformer,
    TransformerConfig,
    checkpoint,
)
from transformer_core.model.accounting import count_by_formula, training_bytes
from transformer_core.training.checkpoint import Checkpoint, Training
from transformer_core.training.trainer import resolve_device

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """All that determines a run: the same plan gives the same run, to the last bit on a CPU.

    `goal` is the share of exact answers at which the run is done; `begin` is a training to go on with, where it does not begin
    with random weights.
    """

    cfg: TransformerConfig
    task: Task
    recipe: Recipe
    goal: float = 0.99
    begin: Checkpoint | None = None

    @property
    def first_step(self) -> int:
        """The steps that were taken before this run."""
        return self.begin.training.state.step if self.begin is not None and self.begin.training is not None else 0

    @cached_property
    def bytes(self) -> int:
        """What it takes in memory at most, about."""
        row = self.task.batch(1, torch.Generator())
        training = training_bytes(self.cfg, self.recipe.batch_size, row.src.size(1), row.tgt.size(1))
        return training + limits.SNAPSHOT_BYTES + limits.KEYFRAME_BYTES

    def check(self) -> None:
        """Raises ValueError, with the numbers, for a run that this server will not carry."""
        resolve_device(self.recipe.device)
        if self.first_step >= self.recipe.steps:
            message = _("This training has taken all its {n:,} steps. Raise “steps at most” to go on with it.")
            raise ValueError(message.format(n=self.first_step))
        parameters = count_by_formula(self.cfg)
        if parameters > limits.MAX_PARAMETERS:
            message = _(
                "A model of {n:,} parameters is too large to train here; up to {most:,} are taken. Lower "
                "d_model, d_ff or the layers."
            )
            raise ValueError(message.format(n=parameters, most=limits.MAX_PARAMETERS))
        tokens = self.recipe.batch_size * self.task.row_tokens
        if tokens > limits.MAX_STEP_TOKENS:
            message = _(
                "{n:,} tokens in one step are too many here; up to {most:,} are taken. Lower the batch size or the length."
            )
            raise ValueError(message.format(n=tokens, most=limits.MAX_STEP_TOKENS))
        if self.bytes > limits.TRAINING_BYTES:
            message = _(
                "This training would take about {n:,} MB of memory; up to {most:,} MB are given here. Lower the batch size, "
                "the length, the layers or the heads."
            )
            raise ValueError(message.format(n=self.bytes >> 20, most=limits.TRAINING_BYTES >> 20))
        if self.recipe.evaluate_on > limits.MAX_TEST_ROWS:
            message = _("{n:,} rows to be tried at each look are too many here; up to {most:,} are taken.")
            raise ValueError(message.format(n=self.recipe.evaluate_on, most=limits.MAX_TEST_ROWS))
        if self.recipe.steps > limits.MAX_STEPS:
            message = _("{n:,} steps are too many here; up to {most:,} are taken.")
            raise ValueError(message.format(n=self.recipe.steps, most=limits.MAX_STEPS))


class Run:
    """A run in the hands of the server. `owner` may steer it; everyone who knows its id may watch."""

    def __init__(self, plan: Plan, owner: str):
        plan.check()
        self.id = secrets.token_hex(9)  # letters and digits alone: a component whose name holds two underscores is refused
        self.plan = plan
        self.owner = owner
        self.viewers = {owner}
        self.last_seen = time.monotonic()
        self._lock = threading.Lock()
        self._model_lock = threading.Lock()  # held while a step changes the weights
        self._record = Record(plan.first_step, plan.recipe.evaluate_every)
        self._keyframes: Timeline[Keyframe] = Timeline(plan.recipe.evaluate_every, limits.KEYFRAMES, limits.KEYFRAME_BYTES)
        self._status = Status.RUNNING
        self._message = ""
        self._single_steps = 0
        self._seconds = 0.0  # of compute, also for steps that were taken back
        self._pause_at: int | None = None
        self.branch = 0  # how often it was gone back with
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

    def history(self) -> History:
        with self._lock:
            return self._record.history(self._status, self._message)

    def rewind(self, step: int, pause: bool = False) -> None:
        """Goes back to after `step` and on from there, by the same numbers again; with `pause`, it waits there.

        The nearest state that was kept at or before it is put back, and the steps between are taken once more. Waits for the
        step under way.
        """
        with self._model_lock:
            kept = self._keyframes.latest(step)
            if kept is not None:
                kept.put_back(self._ensure_trainer())
            else:
                self._trainer = None  # made anew, as the plan says
            self.branch += 1
            back = kept.state.step if kept is not None else self.plan.first_step
            with self._lock:
                self._keyframes.cut(back)
                self._record.cut(back)
                self._pause_at = step if pause else None
                self._message, self._single_steps = "", 0
                if back == self.plan.recipe.steps:
                    self._status = Status.DONE
                else:
                    self._status = Status.PAUSED if back == self._pause_at else Status.RUNNING

    def checkpoint(self, training: bool = False) -> bytes:
        """The model as it is now, as a safetensors file, with `training` one to go on with. Waits for the step under way; the
        run must not be running."""
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
        """Steps for about so long (at least one step). Called by one worker at a time."""
        end = time.perf_counter() + seconds
        while self.wants_work():
            try:
                with self._model_lock:  # weights and record change together
                    self._step()
            except TrainingDiverged as error:
                self._fail(str(error))
            except Exception as error:  # whatever it is belongs to this run alone, and to its page
                _log.exception("run %s failed", self.id)
                self._fail(_("The run ended with an error: {error}").format(error=error))
            if time.perf_counter() >= end:
                return

    def _ensure_trainer(self) -> Trainer:
        if self._trainer is None:
            plan = self.plan
            model = Transformer(plan.cfg, torch.Generator().manual_seed(plan.recipe.seed))
            if plan.begin is not None:
                model.load_state_dict(plan.begin.model.state_dict())
            trainer = Trainer(model, plan.task, plan.recipe)
            if plan.begin is not None and plan.begin.training is not None:
                trainer.restore(plan.begin.training.state)
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
                report.evaluation is not None and report.evaluation.exact_match >= self.plan.goal
            ) or report.step == self.plan.recipe.steps:
                self._status = Status.DONE
            elif self._seconds > 60 * limits.MAX_MINUTES:
                message = _("This run was stopped after {n:g} minutes of compute, as much as one run may take here.")
                self._status, self._message = Status.STOPPED, message.format(n=limits.MAX_MINUTES)
            elif report.step == self._pause_at:
                self._status, self._pause_at = Status.PAUSED, None

    def _fail(self, message: str) -> None:
        with self._lock:
            if not self.over:
                self._status, self._message, self._single_steps = Status.FAILED, message, 0
