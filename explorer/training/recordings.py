"""Runs that are trained once for the whole server and played back to everybody: every evaluation is kept.

They are trained one after the other in a thread of their own, outside the scheduler: nobody controls them, and they depend on
no browser.
"""

import math
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch

from explorer.training.plan import TrainingPlan
from transformer_core import Transformer
from transformer_core.training.evaluation import ProbeResult
from transformer_core.training.trainer import Trainer

_LAST = 20  # the final loss is averaged over this many steps


@dataclass(frozen=True)
class Frame:
    """The model after some steps, on one held-out row.

    Attributes:
        weights: stage name -> attention weights, (head, query, key).
        exact: exact match on many other held-out rows; None where it was not measured.
    """

    step: int
    weights: dict[str, np.ndarray]
    exact: float | None


@dataclass(frozen=True)
class Recording:
    """A run from its first step to its last.

    Attributes:
        src, tgt, labels: the tokens of the frames' row: source, decoder input and labels.
        loss: the final loss, in nats per token; seconds: of compute for the steps.
    """

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    labels: tuple[str, ...]
    frames: tuple[Frame, ...]
    loss: float
    seconds: float

    @property
    def exact(self) -> float:
        return self.frames[-1].exact or 0.0

    @property
    def likely(self) -> float:
        """The probability of the right next token in training, at the end (a geometric mean)."""
        return math.exp(-self.loss)


def record(plan: TrainingPlan, stopped: Callable[[], bool] = lambda: False) -> Recording:
    """Trains to the plan's target, or to its last step.

    Raises:
        TrainingDiverged: when the loss is no longer a finite number.
        InterruptedError: when it was stopped.
    """
    trainer = Trainer(Transformer(plan.cfg, torch.Generator().manual_seed(plan.recipe.seed)), plan.task, plan.recipe)
    first = trainer.probe()
    frames, losses, seconds = [_frame(0, first, None)], [], 0.0
    while trainer.steps_taken < plan.recipe.steps:
        if stopped():
            raise InterruptedError
        report = trainer.step()
        losses.append(report.loss)
        seconds += report.seconds
        if report.evaluation is not None:
            frames.append(_frame(report.step, report.evaluation, report.evaluation.exact_match))
            if report.evaluation.exact_match >= plan.target:
                break
    row = (first.batch.src, first.batch.tgt, first.batch.labels)
    src, tgt, labels = (tuple(plan.task.vocabulary.decode(ids[0].tolist())) for ids in row)
    return Recording(src, tgt, labels, tuple(frames), float(np.mean(losses[-_LAST:])), seconds)


def _frame(step: int, reading: ProbeResult, exact: float | None) -> Frame:
    return Frame(step, {name: weights[0].numpy() for name, weights in reading.weights.items()}, exact)


class Recordings:
    """The recordings of a server, by name."""

    def __init__(self) -> None:
        self._made: dict[str, Future[Recording]] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="recording", initializer=torch.set_num_threads, initargs=(1,))

    def get(self, name: str, plan: TrainingPlan) -> Future[Recording]:
        """The recording with this name, started if it is new; the plan of the first call holds."""
        with self._lock:
            if name not in self._made:
                self._made[name] = self._worker.submit(record, plan, self._closing.is_set)
            return self._made[name]

    def stop(self) -> None:
        """Ends what is under way; torch must not be running while the interpreter shuts down."""
        self._closing.set()
        self._worker.shutdown(cancel_futures=True)
