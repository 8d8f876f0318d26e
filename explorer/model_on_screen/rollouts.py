"""Attention rollout compared with the effect of hiding each word, on the sentence on screen and on held-out ones."""

import torch

from explorer.model_on_screen import held_out
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.incremental import measure
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import check_passes, rows_at_once
from transformer_core.analysis.damage import NEEDED
from transformer_core.analysis.rollout import Agreement, Judged, judge
from transformer_core.data.tasks import Task
from transformer_core.model.stages import AttentionKind

MOVED = 0.1  # share of a vector's length: a hidden word that moves it less does not count as needed
_ROWS = 100  # held-out rows at most: each takes as many passes as it has words
_AT_ONCE = 5  # rows per batch; fewer for a slow model

Ids = tuple[int, ...]


def least(kind: AttentionKind) -> float:
    """Returns the effect from which a hidden word counts as needed: nats, or a share of a vector's length for the encoder."""
    return MOVED if kind == "encoder" else NEEDED


def judged(shown: ShownModel, kind: AttentionKind) -> Judged:
    """Judges rollout on the sentence on screen, a batch of one. Raises InputError for too long a sentence."""
    tgt = len(shown.tgt)
    check_passes(
        shown.cfg, len(shown.src), tgt, lambda src: 1 + (tgt if kind == "decoder" else src)
    )  # each word is hidden once
    return _judged(shown.choice, *shown.batch(0, 0), kind)


@shared_cache(16 * 2**20)
def _judged(choice: ModelChoice, src: Ids, tgt: Ids, labels: Ids, kind: AttentionKind) -> Judged:
    return judge(model_of(choice), torch.tensor([src]), torch.tensor([tgt]), torch.tensor([labels]), kind)


def count_of(task: Task | None) -> int:
    """Returns the number of held-out rows of a task that are used."""
    return min(_ROWS, held_out.count_of(task))


def agreements(choice: ModelChoice, task: Task, kind: AttentionKind, seconds: float) -> list[Agreement | None]:
    """Judges rollout on `count_of` held-out rows in small batches; None where the time ran out. See `incremental.measure`."""

    rows, count = held_out.rows_of(task), count_of(task)
    passes = 1 + max(rows.src.size(1), rows.labels.size(1))
    several = max(1, min(_AT_ONCE, rows_at_once(choice.cfg, rows.src.size(1), rows.labels.size(1)) // passes))

    def agreement(key: tuple[str, ModelChoice, Task, AttentionKind, int]) -> Agreement:
        some = rows.rows(slice(key[-1], min(key[-1] + several, count))).trimmed(choice.cfg.pad_id)
        return judge(model_of(choice), some.src, some.tgt, some.labels, kind).agreement(least(kind))

    return measure(seconds, [("rollout", choice, task, kind, first) for first in range(0, count, several)], agreement)


__all__ = ["MOVED", "agreements", "count_of", "judged", "least"]
