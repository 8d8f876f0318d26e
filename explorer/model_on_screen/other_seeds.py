"""Models with the settings on screen and other seeds: which have been learned, and how their heads match."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
import torch
from torch import Tensor

from explorer import resources
from explorer.model_on_screen.forward import Learned, ModelChoice, Random, model_of
from explorer.model_on_screen.held_out import count_of, lots_of, rows_of, some_of
from explorer.model_on_screen.incremental import measure, measure_batches, measure_joined
from explorer.model_on_screen.learning_state import LearningState, initial_state, state_at
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.view_limits import rows_at_once
from transformer_core import TransformerConfig
from transformer_core.analysis.alignment import aligned_places, aligned_weights, even_share
from transformer_core.analysis.head_matching import HeadMatch, HeadRows, Likenesses, head_rows, likenesses, match_by
from transformer_core.data.tasks import Task
from transformer_core.model.stages import AttentionKind

_MEGABYTE = 2**20
Pair = tuple[ModelChoice, ModelChoice]
Matches = dict[AttentionKind, HeadMatch]


@dataclass(frozen=True)
class SeedModel:
    """A model with the same settings but another seed, at the step on screen or the last kept before it.

    Attributes:
        by_plan: whether it learned by the plan of its settings; the models in the box learned for longer.
    """

    seed: int
    choice: ModelChoice
    learning: LearningState
    by_plan: bool

    @property
    def untrained(self) -> ModelChoice:
        """The same model before its first step."""
        return ModelChoice(self.choice.cfg, Random(self.seed))


def other_seeds(settings: ModelSettings, n: int) -> list[ModelSettings]:
    """Returns the settings with the n smallest other seeds: all who compare seeds need the same models."""
    return [replace(settings, seed=seed) for seed in islice((each for each in count() if each != settings.seed), n)]


def seed_model(settings: ModelSettings) -> SeedModel | None:
    """Returns the uncut model of these settings; None if it has not been learned. Raises InputError if it cannot be built."""
    plan = settings.plan()
    found = resources.model_store().learned_by(settings.plans())
    if found is None:
        if settings.step != 0:
            return None
        return SeedModel(settings.seed, ModelChoice(plan.cfg, Random(settings.seed)), initial_state(settings.seed), True)
    learning = state_at(found, settings.step)
    weights = Learned(found.id, learning.step) if learning.step else Random(settings.seed)
    by_plan = learning.step == 0 or found.id == plan.key
    return SeedModel(settings.seed, ModelChoice(plan.cfg, weights), learning, by_plan)


def matches(pairs: Sequence[Pair], task: Task, seconds: float) -> list[Matches | None]:
    """Matches the heads of each pair of models on held-out rows of a task; None where the time ran out (see
    `incremental.measure`).
    """

    if not pairs:
        return []
    cfg = pairs[0][0].cfg
    lots = [(half, places) for half in range(2) for places in _lots(task, cfg, half)]

    def parts(key: tuple[str, Pair, Task], left: float) -> list[Likenesses | None]:
        one, other = key[1]
        keys = [(*key, i) for i in range(len(lots))]
        return measure(left, keys, lambda each: likenesses(_rows(one, task, each[-1]), _rows(other, task, each[-1])))

    def match(_key: tuple[str, Pair, Task], found: list[Likenesses]) -> Matches:
        first, second = ([each for each, (half, _places) in zip(found, lots, strict=True) if half == i] for i in range(2))
        return match_by(first, second, cfg.n_heads)

    return measure_joined(seconds, [("match", pair, task) for pair in pairs], parts, match)


def _lots(task: Task, cfg: TransformerConfig, half: int) -> list[Tensor]:
    """Splits every second held-out row (0), or the others (1), into lots, so that other threads get their turn in between."""
    rows = rows_of(task)
    return list(torch.arange(half, count_of(task), 2).split(rows_at_once(cfg, rows.src.size(1), rows.labels.size(1))))


@shared_cache(64 * _MEGABYTE)
def _rows(choice: ModelChoice, task: Task, lot: int) -> HeadRows:
    lots = [places for half in range(2) for places in _lots(task, choice.cfg, half)]
    return head_rows(model_of(choice), some_of(task, lots[lot]))


@dataclass(frozen=True, eq=False)
class Aligned:
    """The weight of each cross-attention head, (layer · head,), on the source token that a label is aligned with; the weight
    that even attention would give it; and the number of labels: 0 without cross-attention or aligned labels.
    """

    weights: np.ndarray
    even: float
    n: int


def aligned(choices: Sequence[ModelChoice], task: Task, seconds: float) -> list[Aligned | None]:
    """Measures the aligned weights of each model, as far as time allows (see `incremental.measure`)."""
    rows, places, cfg = rows_of(task), _places(task), choices[0].cfg
    if not cfg.cross_attention or not places.any():
        return [Aligned(np.empty(0), 0.0, 0) for _choice in choices]
    lots = [lot for lot in lots_of(task, cfg) if places[lot].any()]

    def weights(key: tuple[str, ModelChoice, Task], lot: Tensor) -> np.ndarray:
        return aligned_weights(model_of(key[1]), some_of(task, lot), places[lot]).ravel()

    def mean(_key: tuple[str, ModelChoice, Task], found: list[np.ndarray]) -> Aligned:
        labels = [int(places[lot].sum()) for lot in lots]
        return Aligned(np.average(found, axis=0, weights=labels), even_share(task, rows, places), int(places.sum()))

    return measure_batches(seconds, [("aligned", choice, task) for choice in choices], lots, weights, mean)


@shared_cache(4 * _MEGABYTE)
def _places(task: Task) -> np.ndarray:
    places = aligned_places(task, rows_of(task))
    places.flags.writeable = False
    return places
