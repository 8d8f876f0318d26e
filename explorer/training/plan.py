"""What a training run does, and whether this server accepts it."""

from dataclasses import dataclass
from functools import cached_property

import torch

from explorer.training import limits
from transformer_core import Recipe, Task, TransformerConfig
from transformer_core.analysis.evaluation_metrics import guessing_loss
from transformer_core.errors import InputError
from transformer_core.model.accounting import count_by_formula, training_bytes
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.trainer import resolve_device


@dataclass(frozen=True)
class TrainingPlan:
    """All that determines a run: the same plan gives the same run, on a CPU to the last bit.

    `target` is the exact match at which the run is done; `resume_from` is a training to resume, for a run that does not start
    from random weights.
    """

    cfg: TransformerConfig
    task: Task
    recipe: Recipe
    target: float = 0.99
    resume_from: Checkpoint | None = None

    @property
    def first_step(self) -> int:
        """The steps taken before this run."""
        training = self.resume_from.training if self.resume_from is not None else None
        return training.state.step if training is not None else 0

    @cached_property
    def guessing_loss(self) -> float:
        """The loss, in nats per token, of guessing evenly among all tokens that the task's answers use."""
        return guessing_loss(self.task)

    @cached_property
    def bytes(self) -> int:
        """An estimate of the memory it takes at most, in bytes."""
        row = self.task.batch(1, torch.Generator())
        training = training_bytes(self.cfg, self.recipe.batch_size, row.src.size(1), row.tgt.size(1))
        return training + limits.SNAPSHOT_BYTES + limits.KEYFRAME_BYTES

    def check(self) -> None:
        """Raises InputError, with the numbers, for a run that is too large for this server."""
        resolve_device(self.recipe.device)
        if self.first_step >= self.recipe.steps:
            raise InputError(
                "This training has already taken all its {n:,} steps. Raise the maximum number of steps to resume it.",
                n=self.first_step,
            )
        parameters = count_by_formula(self.cfg)
        if parameters > limits.MAX_PARAMETERS:
            raise InputError(
                "A model of {n:,} parameters is too large to train here; the limit is {most:,}. Lower d_model, d_ff or the "
                "layers.",
                n=parameters, most=limits.MAX_PARAMETERS,
            )  # fmt: skip
        tokens = self.recipe.batch_size * self.task.row_tokens
        if tokens > limits.MAX_STEP_TOKENS:
            raise InputError(
                "A step of {n:,} tokens is too large here; the limit is {most:,}. Lower the batch size or the length.",
                n=tokens, most=limits.MAX_STEP_TOKENS,
            )  # fmt: skip
        if self.bytes > limits.TRAINING_BYTES:
            raise InputError(
                "This training would take about {n:,} MB of memory; the limit here is {most:,} MB. Lower the batch size, the "
                "length, the layers or the heads.",
                n=self.bytes >> 20, most=limits.TRAINING_BYTES >> 20,
            )  # fmt: skip
        if self.recipe.evaluate_on > limits.MAX_TEST_ROWS:
            raise InputError(
                "An evaluation on {n:,} sequences is too large here; the limit is {most:,}. Choose fewer.",
                n=self.recipe.evaluate_on, most=limits.MAX_TEST_ROWS,
            )  # fmt: skip
        if self.recipe.steps > limits.MAX_STEPS:
            raise InputError(
                "A training of {n:,} steps is too long here; the limit is {most:,}. Lower the maximum number of steps.",
                n=self.recipe.steps, most=limits.MAX_STEPS,
            )  # fmt: skip
