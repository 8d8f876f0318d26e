"""Alignment: the words that a translator's attention rests on, measured on held-out sentences."""

import numpy as np
import torch
from torch import Tensor

from transformer_core.data.batch import Batch
from transformer_core.data.tasks import CopyTask, SentenceTask, Task, has_source
from transformer_core.model.stages import AttentionKind, attention_path
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

_FEWEST = 3  # tokens of a source in which a head can be told from even attention


def head_weights(trace: Trace, kind: AttentionKind, n_layers: int) -> Tensor:
    """The weights of one kind of attention in all layers. Shape: -> (layer, head, batch, query, key)"""
    layers = [trace[attention_path(kind, layer).stage("weights")] for layer in range(n_layers)]
    return torch.stack(layers).transpose(1, 2)


@torch.no_grad()
def aligned_weights(model: Transformer, batch: Batch, places: np.ndarray) -> np.ndarray:
    """The cross-attention's weight on the source token that each label comes from, averaged over the labels that have one.

    Shape: places (batch, tgt, src) booleans (see `aligned_places`) -> (layer, head), 0 to 1. NaN where no label has one. The
        model must be in eval mode.
    """
    with Trace(only=["weights"]) as trace:
        model(batch.src, batch.tgt)
    weights = head_weights(trace, "cross", model.cfg.n_layers).numpy()
    return weights[:, :, places].mean(axis=-1) if places.any() else np.full(weights.shape[:2], np.nan)


def aligned_places(task: Task, batch: Batch) -> np.ndarray:
    """The source position that each label comes from. Rows are empty where there is no single one.

    Shape: batch of the task, src (batch, src), labels (batch, tgt) -> (batch, tgt, src) booleans
    """
    places = np.zeros((*batch.labels.shape, batch.src.size(1)), dtype=bool)
    if isinstance(task, CopyTask):
        places[:, :, 1:] = task.origin(batch.src[:, 1:]).numpy()  # the first position is the given token
    elif isinstance(task, SentenceTask) and has_source(task):
        corpus = task.corpus
        for row, ids in zip(places, batch.src, strict=True):
            words = tuple(corpus.vocabulary.decode(ids[ids != task.pad_id].tolist()))
            for place, origin in enumerate(corpus.by_source[words].origin):
                if origin is not None:
                    row[place, origin] = True
    return places


def telling_places(task: Task, batch: Batch) -> np.ndarray:
    """The same in sources of three tokens or more: of two, even attention gives half of its weight to each."""
    longer = (batch.src != task.pad_id).sum(dim=1) >= _FEWEST
    places: np.ndarray = aligned_places(task, batch) & longer.numpy()[:, None, None]
    return places


def even_share(task: Task, batch: Batch, places: np.ndarray) -> float:
    """The share that attention spread evenly over the source gives to these places, averaged over the labels that have one; see
    `aligned_places`."""
    lengths = (batch.src != task.pad_id).sum(dim=1).numpy()
    return float((1 / lengths[np.nonzero(places)[0]]).mean())
