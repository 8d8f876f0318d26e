"""A translator with one part broken, beside the whole one: what both answer, and what is measured of both.

Everything is of the held-out rows, all padded to the longest, as in a batch of training. Of a single sentence a fault of the
padding would not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.held_out import rows_of
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core import Trace, Transformer
from transformer_core.analysis.fault_evidence import Evidence, examine
from transformer_core.analysis.sabotage import SABOTAGES, sabotaged
from transformer_core.data.tasks import Task
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import decode_steps
from transformer_core.model.stages import (
    ATTENTION_KINDS,
    DECODER,
    FEED_FORWARD,
    AttentionKind,
    SublayerPath,
    attention_path,
    embedding_stage,
)
from transformer_core.training.evaluation import rows_right

WHOLE = 0  # in the place of a sabotage's number
EXCHANGED = ("the", "my")
_BEYOND = 3  # tokens that an answer may have beyond the longest right one: some never end


@dataclass(frozen=True)
class Writing:
    """An answer as a model has written it: ids of the tokens that the decoder read, by their embeddings, and of the likeliest
    next token after each layer. Shape: reads (place,), layers (layer, place)
    """

    reads: tuple[int, ...]
    layers: tuple[tuple[int, ...], ...]


def _key(shown: ShownModel, number: int, *of: int) -> tuple[object, ...]:
    return (shown.choice.whole, number, *of)  # what is taught, and its vocabulary, are the model's own


@shared_cache(16 * 2**20, key=_key)  # another is made in no time
def model_with(shown: ShownModel, number: int) -> Transformer:
    """The translator on screen with a sabotage, or whole (WHOLE). Shared: never change it."""
    whole, vocabulary = model_of(shown.choice.whole), shown.vocabulary
    if number == WHOLE:
        return whole
    assert vocabulary.end is not None
    one, other = vocabulary.ids(EXCHANGED)
    return sabotaged(whole, SABOTAGES[number], (one, other), vocabulary.end).eval()


@shared_cache(2 * 2**20, key=_key)
def held_out_answers(shown: ShownModel, number: int) -> np.ndarray:
    """Decodes all held-out rows greedily, in one batch. Shape: -> (row, place), ids with padding behind the end token"""
    return _answers(shown, number, rows_of(taught(shown)).src).numpy()


@shared_cache(2**18, key=_key)
def rows_answered_right(shown: ShownModel, number: int) -> np.ndarray:
    """Shape: -> (row,) booleans"""
    task = taught(shown)
    rows = rows_of(task)
    labels = F.pad(rows.labels, (0, _BEYOND), value=task.pad_id)
    return rows_right(task, replace(rows, labels=labels), torch.from_numpy(held_out_answers(shown, number))).numpy()


@shared_cache(2**18, key=lambda shown, number, src: (*_key(shown, number), src))
def answer_to(shown: ShownModel, number: int, src: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the greedy answer to a sentence, padded as the held-out rows are, without the end token."""
    longest = rows_of(taught(shown)).src.size(1)
    padded = F.pad(torch.tensor([src]), (0, max(0, longest - len(src))), value=shown.cfg.pad_id)
    return answer_tokens(shown, _answers(shown, number, padded)[0].tolist())


def answer_tokens(shown: ShownModel, row: Sequence[int]) -> tuple[int, ...]:
    """Returns the tokens before the end token, or before the padding, of an answer that never ends."""
    return tuple(token for token in before_end(list(row), shown.vocabulary.end) if token != shown.cfg.pad_id)


@shared_cache(2**18, key=_key)
def evidence(shown: ShownModel, number: int) -> Evidence:
    """Measures both models on the held-out rows."""
    return examine(model_with(shown, WHOLE), model_with(shown, number), rows_of(taught(shown)))


@shared_cache(2 * 2**20, key=_key)
def attention_of_row(shown: ShownModel, number: int, row: int) -> dict[tuple[AttentionKind, int], np.ndarray]:
    """Returns the weights of every attention on a held-out row, padding among the words of the source, while the decoder is
    given the right answer. Shape: (kind, layer) -> (head, query, key)
    """
    rows = rows_of(taught(shown))
    count = int((rows.tgt[row] != shown.cfg.pad_id).sum())
    with torch.inference_mode(), Trace(only=["weights"]) as trace:
        model_with(shown, number)(rows.src[row : row + 1], rows.tgt[row : row + 1, :count])
    every = [(kind, layer) for kind in ATTENTION_KINDS for layer in range(shown.cfg.n_layers)]
    return {each: trace[attention_path(*each).stage("weights")][0].numpy() for each in every}


@shared_cache(2**18, key=_key)
@torch.inference_mode()
def writing_of_row(shown: ShownModel, number: int, row: int) -> Writing:
    """Reads a model's own answer to a held-out row out of the decoder, layer by layer (the logit lens)."""
    rows, model = rows_of(taught(shown)), model_with(shown, number)
    answer = answer_tokens(shown, held_out_answers(shown, number)[row].tolist())
    with Trace() as trace:
        model(rows.src[row : row + 1], torch.tensor([[shown.vocabulary.start, *answer]]))
    table = model_with(shown, WHOLE).tgt_embedding.table.weight
    reads = torch.cdist(trace[embedding_stage(DECODER, "tokens")][0], table).argmin(-1)
    ends = [SublayerPath(DECODER, layer, FEED_FORWARD).stage("residual") for layer in range(shown.cfg.n_layers)]
    layers = [model.predict(trace[name])[0].argmax(-1) for name in ends]
    return Writing(tuple(reads.tolist()), tuple(tuple(each.tolist()) for each in layers))


def taught(shown: ShownModel) -> Task:
    """Returns the task of a translator, with its sizes."""
    assert shown.taught is not None
    return shown.taught


@torch.inference_mode()
def _answers(shown: ShownModel, number: int, src: Tensor) -> Tensor:
    """Shape: src (batch, src) -> (batch, place)"""
    steps = rows_of(taught(shown)).labels.size(1) + _BEYOND
    model, vocabulary = model_with(shown, number), shown.vocabulary
    *_rest, last = decode_steps(model, src, vocabulary.start, steps, end_id=vocabulary.end)
    return F.pad(last.tokens[:, 1:], (0, steps + 1 - last.tokens.size(1)), value=shown.cfg.pad_id)
