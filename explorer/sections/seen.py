"""One attention of a run, on one row, after one of its steps: its weights, and the words that a picture of them takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.state import ATTENTIONS, token_labels
from explorer.training.plan import TrainingPlan
from explorer.training.snapshots import Snapshot
from explorer.words import _
from transformer_core.model.masks import mask_tiles

_MASKS = {"cross": "cross", "encoder": "source padding", "decoder": "target"}


@dataclass(frozen=True)
class Seen:
    """Padding is left out.

    Attributes:
        weights: (head, query, key), 0 to 1.
        valid: (query, key) booleans, False = masked.
        words: rows, columns and their titles, as `matrix` and `matrices` take them.
    """

    weights: np.ndarray
    valid: np.ndarray
    words: dict[str, Any]


def attention_seen(plan: TrainingPlan, snapshot: Snapshot, kind: str, layer: int, row: int = 0) -> Seen:
    """`kind` is a key of ATTENTIONS; `layer` counts from 0, -1 being the last."""
    stack, scope = ATTENTIONS[kind]
    task, probe = plan.task, snapshot.probe
    src, tgt = ([token for token in ids[row].tolist() if token != task.pad_id] for ids in (probe.src, probe.tgt))
    asked, asks = (token_labels(task.vocabulary.decode(ids)) for ids in (src, tgt))
    rows, columns = asked if kind == "encoder" else asks, asks if kind == "decoder" else asked
    weights = snapshot.weights[f"{stack}.{layer % plan.cfg.n_layers}.{scope}.weights"][row]
    return Seen(
        weights[:, : len(rows), : len(columns)].astype(np.float32),
        mask_tiles(src, tgt, task.pad_id, plan.cfg.causal)[_MASKS[kind]],
        {
            "rows": rows,
            "columns": columns,
            "row_title": _("asks (query, {side})").format(side=stack),
            "column_title": _("is asked (key, {side})").format(side="decoder" if kind == "decoder" else "encoder"),
        },
    )
