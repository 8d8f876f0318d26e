"""One training run: what it is to do, how far it is, and the switches that a page may turn.

A worker thread advances it in short slices; pages read it and turn its switches from threads of their own. Nothing here
touches Streamlit.
"""

import logging
import secrets
import threading
import time
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import torch

from explorer.runs import limits
from explorer.words import _
from transformer_core import (
    CopyTask,
    Recipe,
    StepReport,
    Task,
    Trainer,
    TrainingDiverged,
    Transformer,
    TransformerConfig,
    checkpoint,
)
from transformer_core.accounting import count_by_formula
from transformer_core.checkpoint import Checkpoint, Training
from transformer_core.looking import Look
from transformer_core.training import resolve_device

_log = logging.getLogger(__name__)


class Status(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"  # the goal is reached, or the last step taken
    STOPPED = "stopped"  # by a person, for good
    FAILED = "failed"


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
        if self.recipe.evaluate_on > limits.MAX_TEST_ROWS:
            message = _("{n:,} rows to be tried at each look are too many here; up to {most:,} are taken.")
            raise ValueError(message.format(n=self.recipe.evaluate_on, most=limits.MAX_TEST_ROWS))
        if self.recipe.steps > limits.MAX_STEPS:
            message = _("{n:,} steps are too many here; up to {most:,} are taken.")
            raise ValueError(message.format(n=self.recipe.steps, most=limits.MAX_STEPS))


@dataclass(frozen=True)
class History:
    """A run so far. Arrays of one length, one entry per step after `first_step`, but for `looks`: (step, share of exact
    answers)."""

    status: Status
    message: str
    first_step: int
    loss: np.ndarray
    learning_rate: np.ndarray
    gradient_norm: np.ndarray
    seconds: float
    tokens_per_second: float
    looks: np.ndarray
    look: Look | None
    look_step: int

    @property
    def step(self) -> int:
        return self.first_step + len(self.loss)

    @property
    def steps(self) -> np.ndarray:
        """The steps that the arrays tell of."""
        return np.arange(self.first_step + 1, self.step + 1)

    @property
    def exact_match(self) -> float | None:
        return float(self.looks[-1, 1]) if len(self.looks) else None


@dataclass
class _Record:
    """What the worker writes down; read and written under the run's lock."""

    loss: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    gradient_norm: list[float] = field(default_factory=list)
    looks: list[tuple[int, float]] = field(default_factory=list)
    look: Look | None = None
    look_step: int = 0
    seconds: float = 0.0
    tokens_per_second: float = 0.0


class Run:
    """A run in the hands of the server. `owner` may steer it; everyone who knows its id may watch."""

    def __init__(self, plan: Plan, owner: str):
        plan.check()
        self.id = secrets.token_urlsafe(9)
        self.plan = plan
        self.owner = owner
        self.viewers = {owner}
        self.last_seen = time.monotonic()
        self.scheduled = False  # whether it is in a worker's hands; kept by the scheduler
        self._lock = threading.Lock()
        self._model_lock = threading.Lock()  # held while a step changes the weights
        self._record = _Record()
        self._status = Status.RUNNING
        self._message = ""
        self._single_steps = 0
        self._trainer: Trainer | None = None

    @property
    def status(self) -> Status:
        return self._status

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
                self._status = Status.PAUSED
                self._single_steps += 1

    def _switch(self, status: Status) -> None:
        with self._lock:
            if not self.over:
                self._status, self._single_steps = status, 0

    def wants_work(self) -> bool:
        with self._lock:
            return not self.over and (self._status is Status.RUNNING or self._single_steps > 0)

    def history(self) -> History:
        with self._lock:
            record = self._record
            return History(
                status=self._status,
                message=self._message,
                first_step=self.plan.first_step,
                loss=np.array(record.loss, dtype=np.float32),
                learning_rate=np.array(record.learning_rate, dtype=np.float64),  # what was typed may be of any size
                gradient_norm=np.array(record.gradient_norm, dtype=np.float32),
                seconds=record.seconds,
                tokens_per_second=record.tokens_per_second,
                looks=np.array(record.looks, dtype=np.float64).reshape(-1, 2),
                look=record.look,
                look_step=record.look_step,
            )

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
                    self._write_down(self._ensure_trainer().step())
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
        return self._trainer

    def _write_down(self, report: StepReport) -> None:
        with self._lock:
            record = self._record
            record.loss.append(report.loss)
            record.learning_rate.append(report.learning_rate)
            record.gradient_norm.append(report.gradient_norm)
            record.seconds += report.seconds
            pace = report.tokens_per_second
            record.tokens_per_second = 0.9 * record.tokens_per_second + 0.1 * pace if report.step > 1 else pace
            self._single_steps = max(0, self._single_steps - 1)
            if report.look is not None:
                record.look, record.look_step = report.look, report.step
                record.looks.append((report.step, report.look.exact_match))
                if report.look.exact_match >= self.plan.goal and not self.over:
                    self._status = Status.DONE
            if report.step == self.plan.recipe.steps and not self.over:
                self._status = Status.DONE

    def _fail(self, message: str) -> None:
        with self._lock:
            if not self.over:
                self._status, self._message, self._single_steps = Status.FAILED, message, 0
