"""The plan of a training run, and the check against this server's limits."""

from dataclasses import dataclass, replace
from functools import cached_property

from explorer import limits
from transformer_core.analysis.accounting import activation_bytes
from transformer_core.analysis.evaluation_metrics import guessing_loss
from transformer_core.analysis.schedule import least_average_loss
from transformer_core.data.tasks import OwnTask
from transformer_core.errors import InputError
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.cost import count_by_formula, training_bytes
from transformer_core.training.learning import kept_steps
from transformer_core.training.learning_plan import LearningPlan, seconds_of_a_step
from transformer_core.training.trainer import PROBE_ROWS, moment_names, resolve_device


@dataclass(frozen=True)
class TrainingPlan(LearningPlan):
    """All that determines a run: the same plan gives the same run, to the last bit on one CPU with one number of threads. By
    default, as a person starts it, a run ends at its target and never gives up.

    Attributes:
        resume_from: a training to resume, for a run that does not start from random weights.
    """

    beyond: float | None = 1.0
    gives_up: float = 0.0
    resume_from: Checkpoint | None = None

    def __post_init__(self) -> None:
        if isinstance(self.task, OwnTask):  # it ends after its steps: what it is tested on has no say in when that is
            object.__setattr__(self, "beyond", None)

    @property
    def first_step(self) -> int:
        """The steps taken before this run."""
        training = self.resume_from.training if self.resume_from is not None else None
        return training.state.step if training is not None else 0

    @property
    def learns_by_itself(self) -> bool:
        """Returns whether the app starts it, to end when the task is learned or found too hard; nobody watches its steps."""
        return self.gives_up > 0 or self.beyond not in (1, None)

    @cached_property
    def keep(self) -> list[int]:
        """The steps whose weights are kept. A person's run keeps only steps at which its recipe evaluates."""
        steps = kept_steps(self.recipe.steps)
        if self.learns_by_itself:
            return steps
        every = self.recipe.evaluate_every
        return sorted({min(-(-step // every) * every, self.recipe.steps) for step in steps})

    @cached_property
    def guessing_loss(self) -> float:
        """The loss, in nats per token, of guessing evenly among all tokens that the task's answers use."""
        return guessing_loss(self.task)

    @cached_property
    def least_loss(self) -> float:
        """The least loss of any model on average, in nats per token."""
        return least_average_loss(self.task, self.recipe)

    @cached_property
    def bytes(self) -> int:
        """Estimates the memory that it takes at most, in bytes."""
        return self._bytes(training_bytes(self.cfg, self.recipe.batch_size, *self.task.longest))

    @property
    def _surely_fits(self) -> bool:
        """True if it takes less memory than it may, by a bound that is found a hundred times as fast: what is kept for the
        backward pass takes less than twice the named stages of a step, but for scores with weights of their own."""
        if self.cfg.has_score_weights:
            return False
        stages = activation_bytes(self.cfg, self.recipe.batch_size, *self.task.longest)
        return self._bytes(4 * 4 * count_by_formula(self.cfg) + 2 * stages) <= limits.TRAINING_BYTES

    def _bytes(self, training: int) -> int:
        """Returns all bytes, of which the steps take so many."""
        parameters, recipe, longest = count_by_formula(self.cfg), self.recipe, self.task.longest
        # Held-out rows are evaluated a layer at a time, and nothing is kept; of the few probed rows every tensor is.
        evaluation = activation_bytes(replace(self.cfg, n_layers=1), recipe.evaluate_on, *longest)
        probe = activation_bytes(self.cfg, PROBE_ROWS, *longest)
        computing = max(training, 4 * 4 * parameters + max(evaluation, probe))
        newest = 4 * (1 + len(moment_names(recipe)))  # bytes for each parameter: the state to resume from
        kept = newest + 2 * (1 + len(self.keep))
        return computing + 2 * limits.SNAPSHOT_BYTES + limits.KEYFRAME_BYTES + kept * parameters

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
                n=parameters,
                most=limits.MAX_PARAMETERS,
            )
        if (length := max(self.task.longest)) > limits.MAX_LENGTH:
            raise InputError(
                "A sequence of {n:,} tokens is too long to learn from here; the limit is {most:,}. Choose a shorter one.",
                n=length,
                most=limits.MAX_LENGTH,
            )
        tokens = self.recipe.batch_size * sum(self.task.longest)
        if tokens > limits.MAX_STEP_TOKENS:
            raise InputError(
                "A step of {n:,} tokens is too large here; the limit is {most:,}. Lower the batch size or the length.",
                n=tokens,
                most=limits.MAX_STEP_TOKENS,
            )
        if self.recipe.evaluate_on > limits.MAX_TEST_ROWS:
            raise InputError(
                "An evaluation on {n:,} sequences is too large here; the limit is {most:,}. Choose fewer.",
                n=self.recipe.evaluate_on,
                most=limits.MAX_TEST_ROWS,
            )
        if (seconds := seconds_of_a_step(self)) > limits.MAX_STEP_SECONDS:
            raise InputError(
                "A step of this training, with its evaluations, would take about {n:,.0f} seconds; the limit is {most:,.0f}. "
                "Lower the batch size, the length, the width or the layers.",
                n=seconds,
                most=limits.MAX_STEP_SECONDS,
            )
        if not self._surely_fits and self.bytes > limits.TRAINING_BYTES:
            raise InputError(
                "This training would take about {n:,} MB of memory; the limit here is {most:,} MB. Lower the batch size, the "
                "length, the layers or the heads.",
                n=self.bytes >> 20,
                most=limits.TRAINING_BYTES >> 20,
            )
        if self.recipe.steps > limits.MAX_STEPS:
            raise InputError(
                "A training of {n:,} steps is too long here; the limit is {most:,}. Lower the maximum number of steps.",
                n=self.recipe.steps,
                most=limits.MAX_STEPS,
            )
