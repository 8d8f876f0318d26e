"""A model that pages can open, at every step of its learning that was kept."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.i18n import N_, _
from explorer.training import limits
from explorer.training.task_titles import task_title
from transformer_core import TASKS, Transformer, TransformerConfig, Vocabulary, checkpoint
from transformer_core.data.tasks import Task, task_of
from transformer_core.data.vocabulary import numbers
from transformer_core.model.accounting import activation_bytes
from transformer_core.training import learned
from transformer_core.training.checkpoint import CheckpointError
from transformer_core.training.learned import KeptSteps, Learned, Outcome
from transformer_core.training.trainer import averaged


@dataclass(frozen=True, eq=False)
class LearnedModel(KeptSteps):
    """A model, and what is known of its learning.

    Attributes:
        id: the key of its settings, for one that learned by a plan; else a digest of its file.
        task: the name of what it has learned; "" if its file does not say.
        taught: the task itself, with its sizes; None where the file does not say it, or what it says cannot be.
        seed: of its initial weights; None if they are not known, and step 0 cannot be shown.
        curve: (evaluations, 3): step, share right, loss.
        rows: how many held-out rows each share is of; None where the file does not say.
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
    learned: Learned | None = None  # all of it, where that is known
    says_steps: bool = True  # False for a file that does not say how long it learned: its one step is called 1

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The steps at which it can be seen, in order: 0 too where the seed is known."""
        return (*(() if self.seed is None else (0,)), *sorted(self.states))

    def model(self, step: int) -> Transformer:
        """The model after a step that was kept, in eval mode. Raises KeyError for another one."""
        if step == 0 and step not in self.states and self.seed is not None:
            return learned.initial(self.cfg, self.seed)
        return learned.with_parameters(self.cfg, self.states[step])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens of its ids: those of its task, or else plain numbers."""
        return numbers(self.cfg.src_vocab) if self.taught is None else self.taught.vocabulary

    @property
    def in_words(self) -> bool:
        """Whether it reads sentences of words, which have an end token."""
        return self.vocabulary.end is not None

    @property
    def name(self) -> str:
        """`copy numbers · 260 steps · 99.0% of 200 right`, in the visitor's language."""
        words = [task_title(self.task) or _("uploaded")]
        if self.says_steps:
            words.append(_("{n:,} steps").format(n=self.last))
        if (right := self.right_at(self.last)) is not None:
            known = _("{share:.1%} right") if self.rows is None else _("{share:.1%} of {n} right")
            words.append(known.format(share=right, n=self.rows))
        return " · ".join(words)


def of_learned(model: Learned) -> LearnedModel:
    """One that learned by a plan of its settings."""
    return LearnedModel(
        model.key, model.cfg, model.task.name, model.task, model.recipe.seed, model.outcome, model.curve, model.rows,
        model.states, model,
    )  # fmt: skip


@dataclass(frozen=True)
class OpenedFile:
    """What a file holds: a model, and the step from which its training can be resumed, if it can.

    Attributes:
        alone: the file of the model without its state of training, which the model's id is the digest of; b"" where the store
            has it already.
    """

    model: LearnedModel
    resumes_after: int | None = None
    alone: bytes = b""


def of_file(data: bytes) -> OpenedFile:
    """What a file holds: a model with the course of its learning, or a checkpoint. Raises CheckpointError. A checkpoint from
    which training can be resumed is the same model as one without its state of training."""
    if learned.is_learned(data):
        course = learned.from_bytes(data)
        _check_size(course.cfg)
        return OpenedFile(replace(of_learned(course), id=_digest(data)), alone=data)
    loaded = checkpoint.from_bytes(data)
    _check_size(loaded.model.cfg)
    if (training := loaded.training) is None:
        return OpenedFile(_of_checkpoint(loaded.model, loaded.facts, data), alone=data)
    model = averaged(loaded.model, training.state)
    alone = checkpoint.to_bytes(model, loaded.facts)
    return OpenedFile(_of_checkpoint(model, loaded.facts, alone), training.state.step, alone)


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
    said = steps if isinstance(steps, int) and steps > 0 else None
    rows = facts.get("rows")
    last = said or 1
    curve = np.array([[last, right, math.nan]] if isinstance(right, float) else [], dtype=np.float64).reshape(-1, 3)
    parameters = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    name = task if isinstance(task, str) and task in TASKS else ""
    return LearnedModel(
        _digest(data),
        model.cfg,
        name,
        _taught(facts, model.cfg),
        None,
        "learned",
        curve,
        rows if isinstance(rows, int) and rows > 0 else None,
        {last: parameters},
        says_steps=said is not None,
    )


def _taught(facts: Mapping[str, Any], cfg: TransformerConfig) -> Task | None:
    """The task that a file names, where its model has the tokens and the positions for it."""
    task = task_of(facts, cfg.src_vocab) if cfg.src_vocab == cfg.tgt_vocab else None
    if task is None:
        return None
    src, tgt = task.longest
    return task if src <= cfg.max_len and tgt <= cfg.longest_tgt else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
