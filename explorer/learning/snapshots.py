"""Snapshots of a run to look at, and states to resume from, after some of its steps.

Both are spread evenly over the run and stay within a limit, however long the run becomes.
"""

import math
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from explorer.learning import wire
from explorer.learning.plan import TrainingPlan
from transformer_core import StepReport, Trainer, TrainingState, Transformer
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.mask_tiles import mask_tiles
from transformer_core.data.batch import Batch
from transformer_core.model.decoding import without_padding
from transformer_core.model.stages import AttentionKind, attention_path
from transformer_core.training.evaluation import ProbeResult, rows_right
from transformer_core.training.learning import Learning

_MASKS: dict[AttentionKind, str] = {"cross": "cross", "encoder": "source padding", "decoder": "target"}


@dataclass(frozen=True)
class Snapshot:
    """The model's behaviour after `step` steps; arrays at half precision.

    Attributes:
        loss: loss of that step, in nats per token.
        learning_rate, gradient_norms: likewise of that step; a norm for each part of the model.
        exact_match: share of held-out rows answered exactly, or of the tokens that count in a text. Like the other numbers of a
            step, NaN before the first one.
        probe: some held-out rows, the same throughout the run.
        weights: stage name -> attention on the probe under teacher forcing, (row, head, query, key).
        probabilities: on the probe under teacher forcing, (row, tgt, tgt_vocab).
        decoded: greedy answers to the probe, (row, 1 + tgt), start token first; of a decoder alone, the likeliest token behind
            each beginning of a text. right: which rows are right in all tokens that count, (row,).
    """

    step: int
    loss: float
    learning_rate: float
    exact_match: float
    gradient_norms: dict[str, float]
    probe: Batch
    weights: dict[str, np.ndarray]
    probabilities: np.ndarray
    decoded: np.ndarray
    right: np.ndarray

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (*self.weights.values(), self.probabilities, self.decoded, self.right))

    def attention_map(self, plan: TrainingPlan, kind: AttentionKind, layer: int, row: int) -> AttentionMap:
        """One attention on one row of the probe, without padding. `layer` counts from 0; -1 is the last one."""
        task, layer = plan.task, range(plan.cfg.n_layers)[layer]
        src, tgt = ([token for token in ids[row].tolist() if token != task.pad_id] for ids in (self.probe.src, self.probe.tgt))
        queries, keys = src if kind == "encoder" else tgt, tgt if kind == "decoder" else src
        weights = self.weights[attention_path(kind, layer).stage("weights")][row, :, : len(queries), : len(keys)]
        return AttentionMap(
            kind,
            layer,
            weights.astype(np.float32),
            mask_tiles(src, tgt, task.pad_id, plan.cfg.causal)[_MASKS[kind]],
            tuple(task.vocabulary.decode(queries)),
            tuple(task.vocabulary.decode(keys)),
            () if kind == "encoder" else tuple(task.vocabulary.decode(self.probe.labels[row, : len(queries)].tolist())),
        )


def snapshot(trainer: Trainer, report: StepReport | None) -> Snapshot:
    """Takes a snapshot after the step of `report`, or (None) before the first step."""
    evaluation = report.evaluation if report is not None else None
    result = evaluation or trainer.probe()
    decoded, right = _written(trainer, result)
    return Snapshot(
        step=trainer.steps_taken,
        loss=report.loss if report is not None else math.nan,
        learning_rate=report.learning_rate if report is not None else math.nan,
        exact_match=evaluation.exact_match if evaluation is not None else math.nan,
        gradient_norms=trainer.gradient_norms(),
        probe=result.batch,
        weights={name: weights.half().numpy() for name, weights in result.weights.items()},
        probabilities=result.probabilities.half().numpy(),
        decoded=decoded.int().numpy(),
        right=right.numpy(),
    )


def _written(trainer: Trainer, result: ProbeResult) -> tuple[Tensor, Tensor]:
    """Returns the rows that the model writes, and which of them are right. Shape: -> (row, 1 + tgt), (row,) booleans"""
    batch, task = result.batch, trainer.task
    if batch.judged is None:
        return result.decoded, rows_right(task, batch, result.decoded[:, 1:])
    likeliest = without_padding(result.probabilities, task.pad_id).argmax(dim=-1)
    right = ((likeliest == batch.labels) | ~batch.judged).all(dim=1)
    return torch.cat([result.decoded[:, :1], likeliest], dim=1), right


@dataclass(frozen=True)
class Keyframe:
    """The state of a run after a step. Resumed from it, the run repeats itself to the last bit (on a CPU).

    Attributes:
        curve: the curve of its `Learning` so far.
    """

    weights: dict[str, Tensor]
    state: TrainingState
    curve: np.ndarray

    @classmethod
    def of(cls, learning: Learning) -> "Keyframe":
        trainer = learning.trainer
        weights = {name: value.detach().to("cpu", copy=True) for name, value in trainer.model.named_parameters()}
        return cls(weights, trainer.state(), learning.curve)

    @property
    def step(self) -> int:
        return self.state.step

    def put_back(self, learning: Learning) -> None:
        self.load_weights(learning.trainer.model)
        learning.trainer.restore(self.state)
        learning.go_to(self.curve, {})

    def load_weights(self, model: Transformer) -> None:
        model.load_state_dict(self.weights, strict=False)  # only the parameters, a tied one once

    def packed(self) -> "Packed":
        return Packed(self.step, wire.dumps(self))


@dataclass(frozen=True)
class Packed:
    """A keyframe as bytes. Workers pack and open it; to keep it costs the server no computing."""

    step: int
    data: bytes

    def opened(self) -> Keyframe:
        keyframe = pickle.loads(self.data)
        assert isinstance(keyframe, Keyframe)
        return keyframe

    @property
    def nbytes(self) -> int:
        return len(self.data)


Kept = TypeVar("Kept", Snapshot, Packed)


class Timeline(Generic[Kept]):
    """Entries after some steps, in order: the first, the newest, and evenly spread ones in between.

    When there are too many, every second one is dropped, and from then on only half as many are kept.
    """

    def __init__(self, every: int, most: int, most_bytes: int):
        self._every, self._most, self._most_bytes = every, most, most_bytes
        self._kept: dict[int, Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self._kept.values())

    @property
    def nbytes(self) -> int:
        return sum(kept.nbytes for kept in self)

    @property
    def every(self) -> int:
        """Entries after multiples of this step stay when newer ones come."""
        return self._every

    def wants(self, step: int) -> bool:
        """Returns whether the entry after this step will stay when a newer one comes."""
        return step % self._every == 0

    def add(self, step: int, kept: Kept) -> None:
        self._kept[step] = kept
        self._thin()
        while self._kept and (len(self) > self._most or self.nbytes > self._most_bytes):
            if len(self) > 2:
                self._every *= 2
                self._thin()
            else:
                del self._kept[min(self._kept)]

    def _thin(self) -> None:
        ends = min(self._kept), max(self._kept)
        self._kept = {step: kept for step, kept in self._kept.items() if step in ends or self.wants(step)}

    def latest(self, step: int) -> Kept | None:
        """The newest entry at or before `step`."""
        return max((kept for kept in self._kept.items() if kept[0] <= step), key=itemgetter(0), default=(0, None))[1]

    def cut(self, step: int) -> None:
        """Forgets everything after `step`."""
        self._kept = {at: kept for at, kept in self._kept.items() if at <= step}
