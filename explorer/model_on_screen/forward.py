"""Models and traced forward passes, cached for all sessions and never changed.

Models are in eval mode, arrays read-only. The caches are bounded in bytes, because one workshop may need hundreds.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from explorer import resources
from explorer.learning.learned_model import LearnedModel
from explorer.model_on_screen.cuts import NO_CUTS, Cuts
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.view_limits import check_pass_size, rows_at_once
from transformer_core import Trace, Transformer, TransformerConfig, Vocabulary
from transformer_core.analysis.cutting import cut_out, mean_outputs
from transformer_core.analysis.weight_edit import WeightEdit, with_weights
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import Task
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import decode_steps
from transformer_core.training.learned import initial

_MEGABYTE = 2**20
_MEAN_ROWS, _FEWEST = 200, 20  # rows of a task over which a mean is taken: fewer for a slow model


@dataclass(frozen=True)
class Random:
    """The initial weights of a seed."""

    seed: int


@dataclass(frozen=True)
class Learned:
    """The weights after a step of learning, by the model's id in the store."""

    id: str
    step: int


@dataclass(frozen=True)
class ModelChoice:
    """A model's configuration, the source of its weights, those that are changed by hand, and its cuts."""

    cfg: TransformerConfig
    weights: Random | Learned
    cuts: Cuts = NO_CUTS
    edits: tuple[WeightEdit, ...] = ()

    @property
    def whole(self) -> "ModelChoice":
        """The same model without cuts."""
        return replace(self, cuts=NO_CUTS) if self.cuts else self

    @property
    def original(self) -> "ModelChoice":
        """The same model as it was drawn or has learned: without cuts, and without weights changed by hand."""
        return replace(self, cuts=NO_CUTS, edits=()) if self.is_changed else self

    @property
    def is_changed(self) -> bool:
        """True if something is cut, or a weight is changed."""
        return bool(self.cuts or self.edits)


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """Every stage of one forward pass on one pair of sequences, as read-only numpy arrays without the batch axis."""

    values: dict[str, np.ndarray]
    axes: dict[str, tuple[str, ...]]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    @property
    def bytes(self) -> int:
        return sum(value.nbytes for value in self.values.values())


@shared_cache(600 * _MEGABYTE)
def model_of(choice: ModelChoice) -> Transformer:
    """Builds or loads a model in eval mode. Shared: never change it."""
    if choice.cuts:
        means = None if choice.cuts.task is None else _means(choice.whole, choice.cuts.task)
        return cut_out(model_of(choice.whole), choice.cuts.made, choice.cuts.instead, means)
    if choice.edits:
        return with_weights(model_of(choice.original), choice.edits)
    if isinstance(choice.weights, Learned):
        model = resources.model_store().get(choice.weights.id)
        if model is None:
            raise KeyError(choice.weights.id)
        return model.model(choice.weights.step)
    return initial(choice.cfg, choice.weights.seed)


@shared_cache(16 * _MEGABYTE)
def mean_rows(task: Task, cfg: TransformerConfig) -> Batch:
    """Draws the held-out rows of a task over which the mean output of a head is taken."""
    most = max(_FEWEST, min(_MEAN_ROWS, rows_at_once(cfg, *task.longest)))
    return task.batch(most, torch.Generator().manual_seed(0), held_out=True)


@shared_cache(64 * _MEGABYTE)
def _means(choice: ModelChoice, task: Task) -> dict[str, Tensor]:
    """Computes the mean output of every head over held-out rows of a task."""
    return mean_outputs(model_of(choice), mean_rows(task, choice.cfg))


def cache_snapshot(choice: ModelChoice, found: LearnedModel) -> None:
    """Caches a snapshot of a model that is still learning, which is never in the store."""
    assert isinstance(choice.weights, Learned)
    step = choice.weights.step
    model_of.get_or_compute(lambda: found.model(step), choice)


@shared_cache(400 * _MEGABYTE)
def forward_pass(choice: ModelChoice, src: tuple[int, ...], tgt: tuple[int, ...]) -> ForwardPass:
    """Runs one traced forward pass of one source and one decoder input. Raises InputError for ids or lengths beyond the
    model's, and for a pass too large to be shown.
    """
    check_pass_size(choice.cfg, len(src), len(tgt))
    model = model_of(choice)  # which outlives this mode
    with torch.inference_mode(), Trace() as trace:
        model(torch.tensor([src]), torch.tensor([tgt]))
    values, axes = {}, {}
    for name, stage in trace.stages.items():
        batched = stage.axes[0] == "batch"
        value = trace[name].numpy()
        values[name] = value[0] if batched else value
        values[name].flags.writeable = False
        axes[name] = stage.axes[1:] if batched else stage.axes
    return ForwardPass(values, axes)


@shared_cache(4 * _MEGABYTE, key=lambda choice, src, vocabulary, steps, beginning=(): (choice, src, steps, beginning))
def generated(
    choice: ModelChoice, src: tuple[int, ...], vocabulary: Vocabulary, steps: int, beginning: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """Decodes greedily: returns the start token and the answer, without the end token.

    `beginning`: what the answer starts with, start token first; empty: the start token alone.
    """
    return decoded(model_of(choice), src, vocabulary, steps, beginning)


def decoded(
    model: Transformer, src: tuple[int, ...], vocabulary: Vocabulary, steps: int, beginning: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """Does the same for any model, and keeps nothing."""
    source, ends = torch.tensor([src]), vocabulary.end
    *_, last = decode_steps(model, source, beginning or vocabulary.start, steps, end_id=ends)  # stops at the end
    return before_end(last.tokens[0].tolist(), ends)


def warm_up() -> None:
    """Runs a small model once when the server starts, so that no visitor waits for torch's first use."""
    forward_pass(ModelChoice(ModelSettings().config(11), Random(0)), (4, 5), (1, 4))
