"""The model on screen begun from other random numbers: which of these models are at hand, and how their heads match."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
from cachetools import LRUCache, cached

from explorer import server
from explorer.inference.course import Course, course_at, initial_course
from explorer.inference.forward import Learned, ModelChoice, Random, model_of
from explorer.inference.held_out import rows_of
from explorer.inference.measured import within
from explorer.inference.settings import ModelSettings
from transformer_core import TASKS
from transformer_core.analysis.alignment import aligned_places, even_share
from transformer_core.analysis.head_matching import HeadMatch, HeadRows, aligned_weights, head_rows, match_heads
from transformer_core.data.batch import Batch
from transformer_core.model.stages import AttentionKind

_MEGABYTE = 2**20
Pair = tuple[ModelChoice, ModelChoice]
Matches = dict[AttentionKind, HeadMatch]


@dataclass(frozen=True)
class SeedModel:
    """A model of the same settings but for the seed, at the step of its learning that is on screen, or the last before it.

    Attributes:
        by_plan: whether it learned as such a model does when somebody asks for it; those that come with the app had more time.
    """

    seed: int
    choice: ModelChoice
    course: Course
    by_plan: bool


def other_seeds(settings: ModelSettings, n: int) -> list[ModelSettings]:
    """The same settings with the smallest other seeds: whoever compares seeds then needs the same models."""
    return [replace(settings, seed=seed) for seed in islice((each for each in count() if each != settings.seed), n)]


def seed_model(settings: ModelSettings) -> SeedModel | None:
    """The whole model of these settings; None where nobody has learned it yet. Raises InputError for what cannot be built."""
    plan = settings.plan()
    found = server.model_store().get(plan.key)
    if found is None:
        if settings.step != 0:
            return None
        return SeedModel(settings.seed, ModelChoice(plan.cfg, Random(settings.seed)), initial_course(settings.seed), True)
    course = course_at(found, settings.step)
    weights = Learned(found.id, course.step) if course.step else Random(settings.seed)
    by_plan = course.step == 0 or (found.learned is not None and found.learned.recipe == plan.recipe)
    return SeedModel(settings.seed, ModelChoice(plan.cfg, weights), course, by_plan)


def matches(pairs: Sequence[Pair], task: str, seconds: float) -> list[Matches | None]:
    """How the heads of each two models match, on held-out rows of a task; None where there was no time left for it (see
    `measured.within`)."""

    def match(key: tuple[str, Pair, str]) -> Matches:
        _what, pair, _task = key
        one, other = (_rows(choice, task) for choice in pair)
        return match_heads(one, other, pair[0].cfg.n_heads)

    return within(seconds, [("match", pair, task) for pair in pairs], match)


def _lots(task: str) -> tuple[Batch, Batch]:
    """Every second of the held-out rows, and the others."""
    rows = rows_of(task)
    first, second = (Batch(rows.src[i::2], rows.tgt[i::2], rows.labels[i::2]) for i in range(2))
    return first, second


def _bytes(found: tuple[HeadRows, HeadRows]) -> int:
    return sum(rows.nbytes for lot in found for rows in lot.values())


@cached(LRUCache(64 * _MEGABYTE, getsizeof=_bytes), lock=threading.Lock())
def _rows(choice: ModelChoice, task: str) -> tuple[HeadRows, HeadRows]:
    first, second = (head_rows(model_of(choice), lot) for lot in _lots(task))
    return first, second


@dataclass(frozen=True, eq=False)
class Aligned:
    """The weight of each head of the cross-attention, (layer · head,), on the source token that a label comes from; what even
    attention would give it; and the number of labels: 0 where there is no cross-attention, or no label comes from one token."""

    weights: np.ndarray
    even: float
    n: int


def aligned(choices: Sequence[ModelChoice], task: str, seconds: float) -> list[Aligned | None]:
    """Of each model, as far as there is time (see `measured.within`)."""

    def measure(key: tuple[str, ModelChoice, str]) -> Aligned:
        _what, choice, _task = key
        rows, learned = rows_of(task), TASKS[task]()
        places = aligned_places(learned, rows)
        if not choice.cfg.cross_attention or not places.any():
            return Aligned(np.empty(0), 0.0, 0)
        return Aligned(aligned_weights(model_of(choice), rows, places), even_share(learned, rows, places), int(places.sum()))

    return within(seconds, [("aligned", choice, task) for choice in choices], measure)
