"""A model that pages can open, at every kept step of its learning."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer import limits
from explorer.i18n import N_, _
from explorer.learning.task_titles import task_title
from transformer_core import TASKS, Transformer, TransformerConfig, Vocabulary, checkpoint
from transformer_core.analysis.accounting import activation_bytes
from transformer_core.data.tasks import Task, task_of
from transformer_core.data.vocabulary import numbers
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.evaluation import FinalEvaluation
from transformer_core.training.learned import KeptSteps, Learned, Outcome
from transformer_core.training.trainer import averaged


@dataclass(frozen=True, eq=False)
class LearnedModel(KeptSteps):
    """A model and the record of its learning.

    Attributes:
        id: the key of its settings if it learned by a plan; else a digest of its file.
        task: the name of its task; "" if its file does not name it.
        taught: the task with its sizes; None if the file does not name it, or names an impossible one.
        seed: of its initial weights; None if unknown, and step 0 cannot be shown.
        curve: (evaluations, 3): step, share right, loss.
        rows: how many held-out rows each share is of; None if the file does not say.
        states: the parameters after each step but 0, (parameters,).
    """

    id: str
    cfg: TransformerConfig
    task: str
    taught: Task | None
    seed: int | None
    outcome: Outcome
    curve: np.ndarray
    rows: int | None
    states: Mapping[int, Tensor]
    learned: Learned | None = None  # the whole record, if known
    says_steps: bool = True  # False for a file that does not say how long it learned: its only step is called 1

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps that can be shown, in order: 0 too if the seed is known."""
        return (*(() if self.seed is None else (0,)), *sorted(self.states))

    def right_at(self, step: int) -> float | None:
        return super().right_at(step) if (final := self._final_at(step)) is None else final.exact_match

    def rows_at(self, step: int) -> int | None:
        """Returns of how many held-out rows the share after a step is; None if the file does not say."""
        return self.rows if (final := self._final_at(step)) is None else final.rows

    def _final_at(self, step: int) -> FinalEvaluation | None:
        return self.learned.final if self.learned is not None and step == self.last else None

    def model(self, step: int) -> Transformer:
        """Returns the model after a kept step, in eval mode. Raises KeyError for another step."""
        if step == 0 and step not in self.states and self.seed is not None:
            return learned.initial(self.cfg, self.seed)
        return learned.with_parameters(self.cfg, self.states[step])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens of its ids: those of its task, or else plain numbers."""
        return numbers(self.cfg.src_vocab) if self.taught is None else self.taught.vocabulary

    @property
    def in_words(self) -> bool:
        """True if it reads sentences, which have an end token, rather than numbers."""
        return self.vocabulary.end is not None

    @property
    def name(self) -> str:
        """Names it in the visitor's language: `copy numbers · 260 steps · 99.0% of 200 right`."""
        words = [task_title(self.task) or _("uploaded")]
        if self.says_steps:
            words.append(_("{n:,} steps").format(n=self.last))
        if (right := self.right_at(self.last)) is not None:
            rows = self.rows_at(self.last)
            known = _("{share:.1%} right") if rows is None else _("{share:.1%} of {n} right")
            words.append(known.format(share=right, n=rows))
        return " · ".join(words)


def of_learned(model: Learned) -> LearnedModel:
    """Converts a model that learned by a plan of its settings."""
    return LearnedModel(
        model.key,
        model.cfg,
        model.task.name,
        model.task,
        model.recipe.seed,
        model.outcome,
        model.curve,
        model.rows,
        model.states,
        model,
    )


@dataclass(frozen=True)
class OpenedFile:
    """The content of a file: a model, and the step from which its training can be resumed, if any.

    Attributes:
        alone: the file without its training state, of which the model's id is the digest; b"" if the store has it already.
    """

    model: LearnedModel
    resumes_after: int | None = None
    alone: bytes = b""


def of_file(data: bytes) -> OpenedFile:
    """Parses a file: a model with the course of its learning, or a checkpoint. Raises CheckpointError.

    A checkpoint with a training state is the same model as one without; one with a course is the same as that alone.
    """
    if learned.is_learned(data):
        return OpenedFile(_of_course(data), alone=data)
    loaded = checkpoint.from_bytes(data)
    _check_size(loaded.model.cfg)
    training = loaded.training
    if loaded.course:
        with_course = _of_course(loaded.course)
        if not learned.is_learned(loaded.course) or with_course.cfg != loaded.model.cfg:
            raise CheckpointError("the course of learning in the file contradicts itself; choose another one")
        return OpenedFile(with_course, None if training is None else training.state.step, loaded.course)
    if training is None:
        return OpenedFile(_of_checkpoint(loaded.model, loaded.facts, data), alone=data)
    model = averaged(loaded.model, training.state)
    alone = checkpoint.to_bytes(model, loaded.facts)
    return OpenedFile(_of_checkpoint(model, loaded.facts, alone), training.state.step, alone)


def _of_course(data: bytes) -> LearnedModel:
    course = learned.from_bytes(data)
    _check_size(course.cfg)
    return replace(of_learned(course), id=_digest(data))


def _check_size(cfg: TransformerConfig) -> None:
    size = activation_bytes(cfg, 1, *(min(longest, limits.MAX_LENGTH) for longest in (cfg.max_len, cfg.longest_tgt)))
    if size > limits.FORWARD_BYTES:
        words = N_(
            "A forward pass of this file's model on its longest sentences, of up to {n} tokens, fills {size:,} MB with its "
            "tensors; up to {most:,} MB can be shown. Choose a model with fewer layers or heads."
        )
        raise CheckpointError(words, n=limits.MAX_LENGTH, size=size >> 20, most=limits.FORWARD_BYTES >> 20)


def _of_checkpoint(model: Transformer, facts: Mapping[str, Any], data: bytes) -> LearnedModel:
    task, steps, right = facts.get("task"), facts.get("steps"), facts.get("exact_match")
    known_steps = steps if isinstance(steps, int) and steps > 0 else None
    rows = facts.get("rows")
    last = known_steps or 1
    curve = np.array([[last, right, math.nan]] if isinstance(right, float) else [], dtype=np.float64).reshape(-1, 3)
    parameters = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    taught = _taught(facts, model.cfg)
    name = taught.name if taught is not None else task if isinstance(task, str) and task in TASKS else ""
    return LearnedModel(
        _digest(data),
        model.cfg,
        name,
        taught,
        None,
        "learned",
        curve,
        rows if isinstance(rows, int) and rows > 0 else None,
        {last: parameters},
        says_steps=known_steps is not None,
    )


def _taught(facts: Mapping[str, Any], cfg: TransformerConfig) -> Task | None:
    """Returns the task that a file names, if its model has the tokens and the positions for it."""
    task = task_of(facts, cfg.src_vocab) if cfg.src_vocab == cfg.tgt_vocab else None
    if task is None:
        return None
    src, tgt = task.longest
    return task if src <= cfg.max_len and tgt <= cfg.longest_tgt else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
