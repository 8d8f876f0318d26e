"""What the attention of a model trained on sentences attends to, measured on held-out sentences."""

from collections.abc import Sequence

import numpy as np
import torch

from transformer_core.data.batch import Batch
from transformer_core.data.corpus import Corpus, Example
from transformer_core.data.tasks import CopyTask, SentenceTask, Task
from transformer_core.model.stages import AttentionKind, attention_path
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer


def _weights(model: Transformer, corpus: Corpus, count: int, kind: AttentionKind) -> tuple[np.ndarray, Sequence[Example]]:
    """(layer, sentence, head, query, key) on the first `count` held-out sentences, and those sentences."""
    examples = corpus.held_out["source"][:count]
    batch, trace = corpus.rows(examples), Trace()
    with torch.no_grad():
        model(batch.src, batch.tgt, trace=trace)
    layers = [trace[attention_path(kind, i).stage("weights")].numpy() for i in range(model.cfg.n_layers)]
    return np.stack(layers), examples


def aligned_share(model: Transformer, corpus: Corpus, count: int = 500) -> np.ndarray:
    """Cross-attention: the weight on the source word that the next word translates, averaged over all words of the answers.

    Shape: -> (layer, head), 0 to 1. The model must be in eval mode.
    """
    weights, examples = _weights(model, corpus, count, "cross")
    found = [
        weights[:, n, :, place, origin]
        for n, example in enumerate(examples)
        for place, origin in enumerate(example.origin)
        if origin is not None
    ]
    return np.mean(found, axis=0)


def pronoun_share(model: Transformer, corpus: Corpus, it: str, count: int = 500) -> dict[str, np.ndarray]:
    """Encoder self-attention: the weight that the query `it` gives to the noun it refers to, and to all other words together.

    Shape: -> {"noun", "elsewhere"}, each (layer, head); "even" is the weight of a word in uniform attention.
    """
    weights, examples = _weights(model, corpus, count, "encoder")
    noun, even = [], []
    for n, example in enumerate(examples):
        noun.append(weights[:, n, :, example.src.index(it), example.origin[-1]])
        even.append(1 / len(example.src))
    share = np.mean(noun, axis=0)
    return {"noun": share, "elsewhere": 1 - share, "even": np.full(share.shape, np.mean(even))}


def aligned_places(task: Task, batch: Batch) -> np.ndarray:
    """The source position that each label comes from. Rows are empty where there is no single one.

    Shape: batch of the task, src (batch, src), labels (batch, tgt) -> (batch, tgt, src) booleans
    """
    places = np.zeros((*batch.labels.shape, batch.src.size(1)), dtype=bool)
    if isinstance(task, CopyTask):
        places[:, :, 1:] = task.origin(batch.src[:, 1:]).numpy()  # the first position is the given token
    elif isinstance(task, SentenceTask):
        corpus = task.corpus
        for row, ids in zip(places, batch.src, strict=True):
            words = tuple(corpus.vocabulary.decode(ids[ids != task.pad_id].tolist()))
            for place, origin in enumerate(corpus.by_source[words].origin):
                if origin is not None:
                    row[place, origin] = True
    return places


def even_share(task: Task, batch: Batch, places: np.ndarray) -> float:
    """What attention spread evenly over the source would give to these places, averaged over the labels that have one; see
    `aligned_places`."""
    lengths = (batch.src != task.pad_id).sum(dim=1).numpy()
    return float((1 / lengths[np.nonzero(places)[0]]).mean())
